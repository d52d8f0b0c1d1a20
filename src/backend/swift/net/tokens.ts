import { BackendError } from '../../errors.js';
import { statusError } from '../status-errors.js';
import { parseJson } from '../../../lib/parse-json.js';
import type { Answer } from './answer.js';
import type { SwiftCredential } from './options.js';
import { toWireText } from './wire.js';

export interface Token {
  readonly value: string;
  /** The time of creation by `performance.now()`, like all times here. */
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
/**
 * The lifetime if the answer gives none; tempauth's and Keystone's defaults are a day and an hour.
 */
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

interface LoginRequest {
  readonly method: 'GET' | 'POST';
  /** Raw. */
  readonly path: string;
  readonly headers: readonly string[];
  readonly body?: Buffer | undefined;
}

/** Sends it to wherever logins go. @throws BackendError Unavailable, Timeout */
export type SendLogin = (request: LoginRequest) => Promise<Answer>;

/** Keystone's answers carry the catalogue of services. */
const ANSWER_BYTES_MAX = 1024 * 1024;

/** @param path of `…/auth/v1.0`, as tempauth and swauth have it */
export function tempauthLogin(send: SendLogin, path: string): Login {
  return async ({ user, key }) => {
    const headers = ['x-auth-user', toWireText(user), 'x-auth-key', toWireText(key)];
    const answer = await send({ method: 'GET', path, headers });
    await settle(answer, user);
    const value = answer.headers.get('x-auth-token') ?? answer.headers.get('x-storage-token');
    if (value === undefined) throw noToken(path);
    const seconds = Number(answer.headers.get('x-auth-token-expires') ?? NaN);
    return { value, lifetimeMs: Number.isFinite(seconds) ? seconds * 1000 : undefined };
  };
}

interface KeystoneOptions {
  /** The path of `…/v3`. */
  readonly path: string;
  /** The project of users that name none themselves. */
  readonly project: string | undefined;
  readonly domain: string;
}

/** Keystone's version 3: a password, scoped to a project. */
export function keystoneLogin(
  send: SendLogin,
  options: KeystoneOptions,
  now: () => number = Date.now,
): Login {
  return async (credential) => {
    const path = `${options.path.replace(/\/+$/, '')}/auth/tokens`;
    const body = Buffer.from(JSON.stringify(keystoneRequest(credential, options)), 'utf8');
    const headers = ['content-type', 'application/json', 'accept', 'application/json'];
    const answer = await send({ method: 'POST', path, headers, body });
    const text = await settle(answer, credential.user);
    const value = answer.headers.get('x-subject-token');
    if (value === undefined) throw noToken(path);
    return { value, lifetimeMs: keystoneLifetimeMs(text, now()) };
  };
}

function keystoneRequest({ user, key }: SwiftCredential, options: KeystoneOptions): object {
  const { domain } = options;
  const colon = user.indexOf(':');
  const project = colon === -1 ? options.project : user.slice(0, colon);
  const name = colon === -1 ? user : user.slice(colon + 1);
  const password = { user: { name, domain: { name: domain }, password: key } };
  const scope = project === undefined ? {} : { scope: scopeOf(project, domain) };
  return { auth: { identity: { methods: ['password'], password }, ...scope } };
}

function scopeOf(project: string, domain: string): object {
  return { project: { name: project, domain: { name: domain } } };
}

function keystoneLifetimeMs(text: string, now: number): number | undefined {
  const answer = parseJson(text) as { token?: { expires_at?: unknown } } | null | undefined;
  const given = answer?.token?.expires_at;
  const expiresAt = typeof given === 'string' ? Date.parse(given) : NaN;
  return Number.isNaN(expiresAt) ? undefined : Math.max(0, expiresAt - now);
}

/** @throws BackendError Unavailable for anything but a success */
async function settle(answer: Answer, user: string): Promise<string> {
  const text = await answer.text(ANSWER_BYTES_MAX);
  if (answer.status === 401 || answer.status === 403) {
    throw new LoginRefusedError(user, answer.status);
  }
  if (answer.status >= 300) {
    throw statusError('account', answer.status, `login of ${user}`, text);
  }
  return text;
}

function noToken(path: string): BackendError {
  return new BackendError('Unavailable', `${path} answered without a token: check swift_auth_url`);
}
