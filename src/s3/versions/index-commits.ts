import { setTimeout as delay } from 'node:timers/promises';
import type { CallContext, WriteClass } from '../../backend/backend.js';
import { isCode } from '../../backend/errors.js';
import { S3Error } from '../errors.js';
import type { Attempt, AttemptOptions, BegunIndex, CommitProtocol } from './fenced-protocol.js';
import { applyCommit, holdsCommit, remembers } from './index-changes.js';
import {
  prepareIndex,
  type IndexStore,
  type PreparedIndex,
  type StoredIndex,
} from './index-store.js';
import { type VersionedKey, requireVersionSupport } from './names.js';
import {
  type Commit,
  type VersionIndex,
  type VersionChange,
  type VersionIds,
} from './version-entry.js';

/** The commit may or may not be carried out: the objects that it refers to have to stay. */
export class InDoubtError extends Error {
  override readonly name = 'InDoubtError';

  constructor(override readonly cause: unknown) {
    super('it is not known whether a commit was carried out', { cause });
  }
}

/**
 * Attempts of one writer that others may have carried out, until the index has told.
 *
 *     held by the index     done
 *     follows the index     still to be carried out: the same commit once more
 *     none of it            never will be
 */
class PendingCommits {
  #commits: Commit[] = [];

  /** @param shown - told of each */
  constructor(private readonly shown: (commit: Commit) => void) {}

  get isEmpty(): boolean {
    return this.#commits.length === 0;
  }

  /** @param isShown - whether other writers may have seen it */
  add(commit: Commit, isShown = true): void {
    if (isShown) this.shown(commit);
    this.#commits = this.#commits.filter(({ id }) => id !== commit.id).concat(commit);
  }

  /** The commit that the index tells was carried out. */
  doneIn(index: VersionIndex): Commit | undefined {
    return this.#commits.find(({ id }) => holdsCommit(index, id));
  }

  pendingOn({ commit: parent }: VersionIndex): Commit | undefined {
    return this.#commits.find((commit) => commit.parent === parent);
  }

  /**
   * Gives up those that the index does not hold.
   * @throws InDoubtError when it has come too far to remember them
   */
  giveUpLost(index: VersionIndex): void {
    if (this.#commits.some((commit) => !remembers(index, commit))) {
      throw new InDoubtError(new S3Error('ServiceUnavailable'));
    }
    this.#commits = [];
  }

  /** @throws InDoubtError for any failure while there is something that the index has not told yet */
  async during<T>(task: () => Promise<T>): Promise<T> {
    try {
      return await task();
    } catch (error) {
      throw this.isEmpty || error instanceof InDoubtError ? error : new InDoubtError(error);
    }
  }
}

/**
 * Decides on the change of an index. Called again, with a newer index, when another writer was
 * faster.
 * @returns undefined for no change; an error ends the commit
 */
export type Plan = (
  index: VersionIndex,
) => Promise<VersionChange | undefined> | VersionChange | undefined;

export interface Committed {
  /** The index with the change in it, and perhaps with later ones. */
  readonly stored: StoredIndex;
  /** Undefined when the plan came to nothing. */
  readonly commit: Commit | undefined;
}

/** The start of an attempt. */
interface Begun {
  readonly before: StoredIndex;
  /** Undefined when the plan came to nothing. */
  readonly commit: Commit | undefined;
  /** The index that it leads to; undefined when nothing is left to do. */
  readonly next?: PreparedIndex;
}

export interface CommitOptions {
  /** Called with each attempt that other writers have seen, and may still carry out. */
  readonly shown?: ((commit: Commit) => void) | undefined;
  /** The class of the writes; `deletion` is possible also in a full store. Default: `ordinary`. */
  readonly writeClass?: WriteClass | undefined;
  /** Whether a key of which nothing is known is likely to have no index. Default: no. */
  readonly mayBeNew?: boolean | undefined;
  /** Tells of an index whether the one that follows may be written a little later. Default: never. */
  readonly isPostponable?: ((before: VersionIndex) => boolean) | undefined;
}

interface IndexCommitsOptions {
  readonly store: IndexStore;
  readonly protocol: CommitProtocol;
  readonly ids: VersionIds;
  /** Creates the archive of the key. @throws BackendError NoSuchContainer without the bucket */
  readonly createArchive: (call: CallContext, key: VersionedKey) => Promise<void>;
  readonly pause: Pause;
  /** Called with the outcome of each attempt. */
  readonly onAttempt?: ((outcome: AttemptOutcome) => void) | undefined;
}

/** The pause before the second and each later attempt. */
export type Pause = (attempt: number) => Promise<void>;

const PAUSE_MS_MAX = 50;

/** Waits for a random time, so that writers of one key that met once do not meet again. */
export async function pauseAtRandom(attempt: number): Promise<void> {
  await delay(Math.random() * Math.min(2 ** attempt, PAUSE_MS_MAX));
}

/** `in-doubt`: the store failed, and the outcome is unknown. */
export type AttemptOutcome = 'committed' | 'lost' | 'overtaken' | 'in-doubt';

/**
 * The limit of attempts: each lost race is another writer's commit, so this is the length of the
 * queue for one key.
 */
const ATTEMPTS_MAX = 100;

/** Commits changes of version indexes, each on exactly the index that it was decided on. */
export class IndexCommits {
  constructor(private readonly options: IndexCommitsOptions) {}

  /**
   * Whether the index is stored as it is here, without what fences may lead to: where a change of it
   * that is to come would be noticed by who makes it.
   */
  isStored(call: CallContext, key: VersionedKey, stored: StoredIndex): Promise<boolean> {
    return this.options.store.isStored(call, key, stored);
  }

  /** The newest index. @throws S3Error `InternalError`, `ServiceUnavailable`; BackendError */
  read(call: CallContext, key: VersionedKey): Promise<StoredIndex> {
    return this.options.protocol.read(call, key);
  }

  /**
   * @throws InDoubtError; anything else means that nothing was changed: what the plan throws,
   *   S3Error `InvalidRequest` for an index that gets too large, `ServiceUnavailable` when others
   *   keep being faster, `NotImplemented` where the store cannot keep versions, BackendError
   */
  async commit(
    call: CallContext,
    key: VersionedKey,
    plan: Plan,
    options: CommitOptions = {},
  ): Promise<Committed> {
    const { shown = ignore, writeClass = 'ordinary', isPostponable = never } = options;
    const { mayBeNew = false } = options;
    const { pause, protocol, store } = this.options;
    requireVersionSupport(store.backend.capabilities);
    const claims = new PendingCommits(shown);
    let likely: BegunIndex | undefined = await protocol.begin(call, key, mayBeNew);
    for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
      if (attempt > 1) await claims.during(() => pause(attempt));
      const begun = likely && (await this.#try(likely, plan, claims));
      const { before, commit, next } = begun ?? (await this.#start(call, key, plan, claims));
      if (commit === undefined || next === undefined) return { stored: before, commit };
      const of = { before, commit, next };
      const how = { claims, writeClass, isPostponable: isPostponable(before.index) };
      const attempted = await this.#attempt(call, key, of, how);
      if (attempted?.outcome === 'committed') return { stored: attempted.stored, commit };
      const theirs = claims.isEmpty ? attempted?.theirs : undefined;
      likely = theirs && { stored: theirs, isRead: false };
    }
    const tooBusy = new S3Error('ServiceUnavailable');
    throw claims.isEmpty ? tooBusy : new InDoubtError(tooBusy);
  }

  /**
   * Whether the change would find room in the index as it is. It decides nothing.
   * @throws S3Error `InvalidRequest`; as read
   */
  async requireRoom(call: CallContext, key: VersionedKey, change: VersionChange): Promise<void> {
    const fits = ({ index }: StoredIndex): void => {
      this.options.store.requireFits(this.#withChange(index, change), index);
    };
    const { stored, isRead } = await this.options.protocol.begin(call, key, false);
    try {
      fits(stored);
    } catch (error) {
      if (isRead) throw error;
      fits(await this.read(call, key));
    }
  }

  /** Whether a plan for this index may come to that change, by its size. */
  hasRoom(index: VersionIndex, change: VersionChange): boolean {
    return this.options.store.fits(this.#withChange(index, change), index);
  }

  #withChange(index: VersionIndex, change: VersionChange): PreparedIndex {
    const { generation, commit: parent } = index;
    const commit = { generation: generation + 1, id: this.options.ids.mint(), parent, change };
    return prepareIndex(applyCommit(index, commit));
  }

  /**
   * An attempt on an index that need not be the latest. An outcome without a commit, be it a
   * refusal, counts only on one that was read.
   */
  async #try(
    { stored, isRead }: BegunIndex,
    plan: Plan,
    claims: PendingCommits,
  ): Promise<Begun | undefined> {
    if (isRead) return this.#decide(stored, plan, claims);
    try {
      const begun = await this.#decide(stored, plan, claims);
      return begun.next === undefined ? undefined : begun;
    } catch {
      return undefined;
    }
  }

  async #start(
    call: CallContext,
    key: VersionedKey,
    plan: Plan,
    claims: PendingCommits,
  ): Promise<Begun> {
    const before = await claims.during(() => this.read(call, key));
    const done = claims.doneIn(before.index);
    if (done !== undefined) return { before, commit: done };
    const pending = claims.pendingOn(before.index);
    return pending === undefined
      ? this.#decide(before, plan, claims)
      : this.#prepare(before, pending, claims);
  }

  async #decide(before: StoredIndex, plan: Plan, claims: PendingCommits): Promise<Begun> {
    const { index } = before;
    claims.giveUpLost(index);
    const change = await plan(index);
    if (change === undefined) return { before, commit: undefined };
    const id = this.options.ids.mint();
    const commit = { generation: index.generation + 1, id, parent: index.commit, change };
    return this.#prepare(before, commit, claims);
  }

  #prepare(before: StoredIndex, commit: Commit, claims: PendingCommits): Begun {
    const next = prepareIndex(applyCommit(before.index, commit));
    if (claims.isEmpty) this.options.store.requireFits(next, before.index);
    return { before, commit, next };
  }

  /** @returns what it came to; undefined where it is tried again on an index that is read */
  async #attempt(
    call: CallContext,
    key: VersionedKey,
    { before, commit, next }: Required<Begun> & { readonly commit: Commit },
    { claims, writeClass, isPostponable }: AttemptOptions & { readonly claims: PendingCommits },
  ): Promise<Exclude<Attempt, { readonly outcome: 'overtaken' }> | undefined> {
    const { protocol, createArchive, onAttempt = ignore } = this.options;
    // A commit that others may have seen is finished, also in a store that has run full meanwhile.
    const effective = claims.isEmpty ? writeClass : 'deletion';
    try {
      const options = { writeClass: effective, isPostponable };
      const attempt = await protocol.attempt(call, key, before, commit, next, options);
      onAttempt(attempt.outcome);
      if (attempt.outcome !== 'overtaken') return attempt;
      claims.add(attempt.commit, attempt.isShown);
      return undefined;
    } catch (error) {
      if (!isCode(error, 'NoSuchContainer')) {
        onAttempt('in-doubt');
        throw new InDoubtError(error);
      }
    }
    claims.add(commit);
    await claims.during(() => createArchive(call, key));
    return undefined;
  }
}

function ignore(): void {
  // Attempts are not counted.
}

function never(): boolean {
  return false;
}
