import { messageOf } from '../lib/error-message.js';
import {
  type ClockHealth,
  type ClockState,
  isWithin,
  offByAtMostMs,
  type ClockReading,
  type ClockSource,
} from './reading.js';

/** Milliseconds; tests put their own in its place. */
export interface Times {
  /** Since the epoch: the clock that is watched. */
  wall(): number;
  /** Milliseconds of a clock that is never set. */
  monotonic(): number;
}

export interface ClockMonitorOptions {
  /** More than 0. */
  readonly maxOffsetMs: number;
  /** Asked in this order until one answers, be it that nothing keeps the clock right. */
  readonly sources: readonly ClockSource[];
  /** Asked as well: it can contradict them, and stand in where none of them answers. */
  readonly peer?: ClockSource | undefined;
  readonly times?: Times | undefined;
  /** Called when a check finds another state than the one before, with the reason. */
  readonly onChange?: ((state: ClockState, why: string) => void) | undefined;
}

interface Verdict {
  readonly healthy: boolean;
  /** The reason, for people. */
  readonly why: string;
}

interface Look extends Verdict {
  /** When it began: of the clock that is never set. */
  readonly at: number;
  /** How far the two clocks were apart then; a step of the watched one shows in it at once. */
  readonly apart: number;
}

/** Three looks that failed to come in time. */
const AGE_MS_MAX = 30_000;
const INTERVAL_MS = 10_000;

const SYSTEM_TIMES: Times = { wall: () => Date.now(), monotonic: () => performance.now() };

/**
 * Checks the clock in the background, and answers from the last check while it is recent and the
 * clock was not set since.
 */
export class ClockMonitor implements ClockHealth {
  readonly #options: ClockMonitorOptions;
  readonly #times: Times;
  #last: Look | undefined;
  #announced: ClockState | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: ClockMonitorOptions) {
    this.#options = options;
    this.#times = options.times ?? SYSTEM_TIMES;
  }

  state(): ClockState {
    return this.#judge().healthy ? 'healthy' : 'unhealthy';
  }

  describe(): string {
    return this.#judge().why;
  }

  /** Looks now and then, without keeping the process alive. */
  start(): void {
    let busy = false;
    this.#timer = setInterval(() => {
      if (busy) return;
      busy = true;
      void this.look().finally(() => (busy = false));
    }, INTERVAL_MS).unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** Looks once; never rejects. */
  async look(): Promise<void> {
    const at = this.#times.monotonic();
    const apart = this.#times.wall() - at;
    const verdict = await this.#ask();
    this.#last = { ...verdict, at, apart };
    const state = this.state();
    if (state === this.#announced) return;
    this.#announced = state;
    this.#options.onChange?.(state, this.describe());
  }

  #judge(): Verdict {
    const last = this.#last;
    if (last === undefined) return { healthy: false, why: 'not looked at yet' };
    const now = this.#times.monotonic();
    const ageMs = now - last.at;
    if (ageMs > AGE_MS_MAX) {
      return { healthy: false, why: `last looked at ${(ageMs / 1000).toFixed(0)} s ago` };
    }
    const stepMs = this.#times.wall() - now - last.apart;
    if (Math.abs(stepMs) > this.#options.maxOffsetMs) {
      return { healthy: false, why: `set by ${formatMs(stepMs)} since it was looked at` };
    }
    return last;
  }

  async #ask(): Promise<Verdict> {
    const { maxOffsetMs, sources, peer } = this.#options;
    const [node, other] = await Promise.all([askInTurn(sources), askInTurn(peer ? [peer] : [])]);
    const readings = [node.reading, other.reading].filter((reading) => reading !== undefined);
    const said = [...node.said, ...other.said].join('; ');
    const why = said === '' ? 'no source to ask' : said;
    return { healthy: isWithin(readings, maxOffsetMs), why };
  }
}

interface Answer {
  /** The reading of the first source that gave one. */
  readonly reading?: ClockReading;
  /** The answers of all sources that were asked. */
  readonly said: readonly string[];
}

async function askInTurn(sources: readonly ClockSource[]): Promise<Answer> {
  const said: string[] = [];
  for (const source of sources) {
    try {
      const reading = await source.read();
      return { reading, said: [...said, `${source.name}: ${describe(reading)}`] };
    } catch (error) {
      said.push(`${source.name}: ${messageOf(error)}`);
    }
  }
  return { said };
}

function describe(reading: ClockReading): string {
  const mostMs = offByAtMostMs(reading);
  return Number.isFinite(mostMs) ? `off by at most ${formatMs(mostMs)}` : 'not synchronised';
}

function formatMs(ms: number): string {
  return `${ms.toFixed(3)} ms`;
}
