import type { Metadata } from '../../backend/backend.js';
import type { HeaderMap } from '../../http/exchange.js';
import { isTrue } from '../query.js';

/** What an object is, besides its bytes: its type and the headers that are sent with it. */

/** Of a PUT and a POST (Swift's allowed_headers, but for what is a word of its own here). */
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

/** Those of Python's mimetypes that people upload; by the end of the name. */
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

/** @param name - of the object: its end tells the type that nobody gave */
export function contentTypeOf(headers: HeaderMap, name: string): string {
  const given = headers.get('content-type');
  const guess = isTrue(headers.get('x-detect-content-type'));
  if (given !== undefined && given !== '' && !guess) return given;
  const extension = /\.([A-Za-z0-9]+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
  return TYPES[extension] ?? DEFAULT_TYPE;
}
