import { BoundedCache } from '../lib/bounded-cache.js';
import type { Credential } from '../s3/auth/principal.js';

export interface KnownUsersOptions {
  /** How long a secret that was given is gone by; 0 keeps none. */
  readonly cacheMs: number;
  /** How much longer, while the service cannot be asked. */
  readonly staleMs: number;
  /** Milliseconds that never go back. */
  readonly now: () => number;
}

/** A user whose secret the service has given. */
export interface KnownUser extends Credential {
  /** When the service vouched for the user last. */
  readonly learnedAt: number;
  /** When the service was asked about the user last. */
  readonly askedAt: number;
}

export interface UsableUser {
  readonly user: KnownUser;
  /** The user's time is over, and the service cannot be asked. */
  readonly isStale: boolean;
}

/** How many users go on during an outage, and for how long. */
export interface StaleUsers {
  readonly count: number;
  /** Milliseconds until the last of them is refused. */
  readonly leftMs: number;
}

/** Some 400 bytes each. */
const USERS_MAX = 10_000;
/** During an outage the service is asked this often, by the request of a known user. */
const RETRY_MS = 1_000;

/**
 * The users that a listener knows, and whether the service can be asked about them. During an outage
 * users whose time is over go on for a while (RFC 5861, `stale-if-error`).
 */
export class KnownUsers {
  readonly #users: BoundedCache<KnownUser>;
  #isOut = false;
  /** During an outage: no question before this. */
  #retryAt = -Infinity;

  constructor(private readonly options: KnownUsersOptions) {
    const { cacheMs, staleMs, now } = options;
    const lifeMs = cacheMs === 0 ? 0 : cacheMs + staleMs;
    this.#users = new BoundedCache({ weightMax: USERS_MAX, lifeMs, now });
  }

  get size(): number {
    return this.#users.size;
  }

  /** All of them; users whose time is over may be among them. */
  values(): Iterable<KnownUser> {
    return this.#users.values();
  }

  /** Also one whose time is over. */
  get(accessKey: string): KnownUser | undefined {
    return this.#users.get(accessKey);
  }

  /** @returns undefined when the service has to be asked first */
  usable(accessKey: string): UsableUser | undefined {
    const user = this.#users.get(accessKey);
    if (user === undefined) return undefined;
    if (!this.isOver(user)) return { user, isStale: false };
    const mayServe = this.#isOut && this.options.now() < this.#retryAt;
    return mayServe ? { user, isStale: true } : undefined;
  }

  learn(credential: Credential): KnownUser {
    const now = this.options.now();
    const user = { ...credential, learnedAt: now, askedAt: now };
    this.#users.set(credential.accessKey, user);
    return user;
  }

  forget(accessKey: string): void {
    this.#users.delete(accessKey);
  }

  /** The service was asked, and did not vouch for a signature; the user's time goes on. */
  asked(accessKey: string): void {
    const user = this.#users.get(accessKey);
    if (user === undefined) return;
    this.#users.replace(accessKey, { ...user, askedAt: this.options.now() });
  }

  /** Whether a user's time is over: who is known for longer counts during an outage alone. */
  isOver({ learnedAt }: KnownUser): boolean {
    return this.options.now() - learnedAt >= this.options.cacheMs;
  }

  /** The service did not answer: it is not asked about known users for a moment. */
  failed(): void {
    this.#isOut = true;
    this.#retryAt = this.options.now() + RETRY_MS;
  }

  answered(): void {
    this.#isOut = false;
  }

  /**
   * During an outage, one request at a time asks whether it is over, while others go on. The caller
   * has to say {@link failed} or {@link answered} afterwards.
   * @returns false when no outage is known
   */
  beginRetry(): boolean {
    if (!this.#isOut) return false;
    this.#retryAt = Infinity;
    return true;
  }

  /** Looks at all users. */
  get stale(): StaleUsers {
    const { cacheMs, staleMs, now } = this.options;
    const time = now();
    let [count, leftMs] = [0, 0];
    for (const { learnedAt } of this.#users.values()) {
      const left = learnedAt + cacheMs + staleMs - time;
      if (left <= 0) continue;
      count += 1;
      leftMs = Math.max(leftMs, left);
    }
    return { count, leftMs };
  }
}
