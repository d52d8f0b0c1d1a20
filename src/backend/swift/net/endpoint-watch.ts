import { TimeoutError } from '../../../lib/http-client/deadline.js';
import type { EndpointState } from './endpoint.js';
import { slowOnes } from './endpoint-health.js';
import type { FilledOptions } from './options.js';
import { AttemptError } from './retry-policy.js';

/** How often the watch looks for endpoints that stand still; that costs it no request. */
const TICK_MS = 250;
/** How long the reads of endpoints are gathered before they are compared. */
const COMPARE_MS = 5_000;

interface WatchDeps<Endpoint extends EndpointState> {
  readonly endpoints: readonly Endpoint[];
  /** Resolves when the endpoint answers its health check. */
  readonly probe: (endpoint: Endpoint) => Promise<void>;
  /** Is called when an endpoint is well again. */
  readonly restored: () => void;
  readonly options: Pick<FilledOptions, 'onEndpoint' | 'probeMs'>;
  readonly now?: (() => number) | undefined;
}

/**
 * Ejects endpoints that fail, stand still or are much slower than the others, and asks after them
 * until they are well. An endpoint of which nothing was heard, be it idle or hung, is asked for its
 * health check; one that does not answer that either is ejected, and what can be sent elsewhere is
 * taken back from it.
 */
export class EndpointWatch<Endpoint extends EndpointState> {
  readonly #timers = new Map<Endpoint, NodeJS.Timeout>();
  readonly #asked = new Set<Endpoint>();
  readonly #ticks: NodeJS.Timeout | undefined;
  readonly #now: () => number;
  #comparedAt: number;
  #closed = false;

  constructor(private readonly deps: WatchDeps<Endpoint>) {
    this.#now = deps.now ?? (() => performance.now());
    this.#comparedAt = this.#now();
    // Where there is only one, it is asked whether it is well or not.
    if (deps.endpoints.length < 2) return;
    this.#ticks = setInterval(() => {
      this.tick();
    }, TICK_MS);
    this.#ticks.unref();
  }

  failed(endpoint: Endpoint, reason: string): void {
    if (this.#closed || !endpoint.health.failed(this.#now())) return;
    this.#out(endpoint, reason);
  }

  answered(endpoint: Endpoint): void {
    if (endpoint.health.answered()) this.#back(endpoint, 'it answers requests');
  }

  /** Looks for endpoints that stand still, are idle, or are slow. */
  tick(): void {
    const now = this.#now();
    for (const endpoint of this.deps.endpoints) {
      if (!endpoint.health.well || this.#asked.has(endpoint)) continue;
      const { running } = endpoint;
      const isIdle = now - running.heardAt > this.deps.options.probeMs;
      if (isIdle || running.standStill(now)) void this.#look(endpoint, now);
    }
    if (now - this.#comparedAt < COMPARE_MS) return;
    this.#comparedAt = now;
    this.#compare(now);
  }

  close(): void {
    this.#closed = true;
    clearInterval(this.#ticks);
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
  }

  /** Asks one that is taken for well whether it is. */
  async #look(endpoint: Endpoint, askedAt: number): Promise<void> {
    this.#asked.add(endpoint);
    try {
      await this.deps.probe(endpoint);
      endpoint.running.heard(this.#now());
    } catch (error) {
      if (this.#closed || !endpoint.health.well) return;
      const standsStill = isLate(error);
      // It is busy, and answers others meanwhile.
      if (standsStill && endpoint.running.heardAt >= askedAt) return;
      endpoint.health.probeFailed(this.#now());
      const reason = error instanceof Error ? error.message : String(error);
      this.#out(endpoint, standsStill ? `it stands still: ${reason}` : reason);
      if (standsStill) this.#takeBack(endpoint);
    } finally {
      this.#asked.delete(endpoint);
    }
  }

  /** Requests that wait for an endpoint that stands still go to another one, if there is one. */
  #takeBack(endpoint: Endpoint): void {
    if (!this.#hasOther(endpoint)) return;
    endpoint.running.takeBack(new TimeoutError('the endpoint does not answer'));
  }

  /** The last one is not ejected, however slow it is. */
  #compare(now: number): void {
    const well = this.deps.endpoints.filter(({ health }) => health.well);
    const slow = slowOnes(well.map(({ health }) => health.latencies));
    well.forEach((endpoint, index) => {
      endpoint.health.latencies.clear();
      if (slow[index] === false) endpoint.health.keptUp();
      if (slow[index] !== true || !this.#hasOther(endpoint)) return;
      endpoint.health.slow(now);
      this.#out(endpoint, 'it takes several times as long as the others');
    });
  }

  #hasOther(endpoint: Endpoint): boolean {
    return this.deps.endpoints.some((other) => other !== endpoint && other.health.well);
  }

  #out(endpoint: Endpoint, reason: string): void {
    this.deps.options.onEndpoint?.(endpoint.name, false, reason);
    this.#schedule(endpoint);
  }

  #schedule(endpoint: Endpoint): void {
    if (this.#closed) return;
    const timer = setTimeout(() => {
      void this.#ask(endpoint);
    }, endpoint.health.ejectedForMs);
    timer.unref();
    this.#timers.set(endpoint, timer);
  }

  async #ask(endpoint: Endpoint): Promise<void> {
    const askedAt = this.#now();
    try {
      await this.deps.probe(endpoint);
    } catch (error) {
      // An answer to a request may have come meanwhile.
      if (endpoint.health.well) return;
      endpoint.health.probeFailed(this.#now());
      this.#schedule(endpoint);
      // When it was ejected, the others may have been out as well.
      if (isLate(error) && endpoint.running.heardAt < askedAt) this.#takeBack(endpoint);
      return;
    }
    if (endpoint.health.well) return;
    endpoint.running.heard(this.#now());
    endpoint.health.probed();
    this.#back(endpoint, 'it answers the health check');
  }

  #back(endpoint: Endpoint, reason: string): void {
    clearTimeout(this.#timers.get(endpoint));
    this.#timers.delete(endpoint);
    // Requests taken back from it count as slow, and say nothing of how it is now.
    endpoint.health.latencies.clear();
    this.deps.options.onEndpoint?.(endpoint.name, true, reason);
    this.deps.restored();
  }
}

/** Whether an endpoint took a probe and did not answer it in time. */
function isLate(error: unknown): boolean {
  return error instanceof AttemptError && error.kind === 'timeout';
}
