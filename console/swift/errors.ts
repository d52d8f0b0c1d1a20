/** The store did not answer, or not in time. */
export class UpstreamError extends Error {
  override readonly name = 'UpstreamError';

  constructor(
    readonly kind: 'unavailable' | 'timeout' | 'invalid',
    options?: ErrorOptions,
  ) {
    super(`the store is ${kind}`, options);
  }
}

/** The store answered with a status that the caller did not expect. */
export class SwiftStatusError extends Error {
  override readonly name = 'SwiftStatusError';

  constructor(
    readonly status: number,
    /** The beginning of the answer's body: to tell cases apart, never to show. */
    readonly text: string,
  ) {
    super(`the store answered ${status}`);
  }
}

/** A text from a user that cannot be in a header: it has control characters. */
export class HeaderTextError extends Error {
  override readonly name = 'HeaderTextError';

  constructor() {
    super('control characters in the text of a header');
  }
}

/** The store takes neither the session's token nor its key any more. */
export class CredentialsRefusedError extends Error {
  override readonly name = 'CredentialsRefusedError';

  constructor() {
    super('the store refuses the credentials');
  }
}
