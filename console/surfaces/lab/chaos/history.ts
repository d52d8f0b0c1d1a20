/**
 * The requests of a client and their answers while a fault was held, and whether a store may answer
 * so. Each key has one writer, which waits for its answers; any number of readers look at it
 * meanwhile.
 */

/**
 * - `ok`: it answered as it should
 * - `refused`: the answer says that nothing was done
 * - `unknown`: no answer came, or one that leaves open whether it was done
 */
export type ProbeOutcome = 'ok' | 'refused' | 'unknown';

interface Recorded {
  readonly key: string;
  /** Milliseconds since the run began, by a clock that does not jump. */
  readonly start_ms: number;
  readonly end_ms: number;
  /** Null where no answer came. */
  readonly status: number | null;
  readonly outcome: ProbeOutcome;
}

export interface ProbePut extends Recorded {
  readonly op: 'put';
  /** The number of the write to its key: 1, 2, … */
  readonly version: number;
}

export interface ProbeGet extends Recorded {
  readonly op: 'get';
  /**
   * Which write's bytes were read, all of them; `nothing` for a 404; `foreign` for bytes that no
   * write of this key has: half a body, another key's, or changed ones.
   */
  readonly found: number | 'nothing' | 'foreign' | null;
}

/**
 * - `ok`: the newest that was acknowledged, or one after it
 * - `stale`: an older one. Swift allows it: any one server that has an object answers, also one that
 *   was away
 * - `lost`: nothing, though a write was acknowledged
 * - `wrong`: bytes that no client wrote, that were refused, or that were not yet sent
 */
export type ReadVerdict = 'ok' | 'stale' | 'lost' | 'wrong';

export interface HistoryVerdict {
  readonly reads: number;
  readonly stale: number;
  readonly lost: number;
  readonly wrong: number;
  /** The first of each kind, as sentences. */
  readonly problems: readonly string[];
}

const PROBLEMS_MAX = 10;

/** Judges reads as they end; it keeps what was written, and not what was read. */
export class History {
  readonly #keys = new Map<string, KeyHistory>();
  readonly #problems: string[] = [];
  #reads = 0;
  readonly #counts = { stale: 0, lost: 0, wrong: 0 };

  /** A write that begins now; its end is told with {@link putEnded}. */
  putBegins(key: string, version: number, startMs: number): void {
    this.#key(key).begun.set(version, startMs);
  }

  putEnded({ key, version, outcome, end_ms: endMs }: ProbePut): void {
    const known = this.#key(key);
    if (outcome === 'ok') known.acknowledged.push({ version, atMs: endMs });
    if (outcome === 'refused') known.refused.add(version);
    known.forgetOld();
  }

  /** @returns what the answer of a read means; undefined where there was none */
  judge(read: ProbeGet): ReadVerdict | undefined {
    if (read.outcome !== 'ok' || read.found === null) return undefined;
    const verdict = this.#verdictOf(read);
    this.#reads += 1;
    if (verdict !== 'ok') {
      this.#counts[verdict] += 1;
      if (this.#problems.length < PROBLEMS_MAX) this.#problems.push(sentenceOf(read, verdict));
    }
    return verdict;
  }

  /** The write whose bytes a read has to give at least that begins now; 0: none was acknowledged. */
  newestAcknowledged(key: string): number {
    return this.#key(key).newestBefore(Infinity);
  }

  get verdict(): HistoryVerdict {
    return { reads: this.#reads, ...this.#counts, problems: this.#problems };
  }

  #verdictOf({ key, found, start_ms: startMs, end_ms: endMs }: ProbeGet): ReadVerdict {
    const known = this.#key(key);
    const newest = known.newestBefore(startMs);
    if (found === 'nothing') return newest === 0 ? 'ok' : 'lost';
    if (typeof found !== 'number') return 'wrong';
    const begun = known.begun.get(found);
    // A forgotten write was acknowledged long ago, and written over since.
    if (begun === undefined) return found < newest && found > 0 ? 'stale' : 'wrong';
    if (begun > endMs || known.refused.has(found)) return 'wrong';
    return found < newest ? 'stale' : 'ok';
  }

  #key(key: string): KeyHistory {
    let known = this.#keys.get(key);
    if (known === undefined) {
      known = new KeyHistory();
      this.#keys.set(key, known);
    }
    return known;
  }
}

/** Writes that can still matter to a read under way: a read lasts seconds, and not a thousand writes. */
const WRITES_KEPT = 1000;

class KeyHistory {
  readonly begun = new Map<number, number>();
  readonly refused = new Set<number>();
  readonly acknowledged: { readonly version: number; readonly atMs: number }[] = [];

  /** The newest version that was acknowledged before a moment; 0 for none. */
  newestBefore(ms: number): number {
    return this.acknowledged.findLast(({ atMs }) => atMs < ms)?.version ?? 0;
  }

  forgetOld(): void {
    if (this.begun.size <= WRITES_KEPT) return;
    const [oldest] = this.begun.keys();
    if (oldest === undefined) return;
    this.begun.delete(oldest);
    this.refused.delete(oldest);
    // One stays, so that an acknowledged write is never forgotten to have been.
    if (this.acknowledged.length > WRITES_KEPT) this.acknowledged.shift();
  }
}

function sentenceOf({ key, found, start_ms: startMs }: ProbeGet, verdict: ReadVerdict): string {
  const at = `${(startMs / 1000).toFixed(1)} s`;
  if (verdict === 'lost') return `${at}: ${key} was not found after an acknowledged write.`;
  if (verdict === 'stale')
    return `${at}: ${key} returned write ${found}, older than the acknowledged write.`;
  return found === 'foreign'
    ? `${at}: ${key} returned data that was never written.`
    : `${at}: ${key} returned write ${found}, which is impossible.`;
}
