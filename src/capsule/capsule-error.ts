/** Faults of a capsule, for programs; docs/lab.md lists them. */
export type CapsuleFault =
  /** No archive that Ringway writes begins like this. */
  | 'not_a_capsule'
  /** A capsule of a later release. */
  | 'unknown_version'
  /** A name that no file of a capsule has, such as `../x`. */
  | 'bad_name'
  | 'duplicate'
  | 'missing'
  /** Files of capsules are stored as they are: nothing is unpacked. */
  | 'compressed'
  | 'too_large'
  | 'wrong_size'
  /** Bytes that are not as they were written. */
  | 'damaged'
  | 'truncated'
  | 'trailing_bytes'
  /** A file is not the one that the manifest names. */
  | 'hash_mismatch'
  | 'bad_signature';

/** A capsule that cannot be used. */
export class CapsuleError extends Error {
  override readonly name = 'CapsuleError';

  /**
   * @param file - the file of the capsule that is wrong; `archive` for the archive's own end
   * @param reason - a sentence without its full stop
   */
  constructor(
    readonly fault: CapsuleFault,
    readonly file: string,
    readonly reason: string,
  ) {
    super(`${file}: ${reason}`);
  }
}

/** A name as a message may show it: printable ASCII, at most 80 characters. */
export function shownName(bytes: Buffer): string {
  const text = bytes.subarray(0, 80).toString('latin1');
  return text.replace(/[^\x20-\x7e]/g, '?') || '(no name)';
}
