import type { CallContext, WriteClass } from '../../backend/backend.js';
import type { PreparedIndex, StoredIndex } from './index-store.js';
import type { VersionedKey } from './names.js';
import type { Commit } from './version-entry.js';

/** How one generation of a key's index follows another. */
export interface CommitProtocol {
  /**
   * The newest index, after everything that was left unfinished and might be seen or lost.
   * @throws S3Error `InternalError` for documents that cannot be read, `ServiceUnavailable`
   */
  read(call: CallContext, of: VersionedKey): Promise<StoredIndex>;

  /**
   * One attempt to make the index that follows `before`.
   * @param next - that index, as the commit makes it
   * @param writeClass - of what is written before the index, which is always for a `deletion`
   * @throws BackendError NoSuchContainer without the archive; with any other nobody knows what will
   *   become of the commit
   */
  attempt(
    call: CallContext,
    of: VersionedKey,
    before: StoredIndex,
    commit: Commit,
    next: PreparedIndex,
    writeClass: WriteClass,
  ): Promise<Attempt>;

  /** Makes sure that a commit which was overtaken, and which no index holds, never comes back. */
  withdraw(call: CallContext, of: VersionedKey, commit: Commit): Promise<void>;
}

export type Attempt =
  | { readonly outcome: 'committed'; readonly stored: StoredIndex }
  /** Somebody else has made that generation; nobody will ever carry this commit out. */
  | { readonly outcome: 'lost' }
  /** As `lost`, or somebody else has carried it out or will: the index tells. */
  | { readonly outcome: 'overtaken'; readonly commit: Commit };

export const LOST: Attempt = { outcome: 'lost' };
