import type { Metadata } from '../../backend/backend.js';
import type { HeaderMap } from '../../http/exchange.js';
import { type ErrorCode, S3Error } from '../errors.js';
import { isHeaderName, isHeaderValue, isMangled } from './header-values.js';
import { decodeWords, encodeWords } from '../../lib/rfc2047.js';

/** Between the headers of a request or response and the metadata stored with an object. */

/** The description of an object in its writer's headers. */
export interface DescribedObject {
  readonly contentType: string;
  /** Representation headers, by lower-case name. */
  readonly headers: Metadata;
  /** User metadata, without `x-amz-meta-`. */
  readonly metadata: Metadata;
}

/** The content type of an object for which the client names none. */
export const DEFAULT_CONTENT_TYPE = 'binary/octet-stream';
const METADATA_PREFIX = 'x-amz-meta-';
/** Bytes of all names and values together; AWS's limit. */
const METADATA_BYTES_MAX = 2048;
/**
 * Entries of user metadata. Python's http.client, and so boto3, reads no answer with more than 100
 * headers, and the rest of a GET's are up to 30: what could be stored could not be read again.
 */
const METADATA_ENTRIES_MAX = 70;
/**
 * Bytes of the names and values of Content-Type and the headers below; AWS's limit for the headers
 * of a PUT. With metadata, encoded, it keeps an answer below the 16 KiB that Node.js's client, and
 * so the AWS SDK, accepts.
 */
const REPRESENTATION_BYTES_MAX = 8192;

/** Kept with the object and returned with it; Content-Type has a place of its own. */
const REPRESENTATION_HEADERS: ReadonlyMap<string, string> = new Map([
  ['cache-control', 'Cache-Control'],
  ['content-disposition', 'Content-Disposition'],
  ['content-encoding', 'Content-Encoding'],
  ['content-language', 'Content-Language'],
  ['expires', 'Expires'],
]);

/**
 * Collects what a PUT stores besides the body. `aws-chunked` describes the transfer of a framed
 * body and not the object, and is removed from Content-Encoding; without framing it is kept, as AWS
 * does.
 *
 * @throws S3Error `MetadataTooLarge` over 2 KiB or 70 entries; `RequestHeaderSectionTooLarge` for
 *   representation headers over 8 KiB; `InvalidArgument` for a name or value that could not be
 *   returned as it came
 */
export function readMetadataHeaders(headers: HeaderMap): DescribedObject {
  const metadata: Record<string, string> = {};
  const representation: Record<string, string> = {};
  let contentType = DEFAULT_CONTENT_TYPE;
  for (const [name, value] of headers) {
    if (name.startsWith(METADATA_PREFIX)) {
      metadata[metadataName(name)] = metadataValue(name, value);
    } else if (name === 'content-type') {
      if (value !== '') contentType = legal(name, value);
    } else if (REPRESENTATION_HEADERS.has(name)) {
      const isFramed = name === 'content-encoding' && isStreaming(headers);
      const kept = isFramed ? withoutAwsChunked(value) : value;
      if (kept !== '') representation[name] = legal(name, kept);
    }
  }
  const described = { contentType, headers: representation, metadata };
  requireReturnable(described);
  return described;
}

/** An object whose header block no client takes could not be read any more. */
function requireReturnable({ contentType, headers, metadata }: DescribedObject): void {
  const entries = Object.keys(metadata).length;
  if (entries > METADATA_ENTRIES_MAX) {
    throw new S3Error(
      'MetadataTooLarge',
      'Your metadata headers exceed the maximum allowed number of entries',
      { Entries: String(entries), MaxEntriesAllowed: String(METADATA_ENTRIES_MAX) },
    );
  }
  requireSize('MetadataTooLarge', byteLength(metadata), METADATA_BYTES_MAX);
  const representation = byteLength({ ...headers, 'content-type': contentType });
  requireSize('RequestHeaderSectionTooLarge', representation, REPRESENTATION_BYTES_MAX);
}

/** The bytes of names and values. */
function byteLength(entries: Metadata): number {
  let bytes = 0;
  for (const name in entries) bytes += name.length + Buffer.byteLength(entries[name] ?? '');
  return bytes;
}

function requireSize(code: ErrorCode, size: number, most: number): void {
  if (size <= most) return;
  throw new S3Error(code, undefined, { Size: String(size), MaxSizeAllowed: String(most) });
}

/** The headers of a GET or HEAD that {@link readMetadataHeaders} took in, Content-Type first. */
export function metadataResponseHeaders(described: DescribedObject): [string, string][] {
  const list: [string, string][] = [];
  push(list, 'Content-Type', described.contentType);
  for (const name in described.headers) {
    push(list, REPRESENTATION_HEADERS.get(name) ?? name, described.headers[name]);
  }
  for (const name in described.metadata) {
    push(list, METADATA_PREFIX + name, encodeWords(described.metadata[name] ?? ''));
  }
  return list;
}

/** Other writers share the store: a value of theirs that would break the response is left out. */
function push(list: [string, string][], name: string, value: string | undefined): void {
  if (value !== undefined && isHeaderValue(value)) list.push([name, value]);
}

function metadataName(header: string): string {
  const name = header.slice(METADATA_PREFIX.length);
  // Metadata are plain objects here and in the stores: none of them keeps this name.
  if (isHeaderName(name) && name !== '__proto__') return name;
  throw new S3Error('InvalidArgument', 'A metadata header has no valid name', {
    ArgumentName: header,
    ArgumentValue: name,
  });
}

function metadataValue(header: string, value: string): string {
  const decoded = decodeWords(legal(header, value));
  if (isHeaderValue(decoded)) return decoded;
  throw notRepresentable(header, value);
}

function legal(header: string, value: string): string {
  if (isHeaderValue(value) && !isMangled(value)) return value;
  throw notRepresentable(header, value);
}

/** Every value that frames a body begins so; with signatures that do not know it, none is taken. */
function isStreaming(headers: HeaderMap): boolean {
  return headers.get('x-amz-content-sha256')?.startsWith('STREAMING-') === true;
}

function withoutAwsChunked(value: string): string {
  if (!value.toLowerCase().includes('aws-chunked')) return value;
  return value
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding.toLowerCase() !== 'aws-chunked')
    .join(', ');
}

function notRepresentable(header: string, value: string): S3Error {
  return new S3Error('InvalidArgument', 'The header value is not valid UTF-8 text', {
    ArgumentName: header,
    ArgumentValue: value,
  });
}
