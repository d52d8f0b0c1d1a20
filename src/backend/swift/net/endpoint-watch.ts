import type { Endpoint } from './endpoint.js';
import type { TransportHooks } from './hooks.js';

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
