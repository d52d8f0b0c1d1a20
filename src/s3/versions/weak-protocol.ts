import type { CallContext, WriteClass } from '../../backend/backend.js';
import { S3Error } from '../s3-error.js';
import type { Attempt, CommitProtocol } from './commit-protocol.js';
import { applyCommit, holdsCommit } from './index-changes.js';
import {
  prepareIndex,
  type IndexStore,
  type PreparedIndex,
  type StoredIndex,
} from './index-store.js';
import type { VersionedKey } from './names.js';
import type { Pause } from './pause.js';
import type { Commit, VersionIndex } from './version-entry.js';
import type { VersionIds } from './version-ids.js';

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
 * Only then it counts. An index is *settled* when the fence of its generation is of its commit, and
 * there is no fence above it; what commits go by is settled. Whoever takes a fence later than its
 * owner looked finds the owner's index afterwards, and gives up. Whoever is late with another index
 * has lost his fence before, so that this index is not settled. So one that lacks a commit which
 * counted is not settled, and who reads it merges all records that it does not hold, by a commit of
 * his own on top of all fences that he knows. The owner of a fence comes first then: of those who
 * decided on one generation, nobody else can have been told that he did.
 *
 * A record is an object of the archive that no index names, so that nobody returns it, and the
 * janitor removes it like any other.
 */
export class WeakProtocol implements CommitProtocol {
  constructor(
    private readonly store: IndexStore,
    private readonly ids: VersionIds,
    private readonly pause: Pause,
  ) {}

  async read(call: CallContext, of: VersionedKey): Promise<StoredIndex> {
    let before: Look | undefined;
    for (let attempt = 1; attempt <= READ_ATTEMPTS_MAX; attempt++) {
      const look = await this.#look(call, of);
      if (isSettled(look)) return look.stored;
      // Usually a commit is under way, and whoever is at it comes to its end sooner than we would.
      const merged = isSame(look, before) ? await this.#merge(call, of, look) : undefined;
      if (merged !== undefined) return merged;
      before = look;
      await this.pause(attempt);
    }
    throw new S3Error('ServiceUnavailable');
  }

  async attempt(
    call: CallContext,
    of: VersionedKey,
    before: StoredIndex,
    commit: Commit,
    next: PreparedIndex,
    writeClass: WriteClass,
  ): Promise<Attempt> {
    await this.store.writeRecord(call, of, commit, writeClass);
    const stored = await this.#write(call, of, before, commit, next, writeClass);
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
    writeClass: WriteClass,
  ): Promise<StoredIndex | undefined> {
    const { store } = this;
    const { generation, id } = commit;
    const fenced = await store.createFence(call, of, commit, writeClass);
    if (fenced.outcome !== 'written') return undefined;
    const current = await store.readIndex(call, of);
    if (current.etag !== before.etag) return undefined;
    await store.writeIndex(call, of, next, before);
    // In this order: see above.
    const fence = await store.readFence(call, of, generation);
    const above = await store.readFence(call, of, generation + 1);
    const stored = await store.readIndex(call, of);
    const isOwn = fence?.id === id && stored.index.commit === id;
    return isOwn && above === undefined ? stored : undefined;
  }

  async #look(call: CallContext, of: VersionedKey): Promise<Look> {
    const stored = await this.store.readIndex(call, of);
    const { generation } = stored.index;
    const own = generation === 0 ? undefined : await this.store.readFence(call, of, generation);
    const above = await this.store.readFence(call, of, generation + 1);
    return { stored, own, above };
  }

  /**
   * Makes an index that holds all records.
   * @returns undefined when somebody else may have overtaken this
   */
  async #merge(
    call: CallContext,
    of: VersionedKey,
    { stored: before, own, above }: Look,
  ): Promise<StoredIndex | undefined> {
    const fences = [own, above].filter((found) => found !== undefined);
    const known = await this.#allFences(call, of, fences);
    // After the fences: whoever has one has left a record before.
    const { generation } = before.index;
    const records = await this.store.readRecords(call, of, generation - DOUBTFUL_GENERATIONS);
    const commit: Commit = {
      generation: Math.max(generation, ...known.map((fence) => fence.generation)) + 1,
      id: this.ids.mint(),
      parent: before.index.commit,
      change: { merge: missingIn(before.index, known, records) },
    };
    const next = prepareIndex(applyCommit(before.index, commit));
    await this.store.writeRecord(call, of, commit, 'ordinary');
    const stored = await this.#write(call, of, before, commit, next, 'ordinary');
    if (stored === undefined) await this.withdraw(call, of, commit);
    return stored;
  }

  async #allFences(
    call: CallContext,
    of: VersionedKey,
    fences: readonly Commit[],
  ): Promise<readonly Commit[]> {
    const all = [...fences];
    let last = all.at(-1);
    while (last !== undefined) {
      last = await this.store.readFence(call, of, last.generation + 1);
      if (last !== undefined) all.push(last);
    }
    return all;
  }
}

/** An index, and what tells whether it may lack something. */
interface Look {
  readonly stored: StoredIndex;
  /** The fence of its generation; undefined when it was swept. */
  readonly own: Commit | undefined;
  readonly above: Commit | undefined;
}

function isSettled({ stored, own, above }: Look): boolean {
  return above === undefined && (own === undefined || own.id === stored.index.commit);
}

function isSame({ stored, own, above }: Look, before: Look | undefined): boolean {
  return (
    before?.stored.etag === stored.etag &&
    before?.own?.id === own?.id &&
    before?.above?.id === above?.id
  );
}

/** What an index lacks, in the order in which it is to be merged. */
function missingIn(
  index: VersionIndex,
  fences: readonly Commit[],
  records: readonly Commit[],
): Commit[] {
  const owners = new Set(fences.flatMap(parts).map(({ id }) => id));
  const all = new Map([...fences, ...records].flatMap(parts).map((commit) => [commit.id, commit]));
  return [...all.values()]
    .filter(({ id }) => !holdsCommit(index, id))
    .sort(
      (one, other) =>
        one.generation - other.generation ||
        Number(owners.has(other.id)) - Number(owners.has(one.id)) ||
        locksIn(other) - locksIn(one) ||
        // Time, which ids begin with, inverted.
        (one.id < other.id ? 1 : -1),
    );
}

/** A merge is what it has merged. */
function parts(commit: Commit): readonly Commit[] {
  return commit.change.merge ?? [commit];
}

/** Where nothing else tells who was first, a lock wins over a deletion. */
function locksIn({ change: { touch = [] } }: Commit): number {
  return touch.length;
}
