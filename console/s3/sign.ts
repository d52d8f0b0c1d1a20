import { createHash, createHmac } from 'node:crypto';
import { encodeUriComponentAws } from '../../src/lib/uri.js';
import { headerText } from '../swift/login.js';

/** The key pair that signs requests, and the region it signs for. */
interface SigningKey {
  readonly accessKey: string;
  readonly secretKey: string;
  readonly region: string;
}

/** Decoded names and values; as pairs where a name may come more than once. */
type Query = Readonly<Record<string, string>> | readonly (readonly [string, string])[];

interface UnsignedRequest {
  readonly method: string;
  /** As it goes over the wire, in the canonical encoding, without the query. */
  readonly rawPath: string;
  readonly query: Query;
  /** Names in lower case, with `host`; all of them are signed. Values are bytes as Latin-1. */
  readonly headers: Readonly<Record<string, string>>;
}

/** The value in place of the digest of a body that is sent as it comes. */
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
  const time = timeText(nowMs);
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
  const scope = scopeOf(day, region);
  const signature = signatureOf(canonical, { secretKey, region }, time);
  const credential = `${headerText(accessKey)}/${scope}`;
  const authorization = `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${names.join(';')}, Signature=${signature}`;
  return { ...all, authorization };
}

/**
 * The query that signs a request with SigV4 in its address, with which others may send the request
 * until it expires (AWS: "Authenticating requests: using query parameters").
 *
 * @param host with the port, where it is not the scheme's
 * @param expiresS seconds, 604800 at most
 * @returns it as it is sent, with the query that was given
 */
export function presignedQuery(
  { accessKey, secretKey, region }: SigningKey,
  { method, rawPath, query, host }: Omit<UnsignedRequest, 'headers'> & { readonly host: string },
  expiresS: number,
  nowMs: number,
): string {
  const time = timeText(nowMs);
  const search = rawQuery([
    ...pairsOf(query),
    ['X-Amz-Algorithm', 'AWS4-HMAC-SHA256'],
    ['X-Amz-Credential', `${accessKey}/${scopeOf(time.slice(0, 8), region)}`],
    ['X-Amz-Date', time],
    ['X-Amz-Expires', String(expiresS)],
    ['X-Amz-SignedHeaders', 'host'],
  ]);
  const canonical = [method, rawPath, search, `host:${host}`, '', 'host', UNSIGNED_PAYLOAD];
  const signature = signatureOf(canonical.join('\n'), { secretKey, region }, time);
  return `${search}&X-Amz-Signature=${signature}`;
}

/** As SigV4 writes it: `20260102T030405Z`. */
function timeText(nowMs: number): string {
  return new Date(nowMs).toISOString().replace(/[-:]|\.\d{3}/g, '');
}

function scopeOf(day: string, region: string): string {
  return `${day}/${region}/s3/aws4_request`;
}

/** @param canonical the canonical request, its bytes as Latin-1 */
function signatureOf(
  canonical: string,
  { secretKey, region }: Omit<SigningKey, 'accessKey'>,
  time: string,
): string {
  const day = time.slice(0, 8);
  const digest = sha256Hex(Buffer.from(canonical, 'latin1'));
  const text = `AWS4-HMAC-SHA256\n${time}\n${scopeOf(day, region)}\n${digest}`;
  let key: Buffer = Buffer.from(`AWS4${secretKey}`, 'utf8');
  for (const step of [day, region, 's3', 'aws4_request']) key = hmac(key, step);
  return hmac(key, text).toString('hex');
}

/** A query in the canonical form that is signed, sorted by encoded names, then by values; sent as it is. */
export function rawQuery(query: Query): string {
  return pairsOf(query)
    .map(([name, value]) => [encodeUriComponentAws(name), encodeUriComponentAws(value)] as const)
    .sort(([a, one], [b, other]) => order(a, b) || order(one, other))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
}

function pairsOf(query: Query): readonly (readonly [string, string])[] {
  return isPairs(query) ? query : Object.entries(query);
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
