import type { HeaderMap, RequestHead } from '../../http/exchange.js';
import { parseQuery, type QueryParameter } from '../../lib/uri.js';
import type { CredentialSource } from './principal.js';

/**
 * Accounts that a request may be for, by what it says of itself. Nothing is verified: this is for
 * CORS alone, which a browser asks for before it shows who it is.
 */

/** Each of them may cost a look at a bucket, for a request that nobody has signed. */
const ACCOUNTS_MAX = 8;

/**
 * The account of the access key that the request names. A preflight names none, unless it is that
 * of a presigned URL: then the anonymous account and those of the roster, in its order.
 */
export async function claimedAccounts(
  { headers, rawQuery }: RequestHead,
  credentials: CredentialSource,
  anonymousAccount: string,
): Promise<readonly string[]> {
  const accessKey = claimedAccessKey(headers, parseQuery(rawQuery) ?? []);
  const credential = accessKey === undefined ? undefined : await credentials.find(accessKey);
  if (credential !== undefined) return [credential.account];
  const all = new Set(credentials.accounts);
  const candidates = anonymousAccount === '' ? all : new Set([anonymousAccount, ...all]);
  return [...candidates].slice(0, ACCOUNTS_MAX);
}

const HEADER_V4 = /Credential=([^,\s]+?)\/\d{8}\//;
/** Up to the last colon: access keys of Swift have one, and base64 has none. */
const HEADER_V2 = /^AWS (\S+):/;
const QUERY_V4 = /^(.+?)\/\d{8}\//;

function claimedAccessKey(
  headers: HeaderMap,
  query: readonly QueryParameter[],
): string | undefined {
  const authorization = headers.get('authorization');
  if (authorization !== undefined) {
    return (HEADER_V4.exec(authorization) ?? HEADER_V2.exec(authorization))?.[1];
  }
  for (const { name, value } of query) {
    if (name === 'X-Amz-Credential') return QUERY_V4.exec(value ?? '')?.[1];
    if (name === 'AWSAccessKeyId') return value;
  }
  return undefined;
}
