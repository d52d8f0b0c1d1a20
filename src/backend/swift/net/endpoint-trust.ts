import type { Endpoint } from './endpoint.js';

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
