import { BackendError } from '../../errors.js';
import type { CallContext } from '../../backend.js';
import { abortable } from '../../../lib/cancellation.js';
import type { EndpointState } from './endpoint.js';
import type { FilledOptions } from './options.js';

/** A request that waits for a connection; the next one to be freed goes to it. */
class Waiter<Endpoint extends EndpointState> {
  endpoint: Endpoint | undefined;
  give!: (endpoint: Endpoint) => void;
  fail!: (error: Error) => void;
  readonly promise: Promise<Endpoint>;

  constructor(readonly avoid: readonly Endpoint[]) {
    this.promise = new Promise((resolve, reject) => {
      this.give = (endpoint) => {
        this.endpoint = endpoint;
        resolve(endpoint);
      };
      this.fail = reject;
    });
  }
}

/**
 * Which endpoint a request goes to: the one with the least to do among those that are well and do
 * not stand still. When none is well, the one that was given up on longest ago is tried all the same. When all have as many
 * requests as they may have, a bounded number wait for a bounded time.
 */
export class Endpoints<Endpoint extends EndpointState> {
  readonly #waiters = new Set<Waiter<Endpoint>>();
  /** The index at which the search begins, so that equal endpoints take turns. */
  #turn = 0;

  constructor(
    readonly all: readonly Endpoint[],
    private readonly options: Pick<FilledOptions, 'connectionsMax' | 'queueMax' | 'queueTimeoutMs'>,
    private readonly now: () => number = () => performance.now(),
  ) {}

  get waiting(): number {
    return this.#waiters.size;
  }

  get inFlight(): number {
    return this.all.reduce((sum, endpoint) => sum + endpoint.inFlight, 0);
  }

  /** Whether a well endpoint is left that is none of these. */
  hasOther(than: Endpoint | undefined, failed: readonly Endpoint[]): boolean {
    return this.all.some(
      (endpoint) => endpoint !== than && endpoint.health.well && !failed.includes(endpoint),
    );
  }

  /**
   * Takes one of an endpoint's connections, to be given back with `release`.
   * @param avoid those that just failed, taken only when no other is well
   * @throws BackendError Unavailable when there are none, and no room to wait, or not in time; the
   *   abort reason of the context's signal
   */
  acquire(
    avoid: readonly Endpoint[],
    context: CallContext | undefined,
  ): Endpoint | Promise<Endpoint> {
    const endpoint = this.#waiters.size === 0 ? this.#choose(avoid) : undefined;
    if (endpoint === undefined) return this.#wait(avoid, context);
    endpoint.inFlight += 1;
    return endpoint;
  }

  /**
   * Takes a connection of another endpoint, where one that is well and moves has one free.
   * @param mayTake is asked last
   * @returns undefined where there is none, or it may not be taken
   */
  acquireOther(than: readonly Endpoint[], mayTake: () => boolean): Endpoint | undefined {
    if (this.#waiters.size > 0) return undefined;
    const now = this.now();
    const others = this.all.filter(
      (endpoint) =>
        endpoint.health.well && !than.includes(endpoint) && !endpoint.running.standStill(now),
    );
    const endpoint = this.#leastLoaded(others);
    if (endpoint === undefined || !mayTake()) return undefined;
    endpoint.inFlight += 1;
    return endpoint;
  }

  /** Takes a connection of this one, free or not: for the little that is asked of it in particular. */
  take(endpoint: Endpoint): void {
    endpoint.inFlight += 1;
  }

  release(endpoint: Endpoint): void {
    endpoint.inFlight -= 1;
    this.serveWaiters();
  }

  /** Serves waiting requests. Call it when an endpoint is well again. */
  serveWaiters(): void {
    for (const waiter of this.#waiters) {
      const chosen = this.#choose(waiter.avoid);
      if (chosen === undefined) return;
      this.#waiters.delete(waiter);
      chosen.inFlight += 1;
      waiter.give(chosen);
    }
  }

  async #wait(avoid: readonly Endpoint[], context: CallContext | undefined): Promise<Endpoint> {
    const { queueMax, queueTimeoutMs } = this.options;
    if (this.#waiters.size >= queueMax) {
      throw new BackendError('Unavailable', `${queueMax} requests wait for Swift already`);
    }
    const waiter = new Waiter<Endpoint>(avoid);
    this.#waiters.add(waiter);
    const timer = setTimeout(() => {
      this.#waiters.delete(waiter);
      waiter.fail(new BackendError('Unavailable', `no connection in ${queueTimeoutMs} ms`));
    }, queueTimeoutMs);
    try {
      return await abortable(waiter.promise, context?.cancellation?.signal);
    } catch (error) {
      this.#waiters.delete(waiter);
      // An endpoint given at the same moment goes back: another request may use it.
      if (waiter.endpoint !== undefined) this.release(waiter.endpoint);
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  #choose(avoid: readonly Endpoint[]): Endpoint | undefined {
    const well = this.all.filter((endpoint) => endpoint.health.well);
    if (well.length === 0) return this.#longestEjected();
    const others = avoid.length === 0 ? well : well.filter((endpoint) => !avoid.includes(endpoint));
    return this.#leastLoaded(this.#moving(others.length === 0 ? well : others));
  }

  /**
   * One that stands still gets nothing more while another one moves: so it holds what it was given
   * within half a second, and no more.
   */
  #moving(endpoints: readonly Endpoint[]): readonly Endpoint[] {
    if (endpoints.length < 2) return endpoints;
    const now = this.now();
    const moving = endpoints.filter((endpoint) => !endpoint.running.standStill(now));
    return moving.length === 0 ? endpoints : moving;
  }

  #leastLoaded(endpoints: readonly Endpoint[]): Endpoint | undefined {
    let least: Endpoint | undefined;
    this.#turn += 1;
    for (let i = 0; i < endpoints.length; i++) {
      const endpoint = endpoints[(this.#turn + i) % endpoints.length];
      if (endpoint === undefined || endpoint.inFlight >= this.options.connectionsMax) continue;
      if (least === undefined || endpoint.inFlight < least.inFlight) least = endpoint;
    }
    return least;
  }

  #longestEjected(): Endpoint | undefined {
    let oldest: Endpoint | undefined;
    for (const endpoint of this.all) {
      if (endpoint.inFlight >= this.options.connectionsMax) continue;
      if (oldest === undefined || ejectedAt(endpoint) < ejectedAt(oldest)) oldest = endpoint;
    }
    return oldest;
  }
}

function ejectedAt(endpoint: EndpointState): number {
  return endpoint.health.ejectedAt ?? 0;
}
