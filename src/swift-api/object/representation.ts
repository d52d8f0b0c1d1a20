import type { Metadata } from '../../backend/backend.js';
import type { HeaderMap } from '../../http/exchange.js';
import { LISTED } from '../listing/object-entry.js';
import { TEXT } from '../reply.js';
import { SwiftError } from '../swift-error.js';
import { isTrue } from '../target.js';

const INTEGER = /^[+-]?\d{1,15}$/;

/**
 * When an object is to expire, by X-Delete-After or X-Delete-At (Swift's check_delete_headers).
 *
 * @param now - milliseconds since the epoch
 * @returns milliseconds since the epoch; undefined when neither is given
 * @throws SwiftError 400
 */
export function givenDeleteAt(headers: HeaderMap, now: number): number | undefined {
  const after = headers.get('x-delete-after');
  if (after !== undefined) {
    if (!INTEGER.test(after)) throw refused('Non-integer X-Delete-After');
    // Swift counts from the whole second of the request.
    const at = Math.floor(now / 1000) + Number(after);
    if (at * 1000 <= now) throw refused('X-Delete-After in past');
    return at * 1000;
  }
  const at = headers.get('x-delete-at');
  if (at === undefined || at === '') return undefined;
  if (!INTEGER.test(at)) throw refused('Non-integer X-Delete-At');
  if (Number(at) * 1000 <= now) throw refused('X-Delete-At in past');
  return Number(at) * 1000;
}

function refused(message: string): SwiftError {
  return new SwiftError(400, message, TEXT);
}

const OVERRIDE = 'x-gateway-sysmeta-object-container-update-override-';

/**
 * The hash and size that a gateway wants a listing to show in place of the object's own: Swift's
 * `X-Object-Sysmeta-Container-Update-Override-*`, under the gateway's name for it.
 *
 * @returns undefined without one
 */
export function overrideAttributes(
  headers: Iterable<readonly [string, string]>,
): Metadata | undefined {
  const attributes: Record<string, string> = {};
  for (const [name, value] of headers) {
    if (name === `${OVERRIDE}etag`) attributes[LISTED.hash] = value;
    if (name === `${OVERRIDE}size`) attributes[LISTED.bytes] = value;
  }
  return Object.keys(attributes).length === 0 ? undefined : attributes;
}

/** The override of a hash, with another hash where it names none: parameters stay. */
export function overriddenHash(override: string | undefined, hash: string): string {
  if (override === undefined) return hash;
  return override.startsWith(';') || override === '' ? hash + override : override;
}

/**
 * The headers kept by PUT and POST (Swift's allowed_headers, without those that have options of
 * their own here).
 */
const KEPT = [
  'cache-control',
  'content-disposition',
  'content-encoding',
  'content-language',
  'expires',
  'x-robots-tag',
];

export function givenRepresentation(headers: HeaderMap): Metadata {
  return Object.fromEntries(
    KEPT.flatMap((name) => {
      const value = headers.get(name);
      return value === undefined || value === '' ? [] : [[name, value]];
    }),
  );
}

const DEFAULT_TYPE = 'application/octet-stream';

/** Those of Python's mimetypes that people upload, by the end of the name. */
const TYPES: Readonly<Record<string, string>> = {
  avi: 'video/x-msvideo',
  bmp: 'image/bmp',
  css: 'text/css',
  csv: 'text/csv',
  gif: 'image/gif',
  htm: 'text/html',
  html: 'text/html',
  ico: 'image/vnd.microsoft.icon',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  js: 'application/javascript',
  json: 'application/json',
  mp3: 'audio/mpeg',
  mp4: 'video/mp4',
  mpeg: 'video/mpeg',
  pdf: 'application/pdf',
  png: 'image/png',
  ps: 'application/postscript',
  py: 'text/x-python',
  svg: 'image/svg+xml',
  tar: 'application/x-tar',
  tiff: 'image/tiff',
  txt: 'text/plain',
  wav: 'audio/x-wav',
  webm: 'video/webm',
  xml: 'application/xml',
  zip: 'application/zip',
};

/** @param name - of the object: its end decides the type if none is given */
export function contentTypeOf(headers: HeaderMap, name: string): string {
  const given = headers.get('content-type');
  const guess = isTrue(headers.get('x-detect-content-type'));
  if (given !== undefined && given !== '' && !guess) return given;
  const extension = /\.([A-Za-z0-9]+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
  return TYPES[extension] ?? DEFAULT_TYPE;
}
