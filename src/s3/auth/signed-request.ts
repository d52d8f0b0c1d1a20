import type { HeaderMap, RequestBody } from '../../http/exchange.js';
import type { S3Error } from '../s3-error.js';
import type { Payload } from './payload.js';
import type { PayloadOptions } from './payload-plan.js';

/** A request whose signature is well-formed and fresh, but not verified: one class per scheme. */
export interface SignedRequest {
  readonly accessKey: string;
  /** Of temporary credentials, which nothing issues. */
  readonly securityToken: string | undefined;
  /** The request's headers, and those that a presigned URL carries in its query. */
  readonly headers: HeaderMap;
  /**
   * Takes the same time for every secret.
   * @param known false for the secret of nobody, which stands in for an access key without one
   */
  isSignedWith(secretKey: string, known: boolean): boolean;
  /** The answer to a wrong signature; only after {@link isSignedWith}. */
  mismatch(): S3Error;
  /** As `Authentication.openPayload`; only after {@link isSignedWith}. */
  openPayload(body: RequestBody, options: PayloadOptions): Payload;
}

/**
 * The first of the candidates, which is the one to show to a client, and whether one of them is
 * signed.
 */
export interface SearchResult {
  readonly signed: boolean;
  readonly first: string;
}

/** Tries one candidate after the other. */
export function findSigned(
  candidates: Iterable<string>,
  isSigned: (candidate: string) => boolean,
): SearchResult {
  let first: string | undefined;
  for (const candidate of candidates) {
    first ??= candidate;
    if (isSigned(candidate)) return { signed: true, first };
  }
  return { signed: false, first: first ?? '' };
}
