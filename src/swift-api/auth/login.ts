import { createHmac, timingSafeEqual, createHash } from 'node:crypto';
import type { HeaderMap } from '../../http/exchange.js';
import { HTML, type Reply } from '../reply.js';
import { SwiftError } from '../swift-error.js';
import type { User, Users } from './users.js';

/**
 * Tokens that no server has to remember: who, until when, and a signature over both.
 *
 *     AUTH_tk <base64url of: expiry in s (6 bytes), the user's id> . <base64url of the HMAC-SHA-256>
 *
 * The signature's key is made of the user's own secret key. So a token outlives restarts and holds
 * on every host that has the same credentials, and dies with the secret key, when that is changed or
 * taken away.
 */

const PREFIX = 'AUTH_tk';
const PURPOSE = 'ringway store token, version 1';
const EXPIRY_BYTES = 6;
/** More than any token that was ever given out has. */
const LENGTH_MAX = 512;

/** @param expiresAtS - seconds since the epoch */
export function issueToken(user: User, expiresAtS: number): string {
  const payload = Buffer.concat([Buffer.alloc(EXPIRY_BYTES), Buffer.from(user.id)]);
  payload.writeUIntBE(expiresAtS, 0, EXPIRY_BYTES);
  return `${PREFIX}${payload.toString('base64url')}.${sign(user.key, payload).toString('base64url')}`;
}

/** @returns the token's user; undefined when the token is invalid or has expired */
export function userOfToken(users: Users, token: string, nowS: number): User | undefined {
  if (!token.startsWith(PREFIX) || token.length > LENGTH_MAX) return undefined;
  const dot = token.indexOf('.', PREFIX.length);
  if (dot === -1) return undefined;
  const payload = Buffer.from(token.slice(PREFIX.length, dot), 'base64url');
  if (payload.length <= EXPIRY_BYTES) return undefined;
  const user = users.byId(payload.toString('utf8', EXPIRY_BYTES));
  // Signed with something in any case, so that time does not tell which users there are.
  const expected = sign(user?.key ?? PURPOSE, payload);
  const given = Buffer.from(token.slice(dot + 1), 'base64url');
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
  return payload.readUIntBE(0, EXPIRY_BYTES) > nowS ? user : undefined;
}

function sign(secretKey: string, payload: Buffer): Buffer {
  const key = createHmac('sha256', secretKey).update(PURPOSE).digest();
  return createHmac('sha256', key).update(payload).digest();
}

/** The path of tempauth's logins, and what rclone and others ask of older servers. */
export function isLoginPath(rawPath: string): boolean {
  return LOGIN.test(rawPath);
}

const LOGIN = /^\/auth\/v1(?:\.0)?\/?$/;

interface LoginOptions {
  readonly users: Users;
  readonly tokenLifeS: number;
  /** `http://HOST`, as the client reached this server. */
  readonly baseUrl: string;
  readonly nowS: number;
}

/**
 * `GET /auth/v1.0` (TempAuth): a token for a user's name, or access key, and secret key.
 * @throws SwiftError 401
 */
export function login(headers: HeaderMap, options: LoginOptions): Reply {
  const name = headers.get('x-auth-user') ?? headers.get('x-storage-user') ?? '';
  const key = headers.get('x-auth-key') ?? headers.get('x-storage-pass') ?? '';
  const user = options.users.named(name).find((one) => isSame(one.key, key));
  if (user === undefined) throw unauthorised();
  const token = issueToken(user, options.nowS + options.tokenLifeS);
  return {
    status: 200,
    headers: [
      ['Content-Type', HTML],
      ['X-Auth-Token', token],
      ['X-Storage-Token', token],
      ['X-Auth-Token-Expires', String(options.tokenLifeS)],
      ['X-Storage-Url', `${options.baseUrl}/v1/${storagePath(user)}`],
    ],
    body: '',
  };
}

function storagePath({ account }: User): string {
  return encodeURIComponent(account);
}

/** @param realm - the account that was asked for */
export function unauthorised(realm = 'unknown'): SwiftError {
  return new SwiftError(401, undefined, undefined, [
    ['Www-Authenticate', `Swift realm="${encodeURIComponent(realm)}"`],
  ]);
}

/** Compares digests: they are of one length, whatever the keys are. */
function isSame(one: string, other: string): boolean {
  return timingSafeEqual(digest(one), digest(other));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
