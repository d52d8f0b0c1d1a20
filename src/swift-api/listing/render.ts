import type { Reply } from '../reply.js';
import type { ListingFormat } from './listing-query.js';

/** Listings as they go out. */

/** One line: `subdir`, or the fields of an object or a container. */
export type ListedItem = Readonly<Record<string, string | number>>;

export interface Listing {
  readonly items: readonly ListedItem[];
  readonly format: ListingFormat;
  readonly varies: boolean;
  /** The name of the account or container. */
  readonly name: string;
  readonly kind: 'account' | 'container';
}

/** @param headers - of the account or the container, without a content type */
export function renderListing(
  { items, format, varies, name, kind }: Listing,
  headers: Reply['headers'],
): Reply {
  const body = bodyOf(items, format, name, kind);
  const status = body === '' ? 204 : 200;
  return { status, headers: listingHeaders({ format, varies }, headers), body };
}

/** Those of an answer with a listing, or of one to HEAD. */
export function listingHeaders(
  { format, varies }: Pick<Listing, 'format' | 'varies'>,
  headers: Reply['headers'],
): Reply['headers'] {
  const described = [['Content-Type', `${format}; charset=utf-8`] as const, ...headers];
  return varies ? [...described, ['Vary', 'Accept']] : described;
}

function bodyOf(
  items: readonly ListedItem[],
  format: ListingFormat,
  name: string,
  kind: Listing['kind'],
): string {
  switch (format) {
    case 'text/plain':
      return items.map((item) => `${item.name ?? item.subdir ?? ''}\n`).join('');
    case 'application/json':
      return JSON.stringify(items);
    case 'application/xml':
    case 'text/xml':
      return kind === 'account' ? accountXml(items, name) : containerXml(items, name);
  }
}

const DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n';
const OBJECT_FIELDS = ['name', 'hash', 'bytes', 'content_type', 'last_modified'];
const CONTAINER_FIELDS = ['name', 'count', 'bytes', 'last_modified'];

function accountXml(items: readonly ListedItem[], name: string): string {
  const rows = items.map((item) =>
    item.subdir === undefined
      ? `<container>${fields(item, CONTAINER_FIELDS)}</container>\n`
      : `<subdir name="${escaped(item.subdir)}" />\n`,
  );
  return `${DECLARATION}<account name="${escaped(name)}">\n${rows.join('')}</account>`;
}

function containerXml(items: readonly ListedItem[], name: string): string {
  if (items.length === 0) return `${DECLARATION}<container name="${escaped(name)}" />`;
  const rows = items.map((item) =>
    item.subdir === undefined
      ? `<object>${fields(item, OBJECT_FIELDS)}</object>`
      : `<subdir name="${escaped(item.subdir)}"><name>${escaped(item.subdir)}</name></subdir>`,
  );
  return `${DECLARATION}<container name="${escaped(name)}">${rows.join('')}</container>`;
}

function fields(item: ListedItem, names: readonly string[]): string {
  return names.map((name) => `<${name}>${escaped(item[name] ?? '')}</${name}>`).join('');
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

function escaped(value: string | number): string {
  return String(value).replace(/[&<>"]/g, (character) => ESCAPES[character] ?? '');
}
