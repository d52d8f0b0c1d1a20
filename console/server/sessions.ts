import { setMaxListeners } from 'node:events';
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { RosterEntry } from '../config/keys.js';
import type { S3Account } from '../s3/s3-account.js';
import type { SwiftAccount } from '../swift/account.js';

/** The session of a user who is logged in. Key and token are in memory alone. */
export interface Session {
  /** Stands for the session in records: no secret, and does not lead to one. */
  readonly id: string;
  readonly user: RosterEntry;
  readonly store: SwiftAccount;
  /** The same user on the S3 API; undefined where the console knows none. */
  readonly s3: S3Account | undefined;
  /** The keys of the user's login, for other services of the same user; undefined with Keystone. */
  readonly keys: SessionKeys | undefined;
  /** The token that every request that changes something has to bring. */
  readonly csrf: string;
  readonly startedMs: number;
  /** The time of the user's last request; requests that a page sends by itself do not count. */
  lastUsedMs: number;
  /** Aborted when the session ends: streams of events and jobs hang on it. */
  readonly ended: AbortController;
}

/** Access keys that S3 may know the user by, and the key of the login; in memory alone. */
export interface SessionKeys {
  readonly accessKeys: readonly string[];
  readonly secretKey: string;
}

export interface SessionsOptions {
  readonly idleMs: number;
  readonly now: () => number;
}

const SESSIONS_MAX = 1000;
const SID_BYTES = 32;
const LISTENERS_MAX = 64;

/** The sessions of this process, found by the digest of what the cookie holds. */
export class Sessions {
  readonly #sessions = new Map<string, Session>();
  readonly #secret = randomBytes(32);
  #revocations = 0;

  constructor(private readonly options: SessionsOptions) {}

  /** @returns the session, and the value of its cookie, which is nowhere else */
  start(
    user: RosterEntry,
    store: SwiftAccount,
    s3?: S3Account,
    keys?: SessionKeys,
  ): { readonly sid: string; readonly session: Session } {
    this.sweep();
    if (this.#sessions.size >= SESSIONS_MAX) this.#endLeastUsed();
    const sid = randomBytes(SID_BYTES).toString('base64url');
    const nowMs = this.options.now();
    const ended = new AbortController();
    // Jobs and streams of events, which are bounded where they begin.
    setMaxListeners(LISTENERS_MAX, ended.signal);
    const session: Session = {
      id: digest(sid).slice(0, 12),
      user,
      store,
      s3,
      keys,
      csrf: createHmac('sha256', this.#secret).update(sid).digest('base64url'),
      startedMs: nowMs,
      lastUsedMs: nowMs,
      ended,
    };
    this.#sessions.set(digest(sid), session);
    return { sid, session };
  }

  /** @returns undefined when there is none, or it has expired */
  find(sid: string): Session | undefined {
    const key = digest(sid);
    const session = this.#sessions.get(key);
    if (session === undefined || !this.#isExpired(session)) return session;
    this.#end(key, session);
    return undefined;
  }

  /** The user did something. */
  touch(session: Session): void {
    session.lastUsedMs = this.options.now();
  }

  expiresMs(session: Session): number {
    return session.lastUsedMs + this.options.idleMs;
  }

  end(session: Session): void {
    for (const [key, one] of this.#sessions) if (one === session) this.#end(key, one);
  }

  endWhere(isOver: (session: Session) => boolean): void {
    for (const [key, session] of this.#sessions) if (isOver(session)) this.#end(key, session);
  }

  endAll(): void {
    this.endWhere(() => true);
  }

  /** The number of sessions; expired ones count until they are swept. */
  get count(): number {
    return this.#sessions.size;
  }

  /** Ends sessions whose users have lost, or changed, what they may do. */
  revokeWhere(isRevoked: (session: Session) => boolean): void {
    this.#revocations += 1;
    this.endWhere(isRevoked);
  }

  /** How often rights were taken away: a login that began before has to be checked again. */
  get revocations(): number {
    return this.#revocations;
  }

  /** Ends what has expired. */
  sweep(): void {
    this.endWhere((session) => this.#isExpired(session));
  }

  #isExpired(session: Session): boolean {
    return this.options.now() >= this.expiresMs(session);
  }

  #endLeastUsed(): void {
    const [least] = [...this.#sessions].sort(([, a], [, b]) => a.lastUsedMs - b.lastUsedMs);
    if (least !== undefined) this.#end(...least);
  }

  #end(key: string, session: Session): void {
    this.#sessions.delete(key);
    session.ended.abort();
  }
}

/** Compares in a time that says nothing of what is right. */
export function isCsrfToken(session: Session, given: unknown): boolean {
  if (typeof given !== 'string' || given.length !== session.csrf.length) return false;
  const a = createHash('sha256').update(given).digest();
  const b = createHash('sha256').update(session.csrf).digest();
  return timingSafeEqual(a, b);
}

function digest(sid: string): string {
  return createHash('sha256').update(sid).digest('hex');
}
