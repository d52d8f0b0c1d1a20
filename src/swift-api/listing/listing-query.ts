import type { Call } from '../call.js';
import { HTML } from '../reply.js';
import { SwiftError } from '../swift-error.js';
import { isTrue } from '../target.js';

/** The parameters of a listing, of containers and of objects alike. */
export interface ListingQuery {
  readonly prefix: string;
  readonly delimiter: string;
  /** Asked for by `path`, the older way: a folder's own objects, without what lies deeper. */
  readonly isFolder: boolean;
  /** Names behind it, or before it when `reverse` is set; empty: from the beginning. */
  readonly marker: string;
  /** Names before it, or behind it when `reverse` is set; empty: to the end. */
  readonly endMarker: string;
  readonly limit: number;
  readonly reverse: boolean;
  readonly format: ListingFormat;
  /** The format was not asked for in the query: the answer depends on `Accept`. */
  readonly varies: boolean;
}

export type ListingFormat = 'text/plain' | 'application/json' | 'application/xml' | 'text/xml';

const FORMATS: Readonly<Record<string, ListingFormat>> = {
  plain: 'text/plain',
  json: 'application/json',
  xml: 'application/xml',
};
const ACCEPTED: readonly ListingFormat[] = [
  'text/plain',
  'application/json',
  'application/xml',
  'text/xml',
];

/** @throws SwiftError 406 for a format that there is not, 412 for too many */
export function readListingQuery({ query, headers, api }: Call): ListingQuery {
  const path = query.get('path');
  const isFolder = path !== undefined;
  const folder = path === undefined || path === '' ? '' : `${path.replace(/\/+$/, '')}/`;
  const format = query.get('format');
  return {
    prefix: isFolder ? folder : (query.get('prefix') ?? ''),
    delimiter: isFolder ? '/' : (query.get('delimiter') ?? ''),
    isFolder,
    marker: query.get('marker') ?? '',
    endMarker: query.get('end_marker') ?? '',
    limit: limitOf(query.get('limit'), api.limits.listingLimit),
    reverse: isTrue(query.get('reverse')),
    format:
      format === undefined || format === ''
        ? acceptedFormat(headers.get('accept'))
        : (FORMATS[format.toLowerCase()] ?? 'text/plain'),
    varies: format === undefined,
  };
}

/** A limit that is no number, or negative, asks for as many as there may be. */
function limitOf(text: string | undefined, max: number): number {
  if (text === undefined || !/^\d{1,15}$/.test(text)) return max;
  const limit = Number(text);
  if (limit > max) throw new SwiftError(412, `Maximum limit is ${max}`, HTML);
  return limit;
}

/** The best of what is accepted; in doubt the first. @throws SwiftError 406 */
export function acceptedFormat(accept: string | undefined): ListingFormat {
  if (accept === undefined || accept.trim() === '') return 'text/plain';
  let best: { readonly format: ListingFormat; readonly quality: number } | undefined;
  for (const range of accept.split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const quality = qualityOf(parameters);
    const format = ACCEPTED.find((one) => matches(one, type));
    if (format !== undefined && quality > (best?.quality ?? 0)) best = { format, quality };
  }
  if (best === undefined) throw new SwiftError(406);
  return best.format;
}

function qualityOf(parameters: readonly string[]): number {
  const quality = parameters.find((one) => one.startsWith('q='));
  return quality === undefined ? 1 : Number(quality.slice(2)) || 0;
}

function matches(format: ListingFormat, type: string): boolean {
  return type === '*/*' || type === format || type === `${format.slice(0, format.indexOf('/'))}/*`;
}
