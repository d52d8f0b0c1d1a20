import type { HeaderMap, RequestHead } from '../../http/exchange.js';
import { decodeUriComponentStrict, encodeUriPath, type QueryParameter } from '../../lib/uri.js';
import { isSubresource } from '../endpoint-routes.js';
import { S3Error } from '../s3-error.js';
import { trimWhiteSpace } from './white-space.js';

/**
 * The string to sign of version 2 ("Constructing the CanonicalizedResource element" and its
 * neighbours in AWS's documentation):
 *
 *     method, Content-MD5, Content-Type, date, then each x-amz-* header and the resource
 *
 * Of the query only that part is signed which AWS lists: subresources and `response-*`. The list
 * here holds every subresource that the service knows of, so that nobody can turn a URL that was
 * presigned for one operation into another one.
 */

/** What is signed of the query and is no subresource. */
const SIGNED_PARAMETERS: ReadonlySet<string> = new Set([
  'versionId',
  'select-type',
  'response-cache-control',
  'response-content-disposition',
  'response-content-encoding',
  'response-content-language',
  'response-content-type',
  'response-expires',
]);

export interface RequestToSignV2 {
  readonly request: RequestHead;
  readonly query: readonly QueryParameter[];
  /** With those that a presigned URL carries in its query. */
  readonly headers: HeaderMap;
  readonly date: string;
  /** The bucket that the host name has; empty for path style. */
  readonly hostBucket: string;
}

/**
 * Clients differ in details, and what they then sign names the same request all the same: whether
 * the path is taken as sent or in its canonical form, whether a bucket's ends with a slash (botocore
 * signs one that it does not send), whether an empty subresource is written with `=`, and repeated
 * headers, which are signed joined by `,` but arrive joined by `, `.
 * @returns the likeliest first; the others only where they differ
 * @throws S3Error InvalidURI
 */
export function* stringsToSign(toSign: RequestToSignV2): Generator<string, void, undefined> {
  const { request, query, headers, hostBucket } = toSign;
  const paths = resourcePaths(request.rawPath, hostBucket);
  const search = canonicalQuery(query, '');
  const searches = [...new Set([search, canonicalQuery(query, '=')])];
  const amz = amzHeaders(headers, false);
  const heads = [...new Set([amz, amzHeaders(headers, true)])].map(
    (lines) =>
      `${request.method}\n${trimmed(headers, 'content-md5')}\n${trimmed(headers, 'content-type')}\n${toSign.date}\n${lines}`,
  );
  for (const head of heads) {
    for (const path of paths) {
      for (const search of searches) yield `${head}${path}${search}`;
    }
  }
}

function resourcePaths(rawPath: string, hostBucket: string): Iterable<string> {
  const bucket = hostBucket === '' ? '' : `/${hostBucket}`;
  const sent = `${bucket}${rawPath}`;
  const paths = new Set([sent, `${bucket}${canonicalPath(rawPath)}`]);
  const slash = sent.indexOf('/', 1);
  if (slash === -1 && sent.length > 1) paths.add(`${sent}/`);
  else if (slash > 1 && slash === sent.length - 1) paths.add(sent.slice(0, -1));
  return paths;
}

function canonicalPath(rawPath: string): string {
  const decoded = decodeUriComponentStrict(rawPath);
  if (decoded === undefined) throw new S3Error('InvalidURI');
  return encodeUriPath(decoded);
}

/**
 * Sorted by name; values are not encoded.
 * @param emptyMark what stands behind the name of an empty value that was sent with `=`
 */
function canonicalQuery(query: readonly QueryParameter[], emptyMark: '' | '='): string {
  const signed = query.filter(({ name }) => isSubresource(name) || SIGNED_PARAMETERS.has(name));
  if (signed.length === 0) return '';
  signed.sort((a, b) => compare(a.name, b.name));
  const pieces = signed.map(({ name, value }) => {
    if (value === undefined) return name;
    return value === '' ? `${name}${emptyMark}` : `${name}=${value}`;
  });
  return `?${pieces.join('&')}`;
}

/** One line for each `x-amz-*` header, sorted by name. */
function amzHeaders(headers: HeaderMap, rejoin: boolean): string {
  const names = [...headers.keys()].filter((name) => name.startsWith('x-amz-'));
  let lines = '';
  for (const name of names.sort(compare)) {
    const value = trimmed(headers, name);
    lines += `${name}:${rejoin ? value.replaceAll(', ', ',') : value}\n`;
  }
  return lines;
}

function trimmed(headers: HeaderMap, name: string): string {
  return trimWhiteSpace(headers.get(name) ?? '');
}

/** By code units, which is by bytes for the ASCII that names are. */
function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
