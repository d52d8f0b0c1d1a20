import type { HeaderMap, RequestHead } from '../../http/exchange.js';
import {
  decodeUriComponentStrict,
  encodeUriComponentAws,
  encodeUriPath,
  isCanonicalPath,
  type QueryParameter,
} from '../../lib/uri.js';
import { S3Error } from '../errors.js';
import { SIGNATURE_PARAMETER, type SignatureClaim } from './signature-v4.js';
import { trimWhiteSpace } from './white-space.js';

/**
 * The canonical request of SigV4 ("Create a canonical request" in AWS's documentation), S3's
 * flavour: the path is encoded once and never normalised, for `..` and `//` are parts of keys.
 *
 * Clients differ in what they escape on the wire (`~`, `!`, `@`, lower-case hex), but sign the one
 * canonical form: so path and query are decoded and encoded again. Two texts that name the same
 * resource sign the same request, and two such differences are tolerated in second tries: clients
 * that sign the path exactly as sent, and repeated headers, which are signed joined by `,` but
 * arrive here joined by `, ` (HeaderMap).
 * @returns the one that nearly all clients sign, for the request's own host
 * @throws S3Error InvalidURI
 */
export function canonicalRequest(
  request: RequestHead,
  query: readonly QueryParameter[],
  claim: SignatureClaim,
): string {
  const headers = canonicalHeaders(request.headers, claim.signedNames);
  return joined(request, canonicalPath(request.rawPath), canonicalQuery(query), headers, claim);
}

/**
 * All that a client may have signed.
 * @param hosts that the client may have signed, likeliest first; undefined: the request's own
 * @returns the likeliest first; the others only where they differ
 * @throws S3Error InvalidURI
 */
export function* canonicalRequests(
  request: RequestHead,
  query: readonly QueryParameter[],
  claim: SignatureClaim,
  hosts?: readonly string[],
): Generator<string, void, undefined> {
  const names = claim.signedNames;
  const search = canonicalQuery(query);
  const path = canonicalPath(request.rawPath);
  const join = (path: string, headers: string): string =>
    joined(request, path, search, headers, claim);
  for (const sent of headersWithHosts(request.headers, hosts)) {
    const headers = canonicalHeaders(sent, names);
    yield join(path, headers);
    if (path !== request.rawPath) yield join(request.rawPath, headers);
    const rejoined = canonicalHeaders(sent, names, true);
    if (rejoined === headers) continue;
    yield join(path, rejoined);
    if (path !== request.rawPath) yield join(request.rawPath, rejoined);
  }
}

function joined(
  { method }: RequestHead,
  path: string,
  search: string,
  headers: string,
  { signedHeaders, payloadHash }: SignatureClaim,
): string {
  return `${method}\n${path}\n${search}\n${headers}\n${signedHeaders}\n${payloadHash}`;
}

/** The headers with each of the hosts in turn; made one by one, for the first one mostly fits. */
function* headersWithHosts(
  headers: HeaderMap,
  hosts: readonly string[] | undefined,
): Generator<HeaderMap, void, undefined> {
  if (hosts === undefined) {
    yield headers;
    return;
  }
  for (const host of hosts) {
    yield headers.get('host') === host ? headers : new Map(headers).set('host', host);
  }
}

function canonicalPath(rawPath: string): string {
  if (isCanonicalPath(rawPath)) return rawPath;
  const decoded = decodeUriComponentStrict(rawPath);
  if (decoded === undefined) throw new S3Error('InvalidURI');
  return encodeUriPath(decoded);
}

/** Sorted by name, then value; without the signature itself. */
function canonicalQuery(query: readonly QueryParameter[]): string {
  if (query.length === 0) return '';
  const pairs: (readonly [name: string, value: string])[] = [];
  for (const { name, value } of query) {
    if (name === SIGNATURE_PARAMETER) continue;
    pairs.push([encodeUriComponentAws(name), encodeUriComponentAws(value ?? '')]);
  }
  pairs.sort(byNameThenValue);
  return pairs.map(([name, value]) => `${name}=${value}`).join('&');
}

function byNameThenValue(a: readonly [string, string], b: readonly [string, string]): number {
  const index = a[0] === b[0] ? 1 : 0;
  return a[index] < b[index] ? -1 : Number(a[index] > b[index]);
}

/** One line a header, in the order of the list; a missing one has the empty value. */
function canonicalHeaders(headers: HeaderMap, names: readonly string[], rejoin = false): string {
  let lines = '';
  for (const name of names) {
    const value = headers.get(name) ?? '';
    lines += `${name}:${collapseSpaces(rejoin ? value.replaceAll(', ', ',') : value)}\n`;
  }
  return lines;
}

/** Trimmed, and runs of spaces inside made one. */
function collapseSpaces(value: string): string {
  if (!value.includes(' ') && !value.includes('\t')) return value;
  const trimmed = trimWhiteSpace(value);
  return trimmed.includes('  ') ? trimmed.replaceAll(/ {2,}/g, ' ') : trimmed;
}

/**
 * `host`, and every `x-amz-*` header that is present, must be signed: AWS's rule, for these change
 * what the request does.
 * @returns names that are not, empty when all is well. `x-amz-content-sha256` is a line of the
 *   canonical request anyway.
 */
export function unsignedHeaders(headers: HeaderMap, signed: readonly string[]): string[] {
  const missing = signed.includes('host') ? [] : ['host'];
  for (const name of headers.keys()) {
    if (!name.startsWith('x-amz-') || name === 'x-amz-content-sha256') continue;
    if (!signed.includes(name)) missing.push(name);
  }
  return missing;
}
