import type { Endpoint } from './endpoint.js';
import type { TransportHooks } from './options.js';

interface Trust {
  /** When it was looked at last, by a clock that never jumps; undefined: it has to be. */
  at: number | undefined;
  pending: Promise<void> | undefined;
}

/**
 * Makes sure that every proxy has the filter when one of them has: another would store the footers
 * of a body as a part of it, and drop what protects it. So a proxy that was out of reach, and may
 * have returned with another pipeline, is checked before it gets a request, and all proxies are
 * checked now and then.
 */
export class EndpointTrust {
  readonly #trusts = new Map<Endpoint, Trust>();

  /** @param check rejects with why the endpoint is not to be used */
  constructor(
    private readonly check: (endpoint: Endpoint) => Promise<void>,
    private readonly freshMs: number,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /**
   * @returns undefined when it may be used at once
   * @throws what the check rejects with
   */
  ensure(endpoint: Endpoint): Promise<void> | undefined {
    const trust = this.#of(endpoint);
    if (trust.at === undefined) return this.#look(endpoint, trust);
    if (this.now() - trust.at > this.freshMs) {
      // Beside the requests: `ensure` says what came of it the next time.
      this.#look(endpoint, trust).catch(() => undefined);
    }
    return undefined;
  }

  /** It was found to be as it should. */
  confirm(endpoint: Endpoint): void {
    this.#of(endpoint).at = this.now();
  }

  /** It was out of reach. */
  doubt(endpoint: Endpoint): void {
    this.#of(endpoint).at = undefined;
  }

  #of(endpoint: Endpoint): Trust {
    let trust = this.#trusts.get(endpoint);
    if (trust === undefined) {
      trust = { at: undefined, pending: undefined };
      this.#trusts.set(endpoint, trust);
    }
    return trust;
  }

  #look(endpoint: Endpoint, trust: Trust): Promise<void> {
    trust.pending ??= this.check(endpoint).then(
      () => {
        trust.pending = undefined;
        trust.at = this.now();
      },
      (error: unknown) => {
        trust.pending = undefined;
        trust.at = undefined;
        throw error;
      },
    );
    return trust.pending;
  }
}

/** Ejects endpoints that fail, and asks after them until they are well. */
export class EndpointWatch {
  readonly #timers = new Map<Endpoint, NodeJS.Timeout>();
  #closed = false;

  /**
   * @param probe resolves when the endpoint answers
   * @param restored is called when an endpoint is well again
   */
  constructor(
    private readonly probe: (endpoint: Endpoint) => Promise<void>,
    private readonly restored: () => void,
    private readonly hooks: TransportHooks,
    private readonly now: () => number = () => performance.now(),
  ) {}

  failed(endpoint: Endpoint, reason: string): void {
    if (this.#closed || !endpoint.health.failed(this.now())) return;
    this.hooks.onEndpoint?.(endpoint.name, false, reason);
    this.#schedule(endpoint);
  }

  answered(endpoint: Endpoint): void {
    if (endpoint.health.answered()) this.#back(endpoint, 'it answers requests');
  }

  close(): void {
    this.#closed = true;
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
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
    try {
      await this.probe(endpoint);
    } catch {
      // An answer to a request may have come meanwhile.
      if (endpoint.health.well) return;
      endpoint.health.probeFailed(this.now());
      this.#schedule(endpoint);
      return;
    }
    if (endpoint.health.well) return;
    endpoint.health.probed();
    this.#back(endpoint, 'it answers the health check');
  }

  #back(endpoint: Endpoint, reason: string): void {
    clearTimeout(this.#timers.get(endpoint));
    this.#timers.delete(endpoint);
    this.hooks.onEndpoint?.(endpoint.name, true, reason);
    this.restored();
  }
}
