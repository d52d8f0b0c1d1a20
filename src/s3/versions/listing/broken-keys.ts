import { BackendError, isCode } from '../../../backend/errors.js';
import { S3Error } from '../../errors.js';
import type { VersionedKey } from '../names.js';

/** Repairs that fail on one page before no other is tried: each may take seconds. */
const FAILED_REPAIRS_MAX = 8;
/** The limit of a page's failures that are kept for the log. */
const FAILURES_MAX = 100;

/**
 * Keys of a page whose index cannot be read, or that cannot be brought in step with it. The page is
 * shown all the same, as the index says, or the archive where there is none; the log tells of them.
 */
export class BrokenKeys {
  readonly failures: S3Error[] = [];
  #failedRepairs = 0;

  async reading<T>(key: VersionedKey, index: Promise<T>): Promise<T> {
    try {
      return await index;
    } catch (error) {
      if (error instanceof S3Error && error.code === 'InternalError') this.#note(key, error);
      throw error;
    }
  }

  async repairing(key: VersionedKey, repair: () => Promise<void>): Promise<void> {
    if (this.#failedRepairs >= FAILED_REPAIRS_MAX) return;
    try {
      await repair();
    } catch (error) {
      if (!(error instanceof S3Error) && !(error instanceof BackendError)) throw error;
      if (isCode(error, 'NoSuchContainer')) throw error;
      this.#failedRepairs += 1;
      this.#note(key, error);
    }
  }

  #note({ bucket, key }: VersionedKey, error: Error): void {
    if (this.failures.length >= FAILURES_MAX) return;
    const text = `the versions of ${bucket}/${key} are broken: see "ringway repair"`;
    const cause = new Error(text, { cause: error });
    this.failures.push(new S3Error('InternalError', undefined, {}, { cause }));
  }
}
