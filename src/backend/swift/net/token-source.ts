import { BackendError } from '../../errors.js';
import type { SwiftCredential } from './options.js';

export interface Token {
  readonly value: string;
  /** Of `performance.now()`, like all times here. */
  readonly madeAt: number;
  readonly refreshAt: number;
  readonly expiresAt: number;
  /** Swift has taken it. */
  proven: boolean;
}

export interface IssuedToken {
  readonly value: string;
  /** Undefined when the answer does not say. */
  readonly lifetimeMs: number | undefined;
}

/** @throws BackendError Unavailable, Timeout */
export type Login = (credential: SwiftCredential) => Promise<IssuedToken>;

/** One of a user whose password is wrong is not asked for again at once. */
const REFUSED_MS = 5_000;
/** Swift could not be asked: soon again, but not by everybody. */
const FAILED_MS = 250;
/**
 * A token that is refused although it is new: memcached may not be well. No new one is asked for in
 * this time, since it would be refused too.
 */
const NEW_MS = 1_000;
/** Where the answer does not say; tempauth's and Keystone's defaults are a day and an hour. */
const LIFETIME_MS = 3_600_000;
/** This long before its end a token is renewed, or after nine tenths of its life if that is later. */
const MARGIN_MS = 60_000;
const USERS_MAX = 10_000;

interface UserState {
  readonly key: string;
  token: Token | undefined;
  /** One login at a time. */
  pending: Promise<Token> | undefined;
  failure: { readonly error: Error; readonly until: number } | undefined;
}

/** Logs users in once and keeps their tokens. */
export class TokenSource {
  readonly #users = new Map<string, UserState>();

  constructor(
    private readonly login: Login,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** @throws BackendError Unavailable, Timeout */
  token(credential: SwiftCredential): Token | Promise<Token> {
    const state = this.#state(credential);
    const { token } = state;
    const now = this.now();
    if (token === undefined || token.expiresAt <= now) return this.#renew(state, credential);
    if (token.refreshAt <= now && state.pending === undefined) this.#refresh(state, credential);
    return token;
  }

  /** A token was answered 401: another one is got, unless this one is new. */
  refused(credential: SwiftCredential, token: Token): void {
    const state = this.#state(credential);
    if (state.token !== token) return;
    if (token.proven || this.now() - token.madeAt > NEW_MS) state.token = undefined;
  }

  #state({ user, key }: SwiftCredential): UserState {
    const known = this.#users.get(user);
    if (known?.key === key) return known;
    const state: UserState = { key, token: undefined, pending: undefined, failure: undefined };
    if (known === undefined && this.#users.size >= USERS_MAX) this.#forgetOldest();
    this.#users.set(user, state);
    return state;
  }

  #forgetOldest(): void {
    for (const user of this.#users.keys()) {
      this.#users.delete(user);
      return;
    }
  }

  #renew(state: UserState, credential: SwiftCredential): Promise<Token> {
    if (state.pending !== undefined) return state.pending;
    const { failure } = state;
    if (failure !== undefined && failure.until > this.now()) return Promise.reject(failure.error);
    const pending = this.#logIn(state, credential).finally(() => {
      state.pending = undefined;
    });
    state.pending = pending;
    return pending;
  }

  /** Beside the requests, which have a token that is still good. */
  #refresh(state: UserState, credential: SwiftCredential): void {
    this.#renew(state, credential).catch(() => undefined);
  }

  async #logIn(state: UserState, credential: SwiftCredential): Promise<Token> {
    try {
      const { value, lifetimeMs = LIFETIME_MS } = await this.login(credential);
      const madeAt = this.now();
      // tempauth gives the same token until it has expired: then there is nothing to renew early.
      const same = state.token?.value === value;
      const marginMs = same ? 0 : Math.min(MARGIN_MS, lifetimeMs / 10);
      const expiresAt = madeAt + lifetimeMs;
      const proven = same && state.token?.proven === true;
      state.token = { value, madeAt, refreshAt: expiresAt - marginMs, expiresAt, proven };
      state.failure = undefined;
      return state.token;
    } catch (error) {
      const cause = error instanceof Error ? error : new Error(String(error));
      const forMs = cause instanceof LoginRefusedError ? REFUSED_MS : FAILED_MS;
      state.failure = { error: cause, until: this.now() + forMs };
      throw cause;
    }
  }
}

/** Swift does not know the user, or not with this key. */
export class LoginRefusedError extends BackendError {
  constructor(user: string, status: number) {
    super(
      'Unavailable',
      `Swift refused to log the gateway's user ${user} in (${status}): check its name and key`,
    );
  }
}
