import { SerialQueues } from '../../lib/promises.js';
import { nameOfKey, type VersionedKey } from './names.js';

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
