/** What a request says of its own signature of version 2: well-formed and fresh, not verified. */
export interface SignatureClaimV2 {
  readonly accessKey: string;
  /** Base64 of an HMAC-SHA1. */
  readonly signature: string;
  /** The date's line of the string to sign: the header `Date`, `Expires` of a presigned URL, or ''. */
  readonly date: string;
  /** In the query, and not in a header. */
  readonly presigned: boolean;
}
