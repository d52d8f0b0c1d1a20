import type { Instant, Operation } from './operation.js';

type Untimed<Each> = Each extends Operation ? Omit<Each, 'client' | 'start' | 'end'> : never;

/** An operation without its client and its times. */
export type OperationRecord = Untimed<Operation>;

/** Collects what the clients of one process do. Those of several processes can be joined. */
export class Recorder {
  readonly operations: Operation[] = [];

  add(client: string, { start, end }: Timing, record: OperationRecord): void {
    this.operations.push({ client, start, end, ...record });
  }

  get count(): number {
    return this.operations.length;
  }
}

export interface Timing {
  readonly start: Instant;
  readonly end: Instant;
}

/** Runs from its making to {@link stop}; see {@link Instant}. */
export class Stopwatch {
  readonly #start = Number(microseconds());

  stop(): Timing {
    return { start: this.#start, end: Number(microseconds()) + 1 };
  }
}

function microseconds(): bigint {
  return process.hrtime.bigint() / 1000n;
}
