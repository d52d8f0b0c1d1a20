import type { SwiftAccount } from '../../swift/account.js';
import type { StoreInfoCache } from '../../swift/info.js';
import { versioningOf } from './versioning.js';

/** Half of what Swift's own proxies remember of a container (`recheck_container_existence`). */
const FRESH_MS = 30_000;
const KNOWN_MAX = 1000;

interface Known {
  readonly mayKeep: boolean;
  readonly atMs: number;
}

/**
 * The containers whose versions the store keeps. There a refused PUT with `If-None-Match: *` leaves
 * its body behind as a version, so the writer has to check first; elsewhere the PUT is enough.
 */
export class VersionKeepers {
  readonly #known = new Map<string, Known>();

  constructor(
    private readonly info: StoreInfoCache,
    private readonly now: () => number,
  ) {}

  /**
   * @returns true also if it is unknown; changes by other clients show after 30 seconds
   * @throws UpstreamError; SwiftStatusError
   */
  async mayKeep(store: SwiftAccount, container: string): Promise<boolean> {
    const { hasObjectVersioning, hasArchiveVersioning } = await this.info.get();
    if (!hasObjectVersioning && !hasArchiveVersioning) return false;
    const key = keyOf(store, container);
    const known = this.#known.get(key);
    if (known !== undefined && this.now() - known.atMs < FRESH_MS) return known.mayKeep;
    const atMs = this.now();
    const { status, headers } = await store.do([200, 204, 403, 404], 'HEAD', { container });
    const mayKeep = status >= 300 || versioningOf(headers).active;
    this.#known.delete(key);
    if (this.#known.size >= KNOWN_MAX) this.#forgetOldest();
    this.#known.set(key, { mayKeep, atMs });
    return mayKeep;
  }

  /** The known state of a container may have changed. */
  forget(store: SwiftAccount, container: string): void {
    this.#known.delete(keyOf(store, container));
  }

  #forgetOldest(): void {
    const [oldest] = this.#known.keys();
    if (oldest !== undefined) this.#known.delete(oldest);
  }
}

/** The key for all users of an account; names of containers have no slash. */
function keyOf(store: SwiftAccount, container: string): string {
  return `${store.name}/${container}`;
}
