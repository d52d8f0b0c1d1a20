import type { Backend, CallContext, WritePrecondition } from '../../backend/backend.js';
import { Adoption, Archives } from './archives.js';
import {
  createDeleteMarker,
  createVersion,
  type CreatedEntry,
  type CreatedVersion,
  type NewDeleteMarker,
  type NewVersion,
} from './create-version.js';
import { CurrentLink } from './current-link.js';
import { deleteVersion, type DeletedVersion, type DeletionCheck } from './delete-version.js';
import { moveFirst } from './first-version.js';
import { NewKeyGuesses } from './new-key-guesses.js';
import { FencedProtocol, type CommitProtocol } from './fenced-protocol.js';
import { findVersion, type FoundVersion } from './find-version.js';
import { PlainSightings } from './current-state.js';
import { currentEntry, repairLink } from './sync-current.js';
import { IndexCommits, pauseAtRandom, type AttemptOutcome, type Pause } from './index-commits.js';
import { IndexStore } from './index-store.js';
import { PostponedIndexes, type PostponedIndexesOptions } from './postponed-indexes.js';
import { KeyQueues } from './key-queues.js';
import type { VersionDeps } from './deps.js';
import type { VersionedKey } from './names.js';
import { touchVersion, type LockChange } from './touch-version.js';
import { VersionUpkeep } from './upkeep/version-upkeep.js';
import { type VersionEntry, type VersionIndex, VersionIds } from './version-entry.js';
import {
  findUnfinished,
  finishVersion,
  giveUpVersion,
  type UnfinishedVersion,
} from './unfinished.js';

export interface VersionedKeysOptions {
  readonly backend: Backend;
  /** A larger index is not written: SPEC.md 7.2. At most 64 MiB. */
  readonly indexBytesMax: number;
  /** Milliseconds since the epoch. */
  readonly now?: (() => number) | undefined;
  /**
   * The janitor sweeps what no index names when it is older; who finishes what a stopped writer has
   * left does so in half of that. Default: the least that `version_sweep_age_ms` may be.
   */
  readonly sweepAgeMs?: number | undefined;
  /** Called with the outcome of each attempt of a commit. */
  readonly onAttempt?: ((outcome: AttemptOutcome) => void) | undefined;
  /** The pause before another attempt after a lost race; for tests. */
  readonly pause?: Pause | undefined;
  /**
   * Where the store orders writes: indexes are written a little later than their fences. Who gives
   * this has to call {@link VersionedKeys.close}. Default: all are written at once.
   */
  readonly postpone?: Omit<PostponedIndexesOptions, 'store'> | undefined;
  /** Another way to commit: tests plant bugs with it. */
  readonly protocol?: ((store: IndexStore) => CommitProtocol) | undefined;
  /** The sightings of earlier requests; for tests. Default: none. */
  readonly plainSightings?: PlainSightings | undefined;
}

const SWEEP_AGE_MS_MIN = 3_600_000;

/**
 * The versions of keys, for the operations on buckets that keep versions or did so once.
 *
 * Any number of gateways may work on the same keys. A call that returns has taken effect: the
 * change is in the key's index, in one place, and the current object is in step with it. A call
 * that fails has had no effect, or its outcome is unknown (the store failed meanwhile); then it may
 * still take effect, as a whole.
 *
 * All throw BackendError, and S3Error `InternalError` for an index that cannot be read,
 * `ServiceUnavailable` when others keep being faster.
 */
export class VersionedKeys {
  /** The work that is done without a request. */
  readonly upkeep: VersionUpkeep;
  readonly #parts: VersionDeps;
  readonly #postponed: PostponedIndexes | undefined;

  constructor(options: VersionedKeysOptions) {
    const { backend, indexBytesMax, now = Date.now, pause = pauseAtRandom, onAttempt } = options;
    const store = new IndexStore({ backend, indexBytesMax });
    const ids = new VersionIds(now);
    const { postpone } = options;
    this.#postponed = postpone && new PostponedIndexes({ store, ...postpone });
    const guesses = new NewKeyGuesses();
    const protocol =
      options.protocol?.(store) ?? new FencedProtocol(store, this.#postponed, guesses);
    const archives = new Archives(backend);
    const createArchive = archives.create.bind(archives);
    const commits = new IndexCommits({ store, protocol, ids, createArchive, pause, onAttempt });
    const link = new CurrentLink(backend, commits);
    const adoption = new Adoption(backend, ids);
    const queues = new KeyQueues();
    const unfinishedMs = (options.sweepAgeMs ?? SWEEP_AGE_MS_MIN) / 2;
    this.#parts = {
      ...{ backend, store, commits, link, adoption, archives, ids, queues, now, unfinishedMs },
      guesses,
      plainSightings: options.plainSightings ?? new PlainSightings(),
    };
    this.upkeep = new VersionUpkeep(this.#parts);
  }

  /**
   * Writes a version, once, where it stays, and makes it the current one.
   * @throws S3Error `PreconditionFailed`, `KeyTooLongError`, `InvalidRequest` when the key has too
   *   many versions; what `write` throws
   */
  createVersion(
    call: CallContext,
    key: VersionedKey,
    version: NewVersion,
  ): Promise<CreatedVersion> {
    return createVersion(this.#parts, call, key, version);
  }

  /**
   * Versions made of this upload, the newest first, that an index may name or not: of a writer that
   * stopped before its commit.
   */
  findUnfinished(
    call: CallContext,
    key: VersionedKey,
    uploadId: string,
  ): Promise<readonly UnfinishedVersion[]> {
    return findUnfinished(this.#parts, call, key, uploadId);
  }

  /** Commits one of them. @throws as createVersion; BackendError GuardMissing when it was given up */
  finishVersion(
    call: CallContext,
    key: VersionedKey,
    { entry }: UnfinishedVersion,
    condition: WritePrecondition | undefined,
  ): Promise<CreatedVersion> {
    return finishVersion(this.#parts, call, key, entry, condition);
  }

  /**
   * Makes sure that a version of an upload is never committed; its object stays.
   * @returns false when the upload is a version by now
   */
  giveUpVersion(
    call: CallContext,
    key: VersionedKey,
    name: string,
    uploadId: string,
  ): Promise<boolean> {
    return giveUpVersion(this.#parts, call, key, name, uploadId);
  }

  /** DELETE of a key without a version id. @throws as createVersion */
  createDeleteMarker(
    call: CallContext,
    key: VersionedKey,
    entry: NewDeleteMarker,
  ): Promise<CreatedEntry> {
    return createDeleteMarker(this.#parts, call, key, entry);
  }

  /**
   * Removes a version or a delete marker for good; the version below becomes current.
   * @returns `absent` when there is none of this id
   * @throws what the check throws
   */
  deleteVersion(
    call: CallContext,
    key: VersionedKey,
    id: string,
    check: DeletionCheck,
  ): Promise<DeletedVersion | 'absent'> {
    return deleteVersion(this.#parts, call, key, id, check);
  }

  /**
   * Changes the locks of a version; a plain object becomes a version first.
   * @param id - undefined: of the current one
   * @returns the version as it was decided on
   * @throws S3Error `NoSuchVersion`, `NoSuchKey`, `MethodNotAllowed` for a delete marker; what the
   *   change throws
   */
  touchVersion(
    call: CallContext,
    key: VersionedKey,
    id: string | undefined,
    change: LockChange,
  ): Promise<VersionEntry> {
    return touchVersion(this.#parts, call, key, id, change);
  }

  /** Finds a version by the index, and never by the objects in the archive: SPEC.md 3.1. */
  find(call: CallContext, key: VersionedKey, id: string): Promise<FoundVersion | undefined> {
    return findVersion(this.#parts, call, key, id);
  }

  /**
   * Why there is nothing at a key: the delete marker that is current, if any. A version that should be
   * there is there afterwards.
   */
  currentEntry(call: CallContext, key: VersionedKey): Promise<VersionEntry | undefined> {
    return currentEntry(this.#parts, call, key);
  }

  /** Writes the indexes that were postponed. */
  async writePostponed(): Promise<void> {
    await this.#postponed?.writeAll();
  }

  /** The same, and postpones none from now on. */
  async close(limitMs?: number): Promise<void> {
    await this.#postponed?.close(limitMs);
  }

  /** Brings what stands at a key in step with its index; harmless when it is. */
  repairLink(call: CallContext, key: VersionedKey): Promise<void> {
    return repairLink(this.#parts, call, key);
  }

  /** Sees to it that no version of a key lies in the place of its index, where none can be changed. */
  moveFirst(call: CallContext, key: VersionedKey): Promise<void> {
    return moveFirst(this.#parts, call, key);
  }

  /** Generation 0 for a key that never had one. */
  async readIndex(call: CallContext, key: VersionedKey): Promise<VersionIndex> {
    return (await this.#parts.commits.read(call, key)).index;
  }
}
