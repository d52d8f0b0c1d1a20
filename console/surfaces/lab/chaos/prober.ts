import { setTimeout as delay } from 'node:timers/promises';
import {
  History,
  type HistoryVerdict,
  type ProbeGet,
  type ProbeOutcome,
  type ProbePut,
} from './history.js';
import { errorRate } from './rules.js';
import { summaryOf, type ProbeSummary, type ProbeTime } from './score.js';

/** Where probes write and read. */
export interface ProbeStore {
  /** @returns the status of the answer; null where none came */
  put(key: string, body: Buffer): Promise<number | null>;
  get(key: string): Promise<{ readonly status: number | null; readonly body: Buffer | null }>;
}

/** A probe in the list of the latest. */
export interface ProbeLine {
  /** Seconds since the run began. */
  readonly t_s: number;
  readonly op: 'put' | 'get';
  readonly key: string;
  readonly status: number | null;
  readonly ms: number;
  readonly is_ok: boolean;
}

/** The probes of one second, for the chart. */
export interface ProbeSecond {
  readonly t_s: number;
  readonly ok: number;
  readonly failed: number;
  /** The slowest that succeeded; null where none did. */
  readonly max_ms: number | null;
}

export interface ProbeView {
  readonly history: HistoryVerdict;
  readonly puts_acknowledged: number;
  readonly latest: readonly ProbeLine[];
  readonly seconds: readonly ProbeSecond[];
}

/** Probes a second: a steady stream that no cluster notices. */
const EVERY_MS = 125;
const KEYS = Array.from({ length: 8 }, (_, index) => `probe-${index}`);
/** A paused server holds each request for ten seconds. */
const IN_FLIGHT_MAX = 24;
const QUIET_MS = 3000;
const LATEST_KEPT = 40;
export const PROBE_BYTES = 1024;

/**
 * Writes and reads a few objects all the time, and keeps what was answered. Each body says which
 * write of which object it is, from its first byte to its last, so that a wrong byte is noticed.
 */
export class Prober {
  readonly #history = new History();
  readonly #times: ProbeTime[] = [];
  readonly #latest: ProbeLine[] = [];
  readonly #seconds = new Map<number, { ok: number; failed: number; max_ms: number | null }>();
  readonly #versions = new Map<string, number>();
  readonly #writing = new Set<string>();
  readonly #pending = new Set<Promise<void>>();
  readonly #end = new AbortController();
  #turn = 0;
  #isQuiet = false;
  #acknowledged = 0;
  #running: Promise<void> | undefined;

  /**
   * @param run - what makes the bodies of a run its own
   * @param nowMs - milliseconds since the run began, by a clock that does not jump
   */
  constructor(
    private readonly run: string,
    private readonly store: ProbeStore,
    private readonly nowMs: () => number,
  ) {}

  /** Writes each object once, and begins to probe. */
  async begin(): Promise<void> {
    await Promise.all(KEYS.map((key) => this.#put(key)));
    this.#running = this.#go();
  }

  /**
   * Sends nothing until {@link goOn}, so that what is counted belongs to what was sent. Ends when all
   * has been answered, or after some seconds: a server that stands still keeps its requests.
   */
  async quiet(): Promise<void> {
    this.#isQuiet = true;
    const { signal } = this.#end;
    const late = delay(QUIET_MS, undefined, { signal, ref: false }).catch(() => undefined);
    await Promise.race([Promise.all(this.#pending), late]);
  }

  goOn(): void {
    this.#isQuiet = false;
  }

  /** Ends when all that was sent has been answered. */
  async finish(): Promise<void> {
    this.#end.abort();
    await this.#running;
    await Promise.all(this.#pending);
  }

  /** Reads each object once more. @returns sentences about those that are not what was written last */
  async lastLook(): Promise<string[]> {
    const problems = await Promise.all(
      KEYS.map(async (key) => {
        const newest = this.#history.newestAcknowledged(key);
        const { found } = await this.#get(key);
        // An object of which no write was acknowledged need not be there.
        if (found === 'nothing' && newest === 0) return [];
        if (typeof found === 'number' && found >= newest) return [];
        if (found === null) return [`${key} could not be read once more.`];
        if (found === 'foreign') return [`${key} has bytes that nobody wrote.`];
        const what = found === 'nothing' ? 'not there' : `write ${found}`;
        return [`${key} should be write ${newest}, and is ${what}.`];
      }),
    );
    return problems.flat();
  }

  /** Probes that ended between two moments. */
  summary(fromMs: number, toMs: number): ProbeSummary {
    return summaryOf(this.#times.filter(({ end_ms: end }) => end >= fromMs && end < toMs));
  }

  get errorRate(): number | null {
    return errorRate(this.#times, this.nowMs());
  }

  get wrongReads(): number {
    return this.#history.verdict.wrong;
  }

  /** The latest probe that failed between two moments, for a message. */
  failureSince(fromMs: number): ProbeLine | undefined {
    return this.#latest.findLast(({ is_ok: isOk, t_s: at }) => !isOk && 1000 * at >= fromMs);
  }

  get acknowledged(): number {
    return this.#acknowledged;
  }

  /** The names of the objects. */
  get keys(): readonly string[] {
    return KEYS;
  }

  get view(): ProbeView {
    return {
      history: this.#history.verdict,
      puts_acknowledged: this.#acknowledged,
      latest: [...this.#latest].reverse(),
      seconds: [...this.#seconds].map(([t_s, second]) => ({ t_s, ...second })),
    };
  }

  async #go(): Promise<void> {
    const { signal } = this.#end;
    while (!signal.aborted) {
      if (!this.#isQuiet && this.#pending.size < IN_FLIGHT_MAX) this.#start();
      await delay(EVERY_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Writes and reads by turns; a key whose write is not answered yet is read in its turn. */
  #start(): void {
    const turn = this.#turn++;
    const key = KEYS[(turn >> 1) % KEYS.length] ?? '';
    const writes = turn % 2 === 0 && !this.#writing.has(key);
    const probe: Promise<void> = (writes ? this.#put(key) : this.#get(key)).then(() => {
      this.#pending.delete(probe);
    });
    this.#pending.add(probe);
  }

  async #put(key: string): Promise<void> {
    this.#writing.add(key);
    const version = (this.#versions.get(key) ?? 0) + 1;
    this.#versions.set(key, version);
    const startMs = this.nowMs();
    this.#history.putBegins(key, version, startMs);
    const status = await this.store.put(key, bodyOf(this.run, key, version));
    const endMs = this.nowMs();
    const outcome = putOutcome(status);
    const put: ProbePut = {
      ...{ op: 'put', key, version, status, outcome },
      ...{ start_ms: startMs, end_ms: endMs },
    };
    this.#history.putEnded(put);
    this.#writing.delete(key);
    if (outcome === 'ok') this.#acknowledged += 1;
    this.#keep(put, outcome === 'ok');
  }

  async #get(key: string): Promise<ProbeGet> {
    const startMs = this.nowMs();
    const { status, body } = await this.store.get(key);
    const get: ProbeGet = {
      ...{ op: 'get', key, status, start_ms: startMs, end_ms: this.nowMs() },
      outcome: (status === 200 && body !== null) || status === 404 ? 'ok' : 'unknown',
      found: status === 404 ? 'nothing' : body === null ? null : this.#versionOf(key, body),
    };
    const verdict = this.#history.judge(get);
    this.#keep(get, verdict === 'ok' || verdict === 'stale');
    return get;
  }

  #versionOf(key: string, body: Buffer): number | 'foreign' {
    const [, run, of, number] =
      /^lab (\S+) (\S+) (\d+);/.exec(body.toString('latin1', 0, 128)) ?? [];
    const version = Number(number);
    if (run !== this.run || of !== key) return 'foreign';
    return body.equals(bodyOf(this.run, key, version)) ? version : 'foreign';
  }

  #keep({ op, key, status, start_ms, end_ms }: ProbePut | ProbeGet, isOk: boolean): void {
    const ms = end_ms - start_ms;
    this.#times.push({ end_ms, ms, isOk });
    this.#latest.push({ t_s: end_ms / 1000, op, key, status, ms, is_ok: isOk });
    if (this.#latest.length > LATEST_KEPT) this.#latest.shift();
    const at = Math.floor(end_ms / 1000);
    const second = this.#seconds.get(at) ?? { ok: 0, failed: 0, max_ms: null };
    if (isOk) {
      second.ok += 1;
      second.max_ms = Math.max(second.max_ms ?? 0, ms);
    } else second.failed += 1;
    this.#seconds.set(at, second);
  }
}

/** The bytes of a write: its name, again and again. */
export function bodyOf(run: string, key: string, version: number): Buffer {
  return Buffer.alloc(PROBE_BYTES, `lab ${run} ${key} ${version};`, 'latin1');
}

/** A failure of a server leaves open whether the write is there, or comes later. */
function putOutcome(status: number | null): ProbeOutcome {
  if (status === 201) return 'ok';
  return status !== null && status >= 400 && status < 500 && status !== 408 && status !== 499
    ? 'refused'
    : 'unknown';
}
