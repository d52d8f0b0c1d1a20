import type { BucketState, ListedEntry, Operation } from '../history/operation.js';
import { Recorder } from '../history/recorder.js';
import { lookAtEverything } from './last-look.js';
import type { VersionsPage } from './versions-document.js';
import { Worker } from './workload.js';

/** A client of a race, whatever it talks to; it records all that it does and is told. */
export interface Racer {
  readonly name: string;
  put(key: string, body: Buffer): Promise<void>;
  delete(key: string): Promise<void>;
  deleteVersion(key: string, version: string): Promise<void>;
  /** @returns whether there was an answer */
  read(op: 'get' | 'head', key: string, version?: string): Promise<boolean>;
  setState(state: BucketState): Promise<void>;
  /** @returns the entries of the key, newest first; undefined when there was no answer */
  listKey(key: string): Promise<readonly ListedEntry[] | undefined>;
  /**
   * Lists a page and records all that it tells of these keys: which of them it shows whole, and
   * which not at all although it passes them.
   *
   * @param query - parameters of ListObjectVersions, not encoded
   */
  listPage(
    query: Readonly<Record<string, string>>,
    keys: readonly string[],
  ): Promise<VersionsPage | undefined>;
  close(): Promise<void>;
}

/** Where a race takes place: gateways over one store. */
export interface RaceGround {
  /** A client of any of the gateways. */
  client(name: string, recorder: Recorder): Racer;
  /**
   * Asked when nobody writes any more.
   * @returns what does not fit together of all that is stored of these keys
   */
  audit(keys: readonly string[]): Promise<readonly string[]>;
}

export interface RaceOptions {
  readonly keys: readonly string[];
  readonly clients: number;
  /** Before the names of the clients, where several races share a recorder. */
  readonly prefix?: string;
  /** Default: one of its own. */
  readonly recorder?: Recorder;
  /** Makes what a client does again and again. Default: a {@link Worker}. */
  readonly workload?: (client: Racer) => Workload;
}

export interface Workload {
  move(): Promise<unknown>;
}

export interface RaceResult {
  readonly operations: readonly Operation[];
  /** Of what is stored, in the end: what does not fit together. */
  readonly problems: readonly string[];
}

/** The events beside the clients until the race is over, such as kills. */
export type RaceEvents = (race: Race) => Promise<void>;

interface Waiter {
  readonly holds: () => boolean;
  readonly resolve: (holds: boolean) => void;
}

/**
 * The driver of all races: clients that change the same keys beside each other, through the gateways
 * of any store, and record a history for `checkHistory`.
 */
export class Race {
  readonly recorder: Recorder;
  /** A client that takes no part, for what is not done at random. */
  readonly director: Racer;
  readonly #clients: readonly { readonly racer: Racer; readonly workload: Workload }[];
  #working: readonly Promise<void>[] = [];
  readonly #moves = new Set<Promise<unknown>>();
  /** While it is there, clients begin nothing. */
  #held: Promise<void> | undefined;
  #waiters: readonly Waiter[] = [];
  #isOver = true;

  constructor(
    private readonly ground: RaceGround,
    private readonly options: RaceOptions,
  ) {
    const { keys, clients, prefix = '', recorder = new Recorder() } = options;
    const workloadOf = options.workload ?? ((racer) => new Worker(racer, keys));
    this.recorder = recorder;
    this.director = ground.client(`${prefix}director`, recorder);
    this.#clients = Array.from({ length: clients }, (_, i) => {
      const racer = ground.client(`${prefix}client-${i}`, recorder);
      return { racer, workload: workloadOf(racer) };
    });
  }

  get operations(): readonly Operation[] {
    return this.recorder.operations;
  }

  /** Clients work from now on, until {@link stop}, or until one of them, or of the events, fails. */
  start(...events: readonly RaceEvents[]): void {
    this.#isOver = false;
    const working = this.#clients.map(({ workload }) => this.#work(workload));
    this.#working = [...working, ...events.map((happen) => happen(this))].map((each) =>
      each.catch((error: unknown) => {
        this.#end();
        throw error;
      }),
    );
    // They are waited for by stop(), which may come much later.
    for (const each of this.#working) each.catch(() => undefined);
  }

  /** Resolves when so many more operations are done. @returns false when the race is over before */
  passed(operations: number): Promise<boolean> {
    const target = this.recorder.count + operations;
    return this.reached(() => this.recorder.count >= target);
  }

  /**
   * Resolves when a condition holds, which is looked at whenever a client has moved.
   * @returns false when the race is over before
   */
  reached(holds: () => boolean): Promise<boolean> {
    if (this.#isOver) return Promise.resolve(false);
    return new Promise((resolve) => {
      this.#waiters = [...this.#waiters, { holds, resolve }];
    });
  }

  /** Does something with no operation of a client under way. */
  async whileHeld(work: () => Promise<void>): Promise<void> {
    this.#held = Promise.allSettled(this.#moves).then(work);
    await this.#held.finally(() => (this.#held = undefined));
  }

  /** Ends the race. @throws what the first client failed with: a mistake, and not an outcome */
  async stop(): Promise<void> {
    this.#end();
    const results = await Promise.allSettled(this.#working);
    const failure = results.find((result) => result.status === 'rejected');
    if (failure !== undefined) throw failure.reason;
  }

  /**
   * Looks at everything when all is quiet again, and closes the clients.
   * @param insist - as of `lookAtEverything`
   */
  async finish(insist = true): Promise<RaceResult> {
    await lookAtEverything(this.director, this.options.keys, insist);
    await this.close();
    return {
      operations: this.operations,
      problems: await this.ground.audit(this.options.keys),
    };
  }

  async close(): Promise<void> {
    const clients = this.#clients.map(({ racer }) => racer.close());
    await Promise.all([this.director.close(), ...clients]);
  }

  async #work(workload: Workload): Promise<void> {
    while (!this.#isOver) {
      await this.#held;
      const move = workload.move();
      this.#moves.add(move);
      await move.finally(() => this.#moves.delete(move));
      this.#tellWaiters();
    }
  }

  #tellWaiters(): void {
    const reached = this.#waiters.filter(({ holds }) => holds());
    if (reached.length === 0) return;
    this.#waiters = this.#waiters.filter((waiter) => !reached.includes(waiter));
    for (const { resolve } of reached) resolve(true);
  }

  #end(): void {
    this.#isOver = true;
    for (const { resolve } of this.#waiters) resolve(false);
    this.#waiters = [];
  }
}

/**
 * Changes the bucket's versioning state again and again, between `Enabled` and `Suspended`.
 *
 * @param every - operations until the next change
 * @param first - the state that the bucket has. It is held still when it leaves `unversioned`: a
 *   write that began without versions, and ends with them, may become a version
 *   (docs/limitations.md)
 */
export function changingStates(every: () => number, first: BucketState): RaceEvents {
  return async (race) => {
    let state = first;
    while (await race.passed(every())) {
      const next = state === 'Enabled' ? 'Suspended' : 'Enabled';
      const change = (): Promise<void> => race.director.setState(next);
      await (state === 'unversioned' ? race.whileHeld(change) : change());
      state = next;
    }
  };
}
