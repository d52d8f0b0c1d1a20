import { createHash, createHmac } from 'node:crypto';
import { encodeUriComponentAws } from '../../src/lib/uri.js';
import { headerText } from '../swift/login.js';

/** The key pair that signs requests, and the region it signs for. */
export interface SigningKey {
  readonly accessKey: string;
  readonly secretKey: string;
  readonly region: string;
}

/** Decoded names and values; as pairs where a name may come more than once. */
type Query = Readonly<Record<string, string>> | readonly (readonly [string, string])[];

export interface UnsignedRequest {
  readonly method: string;
  /** As it goes over the wire, in the canonical encoding, without the query. */
  readonly rawPath: string;
  readonly query: Query;
  /** Names in lower case, with `host`; all of them are signed. Values are bytes as Latin-1. */
  readonly headers: Readonly<Record<string, string>>;
}

/** What stands for the digest of a body that is sent as it comes. */
export const UNSIGNED_PAYLOAD = 'UNSIGNED-PAYLOAD';

/**
 * Signs a request with SigV4 in its header (AWS: "Create a signed AWS API request"; for S3 the path
 * is encoded once and not normalised).
 *
 * @param payload SHA-256 of the body in hex, or {@link UNSIGNED_PAYLOAD}
 * @returns all headers to send
 */
export function signRequest(
  { accessKey, secretKey, region }: SigningKey,
  { method, rawPath, query, headers }: UnsignedRequest,
  payload: string,
  nowMs: number,
): Record<string, string> {
  const time = new Date(nowMs).toISOString().replace(/[-:]|\.\d{3}/g, '');
  const day = time.slice(0, 8);
  const all = { ...headers, 'x-amz-content-sha256': payload, 'x-amz-date': time };
  const names = Object.keys(all).sort();
  const canonical = [
    method,
    rawPath,
    rawQuery(query),
    ...names.map((name) => `${name}:${valueOf(all, name)}`),
    '',
    names.join(';'),
    payload,
  ].join('\n');
  const scope = `${day}/${region}/s3/aws4_request`;
  const text = `AWS4-HMAC-SHA256\n${time}\n${scope}\n${sha256Hex(Buffer.from(canonical, 'latin1'))}`;
  let key: Buffer = Buffer.from(`AWS4${secretKey}`, 'utf8');
  for (const step of [day, region, 's3', 'aws4_request']) key = hmac(key, step);
  const signature = hmac(key, text).toString('hex');
  const credential = `${headerText(accessKey)}/${scope}`;
  const authorization = `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${names.join(';')}, Signature=${signature}`;
  return { ...all, authorization };
}

/** A query in the canonical form that is signed, sorted by encoded names, then by values; sent as it is. */
export function rawQuery(query: Query): string {
  const pairs: readonly (readonly [string, string])[] = isPairs(query)
    ? query
    : Object.entries(query);
  return pairs
    .map(([name, value]) => [encodeUriComponentAws(name), encodeUriComponentAws(value)] as const)
    .sort(([a, one], [b, other]) => order(a, b) || order(one, other))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
}

function isPairs(query: Query): query is readonly (readonly [string, string])[] {
  return Array.isArray(query);
}

function order(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

export function sha256Hex(body: string | Buffer): string {
  return createHash('sha256').update(body).digest('hex');
}

function valueOf(headers: Readonly<Record<string, string>>, name: string): string {
  return (headers[name] ?? '').trim().replace(/ +/g, ' ');
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text, 'utf8').digest();
}
