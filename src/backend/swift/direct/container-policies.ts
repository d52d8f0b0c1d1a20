import type { Policies, Policy } from '../../../ring/policy.js';
import type { CallContext } from '../../backend.js';
import type { SwiftResponse, SwiftTransport } from '../transport.js';

/** As long as Swift's proxies believe it: `recheck_container_existence`. */
const KNOWN_MS = 60_000;
const CONTAINERS_MAX = 10_000;

interface Known {
  /** Undefined for one that swift.conf does not have. */
  readonly policy: Policy | undefined;
  readonly until: number;
}

/**
 * The policies of containers, as answers of proxies tell them. A container that was made anew with
 * another policy is noticed late, which is harmless: what is not found is asked of a proxy.
 */
export class ContainerPolicies {
  readonly #byName: ReadonlyMap<string, Policy>;
  readonly #known = new Map<string, Known>();
  readonly #asking = new Set<string>();

  constructor(
    policies: Policies,
    private readonly proxies: SwiftTransport,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.#byName = new Map(
      [...policies.values()].flatMap((policy) =>
        policy.names.map((name) => [name.toUpperCase(), policy] as const),
      ),
    );
  }

  /** At once; what is not known is asked for meanwhile. */
  get(context: CallContext, account: string, container: string): Policy | undefined {
    const name = `${account}/${container}`;
    const known = this.#known.get(name);
    if (known !== undefined && this.now() < known.until) return known.policy;
    if (!this.#asking.has(name)) void this.#ask(name, context, account, container);
    return undefined;
  }

  /** From the answer to a HEAD of a container. */
  learn(account: string, container: string, { status, headers }: SwiftResponse): void {
    const name = `${account}/${container}`;
    this.#known.delete(name);
    const policy = headers.get('x-storage-policy');
    if (status >= 300 || policy === undefined) return;
    this.#known.set(name, {
      policy: this.#byName.get(policy.toUpperCase()),
      until: this.now() + KNOWN_MS,
    });
    if (this.#known.size <= CONTAINERS_MAX) return;
    for (const oldest of this.#known.keys()) {
      this.#known.delete(oldest);
      return;
    }
  }

  /** Asks for all callers together, so that the cancellation of one does not end it. */
  async #ask(
    name: string,
    { requestId }: CallContext,
    account: string,
    container: string,
  ): Promise<void> {
    this.#asking.add(name);
    try {
      const context = { requestId };
      const response = await this.proxies.request({ context, method: 'HEAD', account, container });
      response.cancel();
      this.learn(account, container, response);
    } catch {
      // The read itself goes to a proxy, and fails as it does.
    } finally {
      this.#asking.delete(name);
    }
  }
}
