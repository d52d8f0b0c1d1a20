import type { CallContext, WriteClass } from '../../backend/backend.js';
import { S3Error } from '../errors.js';
import { applyCommit } from './index-changes.js';
import {
  prepareIndex,
  type IndexStore,
  type PreparedIndex,
  type StoredIndex,
} from './index-store.js';
import type { VersionedKey } from './names.js';
import type { Commit } from './version-entry.js';

/** How one generation of a key's index follows another; tests plant bugs with others than ours. */
export type CommitProtocol = Pick<FencedProtocol, 'read' | 'attempt'>;

export type Attempt =
  | { readonly outcome: 'committed'; readonly stored: StoredIndex }
  /** Somebody else has made that generation; nobody will ever carry this commit out. */
  | { readonly outcome: 'lost' }
  /** As `lost`, or somebody else has carried it out or will: the index tells. */
  | { readonly outcome: 'overtaken'; readonly commit: Commit };

const LOST: Attempt = { outcome: 'lost' };

/** Of reading an index that others keep replacing. */
const READ_ATTEMPTS_MAX = 20;
const VOID_FENCES_MAX = 64;

/**
 * Commits by exclusive creation:
 *
 *     index N ──▶ fence N+1, created ──▶ index N+1, in place of N
 *                 │ exists: whoever made it is carried out first
 *
 * A generation is whoever's fence is there, and the fence says all that there is to do: whoever finds
 * one that the index does not follow yet rolls it forward, to the same bytes as its maker.
 *
 * A fence names the commit that it follows. One that follows another commit than that of the index
 * before it is void, and its generation passed over: it is of a writer that slept while fences were
 * swept, or of an index that the janitor has removed.
 *
 * Where the index can be replaced in place of what was read, that decides, and one read tells the
 * truth. Where it cannot (Swift), a slow writer may put back an older index: then the fences are the
 * truth, readers follow them, and the janitor leaves them for longer than any write can take.
 */
export class FencedProtocol {
  readonly #isIndexEnough: boolean;

  constructor(private readonly store: IndexStore) {
    this.#isIndexEnough = store.backend.capabilities.conditionalReplace;
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
   * @throws BackendError NoSuchContainer without the archive; with any other nobody knows what will
   *   become of the commit
   */
  async attempt(
    call: CallContext,
    key: VersionedKey,
    before: StoredIndex,
    commit: Commit,
    next: PreparedIndex,
    writeClass: WriteClass,
  ): Promise<Attempt> {
    const { outcome } = await this.store.createFence(call, key, commit, writeClass);
    if (outcome === 'written') {
      const stored = await this.#publish(call, key, next, before);
      return stored === undefined
        ? { outcome: 'overtaken', commit }
        : { outcome: 'committed', stored };
    }
    const found = await this.store.readFence(call, key, commit.generation);
    // Not to be seen, and perhaps our own, of a try that was answered wrongly: the commit stays the same.
    if (found === undefined) return { outcome: 'overtaken', commit };
    if (found.parent === commit.parent) {
      const theirs = prepareIndex(applyCommit(before.index, found));
      await this.#publish(call, key, theirs, before);
      return found.id === commit.id ? { outcome: 'overtaken', commit } : LOST;
    }
    return this.#passOver(call, key, before, commit, writeClass);
  }

  /** The fence that is there is void, unless what was read is not the index any more. */
  async #passOver(
    call: CallContext,
    key: VersionedKey,
    before: StoredIndex,
    commit: Commit,
    writeClass: WriteClass,
  ): Promise<Attempt> {
    const generation = commit.generation + 1;
    if (generation > before.index.generation + VOID_FENCES_MAX) return LOST;
    const now = await this.store.readIndex(call, key);
    if (now.etag !== before.etag) return LOST;
    const later = { ...commit, generation };
    const next = prepareIndex(applyCommit(before.index, later));
    return this.attempt(call, key, before, later, next, writeClass);
  }

  /** @returns undefined when the index is not `before` any more */
  async #publish(
    call: CallContext,
    key: VersionedKey,
    next: PreparedIndex,
    before: StoredIndex,
  ): Promise<StoredIndex | undefined> {
    if (!this.#isIndexEnough) {
      const now = await this.store.readIndex(call, key);
      if (now.etag !== before.etag) return undefined;
    }
    const written = await this.store.writeIndex(call, key, next, before);
    return written.outcome === 'written' ? { index: next.index, etag: written.etag } : undefined;
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
