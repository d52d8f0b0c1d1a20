import { createHash, timingSafeEqual } from 'node:crypto';
import type { HeaderMap } from '../../http/exchange.js';
import { HTML, type Reply } from '../reply.js';
import { SwiftError } from '../swift-error.js';
import { issueToken } from './tokens.js';
import type { User, Users } from './users.js';

/** The path of tempauth's logins, and what rclone and others ask of older servers. */
export function isLoginPath(rawPath: string): boolean {
  return LOGIN.test(rawPath);
}

const LOGIN = /^\/auth\/v1(?:\.0)?\/?$/;

export interface LoginOptions {
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
