import type { HeaderMap, RequestHead } from '../../http/exchange.js';
import { type QueryParameter, decodeUriComponentStrict, encodeUriPath } from '../../lib/uri.js';
import { isSubresource } from '../endpoint/routes.js';
import { S3Error } from '../errors.js';
import { parseRequestDate } from '../rules/request-dates.js';
import { requireSmallSkew, requireNotExpired } from './dates.js';
import { hoistedValue } from './presigned-query.js';
import { trimWhiteSpace } from './white-space.js';

/** The claim of a request about its signature of version 2: well-formed, fresh, not verified. */
export interface SignatureClaimV2 {
  readonly accessKey: string;
  /** Base64 of an HMAC-SHA1. */
  readonly signature: string;
  /** The date's line of the string to sign: the header `Date`, `Expires` of a presigned URL, or ''. */
  readonly date: string;
  /** Whether the signature is in the query, and not in a header. */
  readonly presigned: boolean;
}

const SCHEME = 'AWS ';

/**
 * `Authorization: AWS AccessKey:Signature`, "Signing and authenticating REST requests (signature
 * version 2)" in AWS's documentation.
 *
 * @throws S3Error InvalidArgument, AccessDenied (no usable date), RequestTimeTooSkewed
 */
export function readAuthorizationHeaderV2(
  authorization: string,
  headers: HeaderMap,
  now: number,
): SignatureClaimV2 {
  const credential = authorization.slice(SCHEME.length).trim();
  // The last one, since access keys of Swift have colons and base64 has none.
  const colon = credential.lastIndexOf(':');
  if (colon <= 0 || colon === credential.length - 1) {
    throw new S3Error(
      'InvalidArgument',
      'AWS authorization header is invalid.  Expected AwsAccessKeyId:signature',
      { ArgumentName: 'Authorization' },
    );
  }
  const amzDate = headers.get('x-amz-date');
  const text = amzDate ?? headers.get('date') ?? '';
  const requestTime = parseRequestDate(text);
  if (requestTime === undefined) {
    throw new S3Error(
      'AccessDenied',
      'AWS authentication requires a valid Date or x-amz-date header',
    );
  }
  requireSmallSkew(requestTime, text, now);
  return {
    accessKey: credential.slice(0, colon),
    signature: credential.slice(colon + 1),
    // x-amz-date stands among the x-amz-* headers, and the line of the date stays empty.
    date: amzDate === undefined ? text : '',
    presigned: false,
  };
}

const ACCESS_KEY = 'AWSAccessKeyId';
const EXPIRES = 'Expires';
const SIGNATURE = 'Signature';

/** Seconds since the epoch up to the year 9999: what an ISO date can show. */
const EXPIRES_S_MAX = 253_402_300_799;
const DECIMAL = /^[0-9]{1,12}$/;

/**
 * Either of these makes a request presigned: a stripped one must not pass for an anonymous one.
 *
 * A request whose signature of version 2 is in its query: `AWSAccessKeyId`, `Expires`, `Signature`.
 */
export function isPresignedV2(query: readonly QueryParameter[]): boolean {
  return query.some(({ name }) => name === ACCESS_KEY || name === SIGNATURE);
}

/** @throws S3Error AccessDenied with AWS's texts: incomplete, no number of seconds, expired */
export function readPresignedQueryV2(
  query: readonly QueryParameter[],
  now: number,
): SignatureClaimV2 {
  const accessKey = theOnly(query, ACCESS_KEY);
  const signature = theOnly(query, SIGNATURE);
  const date = theOnly(query, EXPIRES);
  const expiresS = DECIMAL.test(date) ? Number(date) : NaN;
  if (!(expiresS <= EXPIRES_S_MAX)) {
    throw new S3Error('AccessDenied', `Invalid date (should be seconds since epoch): ${date}`);
  }
  requireNotExpired(expiresS * 1000, now);
  return { accessKey, signature, date, presigned: true };
}

/** Exactly once: what a request says twice, two readers may read differently. */
function theOnly(query: readonly QueryParameter[], wanted: string): string {
  let found: string | undefined;
  for (const { name, value } of query) {
    if (name !== wanted) continue;
    if (found !== undefined) throw incomplete();
    found = value ?? '';
  }
  if (found === undefined || found === '') throw incomplete();
  return found;
}

function incomplete(): S3Error {
  return new S3Error(
    'AccessDenied',
    'Query-string authentication requires the Signature, Expires and AWSAccessKeyId parameters',
  );
}

const PREFIX = 'x-amz-';
const OTHERS: ReadonlySet<string> = new Set(['content-md5', 'content-type']);
/** Computed by SDKs over the body that they have when they sign: see presigned-query.ts. */
const CHECKSUM = /^x-amz-(?:checksum-|sdk-checksum-algorithm$)/;

/**
 * Presigners of version 2 move all that they sign of the headers into the query: `x-amz-*`,
 * `content-md5` and `content-type`. They are part of the string to sign in either place.
 *
 * @param checksums true for the string to sign; false for what the request means, where a checksum
 *   in the query says nothing about the body
 * @returns the request's own headers, which win, and the hoisted ones
 * @throws S3Error InvalidArgument for what could be no header
 */
export function withHoistedHeadersV2(
  headers: HeaderMap,
  query: readonly QueryParameter[],
  checksums: boolean,
): HeaderMap {
  let merged: Map<string, string> | undefined;
  for (const parameter of query) {
    const header = parameter.name.toLowerCase();
    if (!header.startsWith(PREFIX) && !OTHERS.has(header)) continue;
    if (!checksums && CHECKSUM.test(header)) continue;
    const value = hoistedValue(header, parameter);
    merged ??= new Map(headers);
    if (!merged.has(header)) merged.set(header, value);
  }
  return merged ?? headers;
}

/** The parameters of the query that are signed and are not subresources. */
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

interface RequestToSignV2 {
  readonly request: RequestHead;
  readonly query: readonly QueryParameter[];
  /** The headers, with those in the query of a presigned URL. */
  readonly headers: HeaderMap;
  readonly date: string;
  /** The bucket that the host name has; empty for path style. */
  readonly hostBucket: string;
}

/**
 * Clients differ in details, and sign the same request in different forms: whether the path is
 * taken as sent or in its canonical form, whether a bucket's ends with a slash (botocore signs one
 * that it does not send), whether an empty subresource is written with `=`, and repeated headers,
 * which are signed joined by `,` but arrive joined by `, `.
 *
 * The string to sign of version 2 ("Constructing the CanonicalizedResource element" and its
 * neighbours in AWS's documentation):
 *
 *     method, Content-MD5, Content-Type, date, then each x-amz-* header and the resource
 *
 * Of the query only that part is signed which AWS lists: subresources and `response-*`. The list
 * here holds every subresource that the service knows of, so that a URL presigned for one operation
 * cannot be used for another one.
 *
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

/** Compares by code units, which for ASCII names is by bytes. */
function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
