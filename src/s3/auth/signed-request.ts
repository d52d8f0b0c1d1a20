import type { HeaderMap, RequestBody } from '../../http/exchange.js';
import type { S3Error } from '../s3-error.js';
import type { Payload } from './payload.js';
import type { PayloadOptions } from './payload-plan.js';

/** A request whose signature is well-formed and fresh, but not verified: one class per scheme. */
export interface SignedRequest {
  readonly accessKey: string;
  /** As sent. */
  readonly signature: string;
  /** Chunks of the body are signed, too. */
  readonly signsChunks: boolean;
  /** Of temporary credentials, which nothing issues. */
  readonly securityToken: string | undefined;
  /** The request's headers, and those that a presigned URL carries in its query. */
  readonly headers: HeaderMap;
  /**
   * Takes the same time for every secret.
   * @param known false for the secret of nobody, which stands in for an access key without one
   */
  isSignedWith(secretKey: string, known: boolean): boolean;
  /** What the client may have signed, likeliest first. */
  stringsToSign(): Iterable<string>;
  /** The answer to a wrong signature. */
  mismatch(): S3Error;
  /**
   * As `Authentication.openPayload`; only after {@link isSignedWith}, or when somebody else has
   * verified the signature.
   * @throws S3Error NotImplemented for signed chunks when the secret is not known here
   */
  openPayload(body: RequestBody, options: PayloadOptions): Payload;
}

/** Tries one candidate after the other. */
export function findSigned(
  candidates: Iterable<string>,
  isSigned: (candidate: string) => boolean,
): boolean {
  for (const candidate of candidates) {
    if (isSigned(candidate)) return true;
  }
  return false;
}
