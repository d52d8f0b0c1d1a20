/** S3 answered with a status that the caller did not expect. */
export class S3StatusError extends Error {
  override readonly name = 'S3StatusError';

  constructor(
    readonly status: number,
    /** The `<Code>` of the error document, such as `NoSuchKey`; empty for answers without a body. */
    readonly code: string,
    /** The message of S3 for people; empty for answers without a body. */
    readonly detail = '',
  ) {
    super(`S3 answered ${status} ${code}`.trimEnd());
  }
}
