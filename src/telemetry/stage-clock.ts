import { performance } from 'node:perf_hooks';

/**
 * The stages of a request, in their usual order, with what each is; docs/metrics.md has the same.
 * At every moment a request is in one of them, or in none: so their times are exclusive, and add up
 * to the whole with what is {@link UNATTRIBUTED}.
 */
export const STAGES = {
  parse: 'Reading the request line and headers.',
  wait: 'Waiting to be admitted.',
  auth: 'Verifying the signature.',
  authorise: 'Deciding whether the principal may do it, without waits for the backend.',
  route: 'Choosing the operation, and refusing headers that are not supported.',
  body_read: 'Waiting for bytes of the request body.',
  hash: 'Hashing and verifying the body, and unpacking its chunks.',
  backend_wait: 'Waiting for the backend.',
  render: "The operation's own work: conditions, headers, documents.",
  write: 'Writing the response, and waiting for the client to take it.',
  unattributed: 'What belongs to no stage, such as answering a failure.',
} as const;

export type Stage = keyof typeof STAGES;

export const UNATTRIBUTED = 'unattributed' satisfies Stage;

export const STAGE_NAMES = Object.keys(STAGES) as readonly Stage[];

/** Their numbers, by which the clock counts. */
export const STAGE = Object.fromEntries(
  STAGE_NAMES.map((name, index) => [name, index]),
) as Readonly<Record<Stage, number>>;

/** Whole numbers of this are what V8 keeps without allocating: up to 214 s of them. */
const TICKS_PER_MS = 10_000;

/** Goes with one request: which stage it is in, and how long it has been in each. */
export class StageClock {
  /** The time spent in each stage, in ticks. */
  readonly #spent = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
  #current = STAGE.parse;
  #since = 0;
  #waiting = 0;
  #beforeWait = STAGE.unattributed;
  #isOver = false;

  /** @param startedAt - `performance.now()` when the request began */
  constructor(
    private readonly startedAt: number,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** @returns the stage that it was in, to go back to */
  enter(stage: number, at = this.now()): number {
    if (this.#isOver) return stage;
    const now = Math.round((at - this.startedAt) * TICKS_PER_MS);
    const former = this.#current;
    this.#spent[former] = (this.#spent[former] ?? 0) + now - this.#since;
    this.#since = now;
    this.#current = stage;
    return former;
  }

  /** A call of the backend begins; of several at once the first one counts, and the last one's end. */
  waits(): void {
    this.#waiting += 1;
    if (this.#waiting === 1) this.#beforeWait = this.enter(STAGE.backend_wait);
  }

  goesOn(): void {
    this.#waiting -= 1;
    // The request may have continued already: not every call is awaited.
    if (this.#waiting === 0 && this.#current === STAGE.backend_wait) this.enter(this.#beforeWait);
  }

  /**
   * The request is over: whatever still goes on for it counts no more.
   * @param at - `performance.now()`
   */
  end(at: number): void {
    this.enter(STAGE.unattributed, at);
    this.#isOver = true;
  }

  /** Seconds that it has been in a stage, as far as it was left. */
  seconds(stage: number): number {
    return (this.#spent[stage] ?? 0) / (TICKS_PER_MS * 1000);
  }
}
