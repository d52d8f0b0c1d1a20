import type { BodyId, Operation } from '../history/operation.js';
import { Recorder, Stopwatch } from '../history/recorder.js';
import { RaceClient } from '../race/race-client.js';
import type { S3Address } from '../../support/s3-client.js';
import { until } from '../../support/until.js';

/** Key of the one object of several parts. */
export const LARGE = 'large';

const WORKERS = 6;
/** Keys of each worker that are written again and again. */
const REWRITTEN = 3;

/** After so long a phase ends with what was done: with a server paused, that is little. */
const PHASE_LIMIT_MS = 8000;

/**
 * Clients that write and read, each its own keys and everybody's, from {@link start} to
 * {@link stop}. All that they do is recorded.
 */
export class Load {
  readonly recorder = new Recorder();
  /** All keys that somebody began to write. */
  readonly keys = new Set<string>();
  readonly #clients: readonly RaceClient[];
  #working: readonly Promise<void>[] = [];
  #isStopped = false;
  #failed = false;
  #keysMade = 0;

  constructor(address: S3Address, bucket: string) {
    this.#clients = Array.from(
      { length: WORKERS },
      (_, i) => new RaceClient(`w${i}`, this.recorder, [address], bucket),
    );
  }

  /** Takes an object in that was written some other way, for its readers. */
  expect(key: string, body: BodyId): void {
    this.keys.add(key);
    const timing = new Stopwatch().stop();
    this.recorder.add('test', timing, { op: 'put', key, body, outcome: { result: 'ok' } });
  }

  get operations(): readonly Operation[] {
    return this.recorder.operations;
  }

  start(): void {
    this.#isStopped = false;
    this.#working = this.#clients.map((client) => this.#work(client));
  }

  /**
   * Waits until so many more operations are done, or, when that takes long, until each of the needed
   * ones has succeeded once: the test's time-out is its limit.
   */
  async phase(operations: number, needed: readonly Operation['op'][]): Promise<void> {
    const from = this.recorder.count;
    const enoughAt = performance.now() + PHASE_LIMIT_MS;
    const isServed = (): boolean => {
      const since = this.operations.slice(from);
      return needed.every((op) => since.some((each) => each.op === op && isGood(each)));
    };
    await until(
      () =>
        this.#failed ||
        (isServed() && (this.recorder.count >= from + operations || performance.now() > enoughAt)),
    );
  }

  /** Waits until the last of so many operations in a row was a success. */
  async recovered(operations: number): Promise<void> {
    const from = this.recorder.count;
    await until(
      () =>
        this.#failed ||
        (this.recorder.count >= from + operations &&
          this.operations.slice(-operations).every(isGood)),
    );
  }

  /** @throws Error of a client that met what no fault explains */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#working);
  }

  async close(): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.close()));
  }

  async #work(client: RaceClient): Promise<void> {
    try {
      for (let i = 0; !this.#isStopped && !this.#failed; i++) await this.#move(client, i);
    } catch (error) {
      this.#failed = true;
      throw error;
    }
  }

  async #move(client: RaceClient, index: number): Promise<void> {
    const chance = Math.random();
    if (chance < 0.3) await this.#put(client, `${client.name}-${index % REWRITTEN}`);
    else if (chance < 0.5) await this.#put(client, `${client.name}-once-${++this.#keysMade}`);
    else await this.#read(client, chance < 0.9 ? 'get' : 'head');
  }

  async #put(client: RaceClient, key: string): Promise<void> {
    this.keys.add(key);
    const size = Math.random() < 0.3 ? 300_000 * Math.random() : 2000 * Math.random();
    const text = `${key} ${this.recorder.count} ${Math.random()} `;
    await client.put(key, Buffer.alloc(text.length + Math.floor(size), text));
  }

  async #read(client: RaceClient, op: 'get' | 'head'): Promise<void> {
    const keys = [...this.keys];
    const key = keys[Math.floor(Math.random() * keys.length)];
    if (key === undefined) return;
    // A HEAD tells the body by its ETag, which is not of a multipart object.
    await client.read(key === LARGE ? 'get' : op, key);
  }
}

function isGood({ outcome }: Operation): boolean {
  return outcome.result === 'ok';
}
