/** The ways in which a history can be wrong. */
export type ViolationKind =
  /** An entry that was acknowledged, or seen, is not there, and nobody removed it. */
  | 'lost'
  /** A seen entry was removed, and the removal acknowledged or seen, before the request began. */
  | 'resurrected'
  /** The write of a seen entry had not yet been requested when the answer came. */
  | 'too-early'
  /** A read of the current version that does not give the one that is current. */
  | 'stale-read'
  /** Two entries with the same version id, of one key. */
  | 'duplicate-id'
  /** One PUT made two versions. */
  | 'written-twice'
  /** A version id with the body of another version. */
  | 'wrong-body'
  /** Bytes that nobody sent: half a body, or one of nobody. */
  | 'unknown-body'
  /** A body whose PUT was refused. */
  | 'refused-body'
  /** A delete marker that no DELETE can have made. */
  | 'unknown-marker'
  /** Not in the order in which they were written, or once in this order and once in that. */
  | 'order'
  /** Not the first entry, and not it alone, is the latest. */
  | 'latest-flag'
  /** A version id that the bucket's versioning state does not make. */
  | 'state'
  /** The history ends without a look at the key that would show what is missing. */
  | 'unverified';

export interface Violation {
  readonly kind: ViolationKind;
  readonly key: string;
  readonly message: string;
}
