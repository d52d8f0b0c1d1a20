import type { BodyId, Operation } from '../history/operation.js';
import { Stopwatch } from '../history/recorder.js';
import { Race, type Racer, type Workload } from '../race/race.js';
import { RunningGateways } from '../race/services.js';
import type { S3Address } from '../../support/s3-client.js';

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
  /** All keys that somebody began to write. */
  readonly keys = new Set<string>();
  readonly #race: Race;

  constructor(address: S3Address, bucket: string) {
    const workload = (client: Racer): Workload => new LoadWorker(client, this.keys);
    const ground = new RunningGateways([address], bucket);
    this.#race = new Race(ground, { keys: [], clients: WORKERS, workload });
  }

  /** Takes an object in that was written some other way, for its readers. */
  expect(key: string, body: BodyId): void {
    this.keys.add(key);
    const timing = new Stopwatch().stop();
    const outcome = { result: 'ok' } as const;
    this.#race.recorder.add('test', timing, { op: 'put', key, body, outcome });
  }

  get operations(): readonly Operation[] {
    return this.#race.operations;
  }

  start(): void {
    this.#race.start();
  }

  /**
   * Waits until so many more operations are done, or, when that takes long, until each of the needed
   * ones has succeeded once: the test's time-out is its limit.
   */
  async phase(operations: number, needed: readonly Operation['op'][]): Promise<void> {
    const from = this.operations.length;
    const enoughAt = performance.now() + PHASE_LIMIT_MS;
    const isServed = (): boolean => {
      const since = this.operations.slice(from);
      return needed.every((op) => since.some((each) => each.op === op && isGood(each)));
    };
    await this.#race.reached(
      () =>
        isServed() && (this.operations.length >= from + operations || performance.now() > enoughAt),
    );
  }

  /** Waits until the last of so many operations in a row was a success. */
  async recovered(operations: number): Promise<void> {
    const from = this.operations.length;
    await this.#race.reached(
      () =>
        this.operations.length >= from + operations &&
        this.operations.slice(-operations).every(isGood),
    );
  }

  /** @throws Error of a client that met what no fault explains */
  stop(): Promise<void> {
    return this.#race.stop();
  }

  close(): Promise<void> {
    return this.#race.close();
  }
}

/** Writes keys of its own, since each key has one writer, and reads everybody's. */
class LoadWorker implements Workload {
  #moves = 0;

  constructor(
    private readonly client: Racer,
    private readonly keys: Set<string>,
  ) {}

  async move(): Promise<void> {
    const { name } = this.client;
    const chance = Math.random();
    this.#moves += 1;
    if (chance < 0.3) await this.#put(`${name}-${this.#moves % REWRITTEN}`);
    else if (chance < 0.5) await this.#put(`${name}-once-${this.#moves}`);
    else await this.#read(chance < 0.9 ? 'get' : 'head');
  }

  async #put(key: string): Promise<void> {
    this.keys.add(key);
    const size = Math.random() < 0.3 ? 300_000 * Math.random() : 2000 * Math.random();
    const text = `${key} ${this.#moves} ${Math.random()} `;
    await this.client.put(key, Buffer.alloc(text.length + Math.floor(size), text));
  }

  async #read(op: 'get' | 'head'): Promise<void> {
    const keys = [...this.keys];
    const key = keys[Math.floor(Math.random() * keys.length)];
    if (key === undefined) return;
    // A HEAD tells the body by its ETag, which is not of a multipart object.
    await this.client.read(key === LARGE ? 'get' : op, key);
  }
}

function isGood({ outcome }: Operation): boolean {
  return outcome.result === 'ok';
}
