import { BackendError } from '../../errors.js';
import { statusError } from '../status-errors.js';
import type { Answer } from './answer.js';
import { LoginRefusedError, type Login } from './token-source.js';
import type { SwiftCredential } from './options.js';
import { toWireText } from './wire.js';

/** The ways to a token, behind one interface. */

export interface LoginRequest {
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

export interface KeystoneOptions {
  /** Of `…/v3`. */
  readonly path: string;
  /** Of users that name none themselves. */
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
  try {
    const { token } = JSON.parse(text) as { token?: { expires_at?: unknown } };
    const expiresAt = Date.parse(String(token?.expires_at));
    return Number.isNaN(expiresAt) ? undefined : Math.max(0, expiresAt - now);
  } catch {
    return undefined;
  }
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
