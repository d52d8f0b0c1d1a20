import type { CallContext } from '../../backend/backend.js';
import { S3Error } from '../s3-error.js';
import type { Attempt, CommitProtocol } from './commit-protocol.js';
import { holdsCommit, mergeCommit } from './index-changes.js';
import {
  prepareIndex,
  type IndexStore,
  type PreparedIndex,
  type StoredIndex,
} from './index-store.js';
import type { VersionedKey } from './names.js';
import type { Commit, VersionIndex } from './version-entry.js';

/** Of reading an index that others keep replacing. */
const READ_ATTEMPTS_MAX = 50;
/** How far below the index a commit may be that it lacks: who was overtaken tries again at once. */
const DOUBTFUL_GENERATIONS = 8;

/**
 * Commits where of racing creators several are told that they have won, and one write stays (stock
 * Swift). Then any object that two may write can be lost, and no order of such writes makes up for
 * it. So each commit first leaves a *record* under a name of its own, and the rest shows whether
 * anybody was overtaken:
 *
 *     record ──▶ fence N+1 ──▶ index still N? ──▶ index N+1 ──▶ fence mine, none of N+2, index mine?
 *
 * Only then it counts. Who acknowledged under fence N+1 wrote the index before he looked; whoever
 * takes that fence from him later looks at the index afterwards, and finds it. And who replaces the
 * index by one that lacks the commit has written another fence before that, which is not there any
 * more: so an index whose fence is another's, or which has a fence above it, lacks something. Whoever
 * sees that merges all records that it does not hold.
 *
 * A record is an object of the archive that no index names, so that nobody returns it, and the
 * janitor removes it like any other.
 */
export class WeakProtocol implements CommitProtocol {
  constructor(private readonly store: IndexStore) {}

  async read(call: CallContext, of: VersionedKey): Promise<StoredIndex> {
    for (let attempt = 1; attempt <= READ_ATTEMPTS_MAX; attempt++) {
      const stored = await this.store.readIndex(call, of);
      const { generation, commit } = stored.index;
      const fence = generation === 0 ? undefined : await this.store.readFence(call, of, generation);
      const above = await this.store.readFence(call, of, generation + 1);
      // No fence at all: swept.
      const isOwn = fence === undefined || fence.id === commit;
      if (isOwn && above === undefined) return stored;
      await this.#merge(call, of, stored, fence, above);
    }
    throw new S3Error('ServiceUnavailable');
  }

  async attempt(
    call: CallContext,
    of: VersionedKey,
    before: StoredIndex,
    commit: Commit,
    next: PreparedIndex,
  ): Promise<Attempt> {
    await this.store.writeRecord(call, of, commit);
    const stored = await this.#write(call, of, before, commit, next);
    if (stored !== undefined) return { outcome: 'committed', stored };
    return { outcome: 'overtaken', commit };
  }

  withdraw(call: CallContext, of: VersionedKey, commit: Commit): Promise<void> {
    return this.store.removeRecord(call, of, commit);
  }

  /** @returns undefined when somebody else may have overtaken this */
  async #write(
    call: CallContext,
    of: VersionedKey,
    before: StoredIndex,
    commit: Commit,
    next: PreparedIndex,
  ): Promise<StoredIndex | undefined> {
    const { store } = this;
    const fenced = await store.createFence(call, of, commit);
    if (fenced.outcome !== 'written') return undefined;
    const current = await store.readIndex(call, of);
    if (current.etag !== before.etag) return undefined;
    await store.writeIndex(call, of, next, before);
    // In this order: see above.
    const fence = await store.readFence(call, of, commit.generation);
    const above = await store.readFence(call, of, commit.generation + 1);
    const stored = await store.readIndex(call, of);
    const isOwn = fence?.id === commit.id && stored.index.commit === commit.id;
    return isOwn && above === undefined ? stored : undefined;
  }

  /** Writes the index that holds all records, as that of the highest fence. */
  async #merge(
    call: CallContext,
    of: VersionedKey,
    stored: StoredIndex,
    fence: Commit | undefined,
    above: Commit | undefined,
  ): Promise<void> {
    const fences = [fence, above].filter((found) => found !== undefined);
    let next = above;
    while (next !== undefined) {
      next = await this.store.readFence(call, of, next.generation + 1);
      if (next !== undefined) fences.push(next);
    }
    const { generation } = stored.index;
    const records = await this.store.readRecords(call, of, generation - DOUBTFUL_GENERATIONS);
    const merged = inOrder([...fences, ...records]).reduce(withCommit, stored.index);
    const top = fences.at(-1);
    if (top === undefined) return;
    const current = await this.store.readIndex(call, of);
    if (current.etag !== stored.etag) return;
    await this.store.writeIndex(call, of, prepareIndex(asOf(top, merged)), stored);
  }
}

function withCommit(index: VersionIndex, commit: Commit): VersionIndex {
  return holdsCommit(index, commit.id) ? index : mergeCommit(index, commit);
}

/** By generation; in one generation by time, which ids begin with, inverted. */
function inOrder(commits: readonly Commit[]): Commit[] {
  return commits.toSorted(
    (one, other) => one.generation - other.generation || (one.id < other.id ? 1 : -1),
  );
}

/** The index under the name of another commit that it holds. */
function asOf({ generation, id }: Commit, index: VersionIndex): VersionIndex {
  const recent = [index.commit, ...index.recent].filter((known) => known !== id && known !== '');
  return { ...index, generation, commit: id, recent };
}
