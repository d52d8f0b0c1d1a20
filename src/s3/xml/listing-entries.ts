import { encodeUriPath, UNRESERVED_OR_SLASH } from '../../lib/uri.js';
import { formatIsoDate } from '../rules/dates.js';
import { DocumentBytes, Markup, type Document } from './document-bytes.js';
import { escapeXml, optionalElement, PLAIN_ASCII } from './escape.js';
import { renderOwner, type Owner } from './owner.js';

/** The common parts of listings of objects and versions: names, attributes, `<CommonPrefixes>`. */

export interface ListedKey {
  readonly key: string;
  /** Milliseconds since the epoch. */
  readonly lastModified: number;
  /** Unquoted. */
  readonly etag: string;
  readonly size: number;
  readonly storageClass: string;
  readonly owner?: Owner | undefined;
  /** The algorithm as in `x-amz-checksum-algorithm`, e.g. `CRC32`. */
  readonly checksumAlgorithm?: string | undefined;
}

/**
 * A name in a listing: key, prefix, delimiter or marker. With `encoding-type=url` it is
 * percent-encoded as in a URI path. A space is `%20`, never `+`, so that clients that decode forms
 * and clients that decode URIs both read it.
 */
export function listedName(name: string, urlEncoded: boolean): string {
  return urlEncoded ? encodeUriPath(name) : escapeXml(name);
}

/** An element with a {@link listedName}; nothing for undefined. */
export function nameElement(tag: string, name: string | undefined, urlEncoded: boolean): string {
  return name === undefined ? '' : `<${tag}>${listedName(name, urlEncoded)}</${tag}>`;
}

/** Bytes of an entry with a key of 100 characters. */
const ENTRY_BYTES = 320;

/** A buffer for a listing of so many entries and prefixes. */
export function listingBytes(entries: number): DocumentBytes {
  return new DocumentBytes(8192 + entries * ENTRY_BYTES);
}

const KEY = new Markup('<Contents><Key>');

/** Most heads are shorter; names may be long, and long again when they are escaped. */
const HEAD_ROOM = 4096;

/**
 * A listing of objects in the making: entry by entry as they are read, so that a page is never there
 * as a thousand objects, and at last the head, which tells how many there were and what follows.
 */
export class ObjectListing {
  readonly #document: DocumentBytes;
  readonly #commonPrefixes: string[] = [];
  readonly #renderOwner = ownerRenderer();
  #keys = 0;
  /** The markup behind name, ETag and size: nearly always the same as in the entry before. */
  #second = Number.NaN;
  #behindName = behindName(formatIsoDate(0));
  #checksumAlgorithm: string | undefined;
  #behindEtag = behindEtag(undefined);
  #owner = '';
  #storageClass = '';
  #behindSize = behindSize('', '');

  /** @param entries that there will be, roughly */
  constructor(
    entries: number,
    private readonly urlEncoded: boolean,
  ) {
    this.#document = new DocumentBytes(entries * ENTRY_BYTES, HEAD_ROOM);
  }

  /** Keys and common prefixes. */
  get count(): number {
    return this.#keys + this.#commonPrefixes.length;
  }

  addKey(entry: ListedKey): void {
    this.#keys++;
    const document = this.#document;
    const { key, etag, checksumAlgorithm, storageClass } = entry;
    const owner = this.#renderOwner(entry.owner);
    if (checksumAlgorithm !== this.#checksumAlgorithm) {
      this.#checksumAlgorithm = checksumAlgorithm;
      this.#behindEtag = behindEtag(checksumAlgorithm);
    }
    if (storageClass !== this.#storageClass || owner !== this.#owner) {
      this.#owner = owner;
      this.#storageClass = storageClass;
      this.#behindSize = behindSize(owner, storageClass);
    }
    const second = Math.floor(entry.lastModified / 1000);
    if (second !== this.#second) {
      this.#second = second;
      const time = formatIsoDate(entry.lastModified);
      // Making a piece of markup anew takes as long as an entry.
      if (!setTime(this.#behindName, time)) this.#behindName = behindName(time);
    }
    document.addMarkup(KEY);
    const plain = this.urlEncoded ? UNRESERVED_OR_SLASH : PLAIN_ASCII;
    if (!document.addPlain(key, plain)) document.add(listedName(key, this.urlEncoded));
    document.addMarkup(this.#behindName);
    if (!document.addPlain(etag, PLAIN_ASCII)) document.add(escapeXml(etag));
    document.addMarkup(this.#behindEtag);
    document.addPlain(String(entry.size), PLAIN_ASCII);
    document.addMarkup(this.#behindSize);
  }

  /** Shown behind all keys. */
  addPrefix(prefix: string): void {
    this.#commonPrefixes.push(prefix);
  }

  /** @param head from the root's beginning to the first entry */
  take(head: string): Document {
    addCommonPrefixes(this.#document, this.#commonPrefixes, this.urlEncoded);
    this.#document.add('</ListBucketResult>');
    return this.#document.take(head);
  }
}

const BEFORE_TIME = '</Key><LastModified>';
/** Characters of a time as {@link formatIsoDate} writes it, up to the year 9999. */
const TIME_LENGTH = 24;

function behindName(time: string): Markup {
  return new Markup(`${BEFORE_TIME}${time}</LastModified><ETag>&quot;`);
}

/** @returns false for a time of another length: then nothing is changed */
function setTime({ bytes }: Markup, time: string): boolean {
  if (time.length !== TIME_LENGTH || bytes.length !== BEHIND_NAME_BYTES) return false;
  for (let i = 0; i < TIME_LENGTH; i++) bytes[BEFORE_TIME.length + i] = time.charCodeAt(i);
  return true;
}

const BEHIND_NAME_BYTES = behindName(formatIsoDate(0)).bytes.length;

function behindEtag(checksumAlgorithm: string | undefined): Markup {
  return new Markup(
    `&quot;</ETag>${optionalElement('ChecksumAlgorithm', checksumAlgorithm)}<Size>`,
  );
}

/** @param owner rendered */
function behindSize(owner: string, storageClass: string): Markup {
  const rendered = `<StorageClass>${escapeXml(storageClass)}</StorageClass>`;
  return new Markup(`</Size>${owner}${rendered}</Contents>`);
}

/** The elements behind the names in `<Version>`; `owner` is rendered. */
export function renderAttributes(entry: ListedKey, owner: string): string {
  return (
    `<LastModified>${formatIsoDate(entry.lastModified)}</LastModified>` +
    `<ETag>&quot;${escapeXml(entry.etag)}&quot;</ETag>` +
    optionalElement('ChecksumAlgorithm', entry.checksumAlgorithm) +
    `<Size>${entry.size}</Size>${owner}` +
    `<StorageClass>${escapeXml(entry.storageClass)}</StorageClass>`
  );
}

/** Renders the owners of a page's entries: nearly always the same one. Nothing for undefined. */
export function ownerRenderer(): (owner: Owner | undefined) => string {
  let last: Owner | undefined;
  let rendered = '';
  return (owner) => {
    if (owner !== last) {
      last = owner;
      rendered = owner === undefined ? '' : renderOwner(owner);
    }
    return rendered;
  };
}

export function addCommonPrefixes(
  document: DocumentBytes,
  prefixes: readonly string[],
  urlEncoded: boolean,
): void {
  for (const prefix of prefixes) document.add(renderCommonPrefix(prefix, urlEncoded));
}

export function renderCommonPrefixes(prefixes: readonly string[], urlEncoded: boolean): string {
  return prefixes.map((prefix) => renderCommonPrefix(prefix, urlEncoded)).join('');
}

function renderCommonPrefix(prefix: string, urlEncoded: boolean): string {
  return `<CommonPrefixes><Prefix>${listedName(prefix, urlEncoded)}</Prefix></CommonPrefixes>`;
}
