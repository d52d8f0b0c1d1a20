/**
 * The fault of a ring file:
 * - `corrupt`: it is damaged, or contradicts itself;
 * - `unsupported`: it is of a kind that is not read, such as a pickled ring;
 * - `too_large`: it is, or says that it unpacks to, more than the limit;
 * - `unreadable`: the file is not there, or the system does not let it be read.
 */
export type RingFileFault = 'corrupt' | 'unsupported' | 'too_large' | 'unreadable';

/** A ring file that cannot be used. */
export class RingFileError extends Error {
  override readonly name = 'RingFileError';

  /** @param reason - one line without the file's name, worded to follow it and a colon */
  constructor(
    readonly fault: RingFileFault,
    readonly reason: string,
  ) {
    super(reason);
  }
}

/** A ring that cannot be built as asked, such as more replicas than devices. */
export class RingBuildError extends Error {
  override readonly name = 'RingBuildError';
}

export function corrupt(reason: string): RingFileError {
  return new RingFileError('corrupt', reason);
}

export function unsupported(reason: string): RingFileError {
  return new RingFileError('unsupported', reason);
}
