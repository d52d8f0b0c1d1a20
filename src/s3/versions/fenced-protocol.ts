import type { CallContext, WriteClass } from '../../backend/backend.js';
import { S3Error } from '../errors.js';
import { applyCommit, holdsCommit, remembers } from './index-changes.js';
import {
  NOTHING_STORED,
  prepareIndex,
  type IndexStore,
  type PreparedIndex,
  type StoredIndex,
} from './index-store.js';
import type { VersionedKey } from './names.js';
import { NewKeyGuesses } from './new-key-guesses.js';
import type { PostponedIndexes } from './postponed-indexes.js';
import type { Commit } from './version-entry.js';

/** How one generation of a key's index follows another; tests plant bugs with others than ours. */
export type CommitProtocol = Pick<FencedProtocol, 'read' | 'begin' | 'attempt'>;

export type Attempt =
  | { readonly outcome: 'committed'; readonly stored: StoredIndex }
  /** Another writer has made that generation; this commit will never be carried out. */
  | {
      readonly outcome: 'lost';
      /** The index that the other's fence leads to, where that is known: to be committed on next. */
      readonly theirs?: StoredIndex | undefined;
    }
  /** Like `lost`, or another writer has carried it out or will: the index decides. */
  | {
      readonly outcome: 'overtaken';
      readonly commit: Commit;
      /** False where no other writer has seen it: it is carried out already, or never will be. */
      readonly isShown?: false;
    };

export interface AttemptOptions {
  /** The class of the fence's write. */
  readonly writeClass: WriteClass;
  /** True when the index may be written a little later: see {@link PostponedIndexes}. */
  readonly isPostponable: boolean;
}

/** An index to commit on. */
export interface BegunIndex {
  readonly stored: StoredIndex;
  /** Whether it is the latest, as {@link FencedProtocol.read} tells it. */
  readonly isRead: boolean;
}

const LOST: Attempt = { outcome: 'lost' };

/** The limit of attempts to read an index that others keep replacing. */
const READ_ATTEMPTS_MAX = 20;
const VOID_FENCES_MAX = 64;

/**
 * Commits by exclusive creation:
 *
 *     index N ──▶ fence N+1, created ──▶ index N+1, in place of N
 *                 │ exists: its commit is carried out first
 *
 * The fence decides whose commit makes a generation, and has the whole commit: a writer that finds
 * a fence ahead of the index rolls the index forward, to the same bytes as the fence's maker would.
 *
 * A fence names the commit that it follows. A fence that follows another commit than that of the
 * index before it is void, and its generation is skipped: it was made by a delayed writer while
 * fences were swept, or belongs to an index that the janitor has removed.
 *
 * If the store can replace exactly the index that was read, the index decides, and one read is
 * enough. If it cannot (Swift), the fences decide, readers follow them, and the janitor keeps them
 * for longer than any write can take. There a slow writer may put back an older index, unless the
 * store orders writes: then an index stays behind all of later generations, and may be written a
 * little later than its fence.
 *
 * There the first index of a key needs no fence: it is created exclusively itself, and so is the
 * proof that the key had none. A writer that knows nothing of a key tries that at once where the last
 * such key of the bucket was new, and reads the index otherwise.
 */
export class FencedProtocol {
  readonly #isIndexEnough: boolean;
  readonly #isOrdered: boolean;

  constructor(
    private readonly store: IndexStore,
    private readonly postponed?: PostponedIndexes,
    private readonly guesses = new NewKeyGuesses(),
  ) {
    const { conditionalReplace, orderedWrites } = store.backend.capabilities;
    this.#isIndexEnough = conditionalReplace;
    this.#isOrdered = orderedWrites && !conditionalReplace;
  }

  /**
   * An index to commit on that need not be the latest: the fence tells. A plan that comes to nothing
   * on it, or that refuses, has to be made again on one that was read. Where a fence would be found
   * too late, it is the latest.
   * @param mayBeNew - whether a key of which nothing is known may be taken for one without an index
   */
  async begin(call: CallContext, key: VersionedKey, mayBeNew: boolean): Promise<BegunIndex> {
    if (!this.#isOrdered) return { stored: await this.read(call, key), isRead: true };
    const known = this.store.recall(key);
    if (known !== undefined) return { stored: known, isRead: false };
    if (mayBeNew && this.guesses.isNew(key)) return { stored: NOTHING_STORED, isRead: false };
    const stored = await this.store.readIndex(call, key);
    if (mayBeNew) this.guesses.note(key, stored.etag === undefined);
    return { stored, isRead: false };
  }

  /**
   * The newest index, after everything that was left unfinished and might be seen or lost.
   * @throws S3Error `InternalError` for documents that cannot be read, `ServiceUnavailable`
   */
  async read(call: CallContext, key: VersionedKey): Promise<StoredIndex> {
    for (let attempt = 1; attempt <= READ_ATTEMPTS_MAX; attempt++) {
      const stored = await this.store.readIndex(call, key);
      if (this.#isIndexEnough) return stored;
      const followed = await this.#follow(call, key, stored);
      if (followed !== undefined) return followed;
    }
    throw new S3Error('ServiceUnavailable');
  }

  /**
   * One attempt to make the index that follows `before`.
   * @param next - that index, as the commit makes it
   * @throws BackendError NoSuchContainer without the archive; after any other error the outcome of
   *   the commit is unknown
   */
  async attempt(
    call: CallContext,
    key: VersionedKey,
    before: StoredIndex,
    commit: Commit,
    next: PreparedIndex,
    options: AttemptOptions,
  ): Promise<Attempt> {
    if (this.#isOrdered && before.etag === undefined) {
      return this.#createIndex(call, key, commit, next, options);
    }
    const { outcome } = await this.store.createFence(call, key, commit, options.writeClass);
    if (outcome === 'written') {
      const expected = options.isPostponable
        ? this.postponed?.postpone(call, key, next, before)
        : undefined;
      const stored = expected ?? (await this.#publish(call, key, next, before));
      return stored === undefined
        ? { outcome: 'overtaken', commit }
        : { outcome: 'committed', stored };
    }
    this.store.forget(key);
    const found = await this.store.readFence(call, key, commit.generation);
    // The index is not readable yet. It may be our own, from an attempt that was answered wrongly:
    // the commit stays the same.
    if (found === undefined) return { outcome: 'overtaken', commit };
    if (found.parent === commit.parent) {
      const theirs = prepareIndex(applyCommit(before.index, found));
      // Where writes are ordered, the one that commits next writes the index, or the reader that comes
      // next: as a rule the maker of the fence has done so by then.
      if (!this.#isOrdered) await this.#publish(call, key, theirs, before);
      if (found.id === commit.id) return { outcome: 'overtaken', commit };
      return this.#isOrdered && this.store.isOrdered(before)
        ? { outcome: 'lost', theirs: this.store.expect(key, theirs, before) }
        : LOST;
    }
    return this.#passOver(call, key, before, commit, options);
  }

  /** The first generation, which its own exclusive creation decides. */
  async #createIndex(
    call: CallContext,
    key: VersionedKey,
    commit: Commit,
    next: PreparedIndex,
    { writeClass }: AttemptOptions,
  ): Promise<Attempt> {
    const stored = await this.store.writeIndex(call, key, next, NOTHING_STORED, writeClass);
    this.guesses.note(key, stored !== undefined);
    if (stored !== undefined) return { outcome: 'committed', stored };
    const theirs = await this.store.readIndex(call, key);
    // The index may be our own, from an attempt that was answered wrongly.
    const isKnown = theirs.etag !== undefined && remembers(theirs.index, commit);
    if (!isKnown || holdsCommit(theirs.index, commit.id)) {
      return { outcome: 'overtaken', commit, isShown: false };
    }
    return { outcome: 'lost', theirs };
  }

  /** The fence that is there is void, unless what was read is not the index any more. */
  async #passOver(
    call: CallContext,
    key: VersionedKey,
    before: StoredIndex,
    commit: Commit,
    options: AttemptOptions,
  ): Promise<Attempt> {
    const generation = commit.generation + 1;
    if (generation > before.index.generation + VOID_FENCES_MAX) return LOST;
    const now = await this.store.readIndex(call, key);
    if (now.etag !== before.etag) return LOST;
    const later = { ...commit, generation };
    const next = prepareIndex(applyCommit(before.index, later));
    return this.attempt(call, key, before, later, next, { ...options, isPostponable: false });
  }

  /** @returns undefined when the index is not `before` any more */
  async #publish(
    call: CallContext,
    key: VersionedKey,
    next: PreparedIndex,
    before: StoredIndex,
  ): Promise<StoredIndex | undefined> {
    const isExact = this.#isIndexEnough || this.store.isOrdered(before);
    if (!isExact) {
      const now = await this.store.readIndex(call, key);
      if (now.etag !== before.etag) return undefined;
    }
    const stored = await this.store.writeIndex(call, key, next, before);
    if (stored === undefined) return undefined;
    this.postponed?.written(key, next.index.generation);
    // With a time of its own it may have taken the place of a later one, whose fence tells.
    return isExact || !this.#isOrdered ? stored : this.#follow(call, key, stored);
  }

  /** @returns the index that the fences lead to; undefined when it has changed meanwhile */
  async #follow(
    call: CallContext,
    key: VersionedKey,
    stored: StoredIndex,
  ): Promise<StoredIndex | undefined> {
    let { index } = stored;
    let { generation } = index;
    let fence: Commit | undefined;
    while ((fence = await this.store.readFence(call, key, ++generation)) !== undefined) {
      if (fence.parent === index.commit) index = applyCommit(index, fence);
    }
    if (index === stored.index) return stored;
    return this.#publish(call, key, prepareIndex(index), stored);
  }
}
