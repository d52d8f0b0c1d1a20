import { setTimeout as delay } from 'node:timers/promises';
import type {
  Backend,
  CallContext,
  ObjectHead,
  ObjectRef,
  RemovedManifest,
  WriteClass,
} from '../../backend/backend.js';
import { isCode } from '../../backend/errors.js';
import { SerialQueues } from '../../lib/promises.js';
import type { Adoption, Archives } from './archives.js';
import type { CurrentLink } from './current-link.js';
import type { PlainSightings } from './current-state.js';
import {
  InDoubtError,
  type CommitOptions,
  type Committed,
  type IndexCommits,
  type Plan,
} from './index-commits.js';
import { nameOfKey, type VersionedKey, versionRef } from './names.js';
import type { Commit, VersionEntry, VersionIds } from './version-entry.js';

/**
 * Lets tasks of one key run one after the other, in the order in which they come; those of
 * different keys do not wait.
 *
 * The index decides between gateways, and a loser tries again. When many writers meet on one key,
 * most lose most of the time: 64 writers of one key in two listeners made 13 versions a second, and
 * some never succeeded. Writers of one gateway need not compete there. The queue is bounded by the
 * requests under way, and each waits for those before it.
 */
export class KeyQueues {
  readonly #queues = new SerialQueues();
  /** The group of each key that has not begun yet. */
  readonly #waiting = new Map<string, Group>();

  run<T>(key: VersionedKey, task: () => Promise<T>): Promise<T> {
    return this.#queues.run(nameOfKey(key), task);
  }

  /**
   * Lets members of one key that come while others are under way wait for one task, which is for all
   * of them. All callers have the same kind of members, and any of their tasks does for a group.
   *
   * @param task - called with the members in the order in which they came, at most
   *   {@link GROUP_MEMBERS_MAX}; returns an outcome for each
   * @returns the outcome of this member
   */
  async runTogether<T, R>(
    key: VersionedKey,
    member: T,
    task: (members: readonly T[]) => Promise<readonly PromiseSettledResult<R>[]>,
  ): Promise<R> {
    const name = nameOfKey(key);
    let group = this.#waiting.get(name) as Group<T, R> | undefined;
    if (group === undefined || group.members.length >= GROUP_MEMBERS_MAX) {
      const begun: Group<T, R> = { members: [], outcomes: undefined };
      this.#waiting.set(name, begun);
      group = begun;
    }
    const place = group.members.push(member) - 1;
    group.outcomes ??= this.#runGroup(name, group, task);
    const outcome = (await group.outcomes)[place];
    if (outcome === undefined) throw new Error('a task has no outcome for one of its members');
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  }

  #runGroup<T, R>(
    name: string,
    group: Group<T, R>,
    task: (members: readonly T[]) => Promise<readonly PromiseSettledResult<R>[]>,
  ): Promise<readonly PromiseSettledResult<R>[]> {
    return this.#queues.run(name, () => {
      if (this.#waiting.get(name) === group) this.#waiting.delete(name);
      return task(group.members);
    });
  }

  /** Keys that something runs for. */
  get size(): number {
    return this.#queues.size;
  }
}

interface Group<T = unknown, R = unknown> {
  readonly members: T[];
  /** Undefined until the first member has come. */
  outcomes: Promise<readonly PromiseSettledResult<R>[]> | undefined;
}

/** So that a fence stays small, whatever waits for a key. */
const GROUP_MEMBERS_MAX = 100;

/** The pause before the second and each later attempt. */
export type Pause = (attempt: number) => Promise<void>;

const PAUSE_MS_MAX = 50;

/** Waits for a random time, so that writers of one key that met once do not meet again. */
export async function pauseAtRandom(attempt: number): Promise<void> {
  await delay(Math.random() * Math.min(2 ** attempt, PAUSE_MS_MAX));
}

/** The parts that the operations on versions are made of. */
export interface VersionDeps {
  readonly backend: Backend;
  readonly commits: IndexCommits;
  readonly link: CurrentLink;
  readonly adoption: Adoption;
  readonly archives: Archives;
  readonly ids: VersionIds;
  readonly queues: KeyQueues;
  readonly plainSightings: PlainSightings;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /**
   * The age at which another request may finish what a stopped writer has left: see unfinished.ts.
   */
  readonly unfinishedMs: number;
}

/** An object that is gone for good: of the archive, or the plain one at the key. */
export interface RemovedVersion {
  readonly ref: ObjectRef;
  /** The manifest of a large object, whose segments may be garbage now. */
  readonly manifest: RemovedManifest | undefined;
}

/**
 * A call that is not cancelled, and is repeated when the store refuses it. A commit that has begun
 * should be finished, also when the client has left: a client that gets an error and tries again
 * would do it twice.
 */
export function uncancelled({ requestId }: CallContext): CallContext {
  return { requestId, finishing: true };
}

/**
 * Commits a change whose entries have objects in the archive that were written for it. Objects that
 * are not needed in the end are removed; those that another request may still need are left to the
 * janitor.
 *
 * @param written - names of such objects; the plan may add more
 * @param writeClass - of what the commit writes; `deletion` also in a full store
 * @param more - see {@link CommitOptions}
 * @throws S3Error, BackendError; what the plan throws
 */
export async function commitWritten(
  deps: VersionDeps,
  call: CallContext,
  key: VersionedKey,
  written: Set<string>,
  plan: Plan,
  writeClass: WriteClass = 'ordinary',
  more: Pick<CommitOptions, 'isPostponable' | 'mayBeNew'> = {},
): Promise<Committed> {
  const keep = ({ change: { add = [], place = [] } }: Commit): void => {
    for (const { name } of [...add, ...place]) written.delete(name);
  };
  try {
    const options = { ...more, shown: keep, writeClass };
    const committed = await deps.commits.commit(call, key, plan, options);
    if (committed.commit !== undefined) keep(committed.commit);
    await discardAll(deps, call, key, written);
    return committed;
  } catch (error) {
    if (error instanceof InDoubtError) throw error.cause;
    await discardAll(deps, call, key, written);
    throw error;
  }
}

/** Removes the object of a version that no index names any more; what cannot be is the janitor's. */
export async function discard(
  { backend }: VersionDeps,
  { requestId, cancellation, watch }: CallContext,
  ref: ObjectRef,
): Promise<RemovedVersion> {
  try {
    // A call without `finishing`: it is not worth a second attempt at an unhealthy store.
    const once = { requestId, cancellation, watch };
    const deleted = await backend.deleteObject(once, ref);
    return { ref, manifest: deleted.outcome === 'deleted' ? deleted.removedManifest : undefined };
  } catch {
    return { ref, manifest: undefined };
  }
}

/** @returns undefined when it is not there */
export async function headVersion(
  { backend }: VersionDeps,
  call: CallContext,
  key: VersionedKey,
  entry: VersionEntry,
): Promise<ObjectHead | undefined> {
  try {
    const head = await backend.headObject(call, versionRef(key, entry.name), { newest: true });
    return withLocks(head, entry);
  } catch (error) {
    if (isCode(error, 'NoSuchObject', 'NoSuchContainer')) return undefined;
    throw error;
  }
}

/** A version's head as the index knows better: the object follows what is committed. */
function withLocks(head: ObjectHead, { locks }: VersionEntry): ObjectHead {
  if (locks === undefined) return head;
  const known = Object.entries({ ...head.systemMetadata, ...locks });
  const systemMetadata = Object.fromEntries(
    known.flatMap(([name, value]) => (value === null ? [] : [[name, value]])),
  );
  return { ...head, systemMetadata };
}

async function discardAll(
  deps: VersionDeps,
  call: CallContext,
  key: VersionedKey,
  names: Iterable<string>,
): Promise<void> {
  for (const name of names) await discard(deps, call, versionRef(key, name));
}
