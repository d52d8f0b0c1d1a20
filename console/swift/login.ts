import {
  CredentialsRefusedError,
  HeaderTextError,
  SwiftStatusError,
  UpstreamError,
} from './errors.js';
import { readBody, type Upstream } from './upstream.js';

/** The result of a login. */
export interface SwiftToken {
  readonly token: string;
  /** The account of the storage URL, such as `AUTH_test`: the last element of its path. */
  readonly account: string;
}

const BODY_BYTES_MAX = 64 * 1024;

/**
 * Swift's first login, `GET /auth/v1.0` (TempAuth). Only the account of the storage URL is used:
 * its host is the one that the request named, and could be any host.
 *
 * @param name `account:user`, or what the store takes in its place
 * @throws CredentialsRefusedError; UpstreamError; SwiftStatusError
 */
export async function swiftLogin(auth: Upstream, name: string, key: string): Promise<SwiftToken> {
  const { status, headers, body } = await auth.send({
    method: 'GET',
    rawPath: '',
    headers: {
      'x-auth-user': headerText(name),
      'x-auth-key': headerText(key),
      'x-storage-user': headerText(name),
      'x-storage-pass': headerText(key),
    },
  });
  const text = await readBody(body, BODY_BYTES_MAX);
  if (status === 401 || status === 403) throw new CredentialsRefusedError();
  if (status < 200 || status > 299) throw new SwiftStatusError(status, text.toString('latin1'));
  const token = headers['x-auth-token'];
  const account = accountOf(headers['x-storage-url']);
  if (typeof token !== 'string' || account === undefined) throw new UpstreamError('invalid');
  return { token, account };
}

// oxlint-disable-next-line no-control-regex -- what would end the header, or the request
const CONTROL = /[\u0000-\u0008\u000a-\u001f\u007f]/;

/**
 * Node writes header values as Latin-1, and Swift reads them as UTF-8.
 * @throws HeaderTextError for line breaks and other control characters
 */
export function headerText(text: string): string {
  if (CONTROL.test(text)) throw new HeaderTextError();
  return Buffer.from(text, 'utf8').toString('latin1');
}

/** The text of a header of the store: the reverse of `headerText`. */
export function textOfHeader(value: string | string[] | undefined): string {
  return Buffer.from(String(value ?? ''), 'latin1').toString('utf8');
}

function accountOf(storageUrl: string | string[] | undefined): string | undefined {
  if (typeof storageUrl !== 'string') return undefined;
  const [, last] = /\/v1\/([^/?#]+)\/?$/.exec(storageUrl) ?? [];
  if (last === undefined) return undefined;
  try {
    return decodeURIComponent(last);
  } catch {
    return undefined;
  }
}
