import type { IncomingHttpHeaders } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import { encodeUriComponentAws } from '../../../src/lib/uri.js';
import { ApiError } from '../../server/api-error.js';
import type { SwiftAccount } from '../../swift/account.js';
import { headerText, textOfHeader } from '../../swift/login.js';
import { sentValue } from './meta-values.js';
import { versionsOf } from './names.js';
import { orMissing } from './translate.js';

export type ObjectType = 'object' | 'slo' | 'dlo' | 'symlink';

/** The properties of an object in the store: its own, not those of the target of a link. */
export interface ObjectInfo {
  readonly type: ObjectType;
  readonly bytes: number;
  readonly etag: string;
  readonly contentType: string;
  readonly lastModified: string;
  /** As the store has it, in fractions of a second. */
  readonly timestamp: string;
  readonly deleteAtUnixS: number | null;
  /** It is the link of a bucket whose versions S3 keeps; the rest is of the version it leads to. */
  readonly isS3Version: boolean;
  /** The metadata as it is stored, by names in lower case, without `X-Object-Meta-`. */
  readonly meta: Readonly<Record<string, string>>;
  /** Headers that a copy with fresh metadata, or a POST, would otherwise drop; as they were sent. */
  readonly kept: Readonly<Record<string, string>>;
}

const META = 'x-object-meta-';
/** Headers of a body that every store keeps, and a copy with metadata of its own would drop. */
export const BODY_HEADERS = [
  ...['content-encoding', 'content-disposition', 'content-language', 'cache-control', 'expires'],
];
/** Without the last one a POST, or a copy, would leave an empty object of a dynamic manifest. */
const KEPT = [...BODY_HEADERS, 'x-object-manifest'];

/** Metadata that the console writes to what it throws away, and takes off again. */
const OF_TRASH = /^trash-(?:by|at|delete-at|name-\d)$/i;

/** Whether metadata of this name is the service's, and not for users to set. */
export function isServiceMeta(name: string): boolean {
  return OF_TRASH.test(name);
}

/** An object's metadata but for the service's. */
export function ownMeta(meta: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(meta).filter(([name]) => !isServiceMeta(name)));
}

/** @throws SwiftStatusError */
export async function objectInfo(
  store: SwiftAccount,
  container: string,
  object: string,
): Promise<ObjectInfo> {
  const query = { symlink: 'get' };
  const { headers } = await store.do([200, 204], 'HEAD', { container, object, query });
  const info = infoOf(headers);
  const target = text(headers, 'x-symlink-target');
  const isS3Version = target.startsWith(`${encodeUriComponentAws(versionsOf(container))}/`);
  // In a container with versions, an object is a link to its latest one.
  if (!isS3Version && !isOwnVersion(target, container, object)) return info;
  const followed = infoOf((await store.do([200, 204], 'HEAD', { container, object })).headers);
  return { ...followed, isS3Version };
}

/**
 * Refuses to move or delete an object in a bucket with S3 versions while there is no S3 client: S3
 * would still serve the version behind the link.
 * @throws ApiError unsupported_here
 */
export function expectNoS3Version({ isS3Version }: ObjectInfo): void {
  if (isS3Version) throw keptByS3();
}

export function keptByS3(): ApiError {
  const message = 'S3 manages the versions of this bucket. Use an S3 client.';
  const needs = 's3_base, and a user whose key S3 knows';
  return new ApiError('unsupported_here', message, { needs });
}

/**
 * Deletes an object after it was copied, if it still is what was copied. The embedded store decides
 * that with the deletion; Swift knows no condition, and milliseconds are left.
 * @throws ApiError conflict for an object that was written meanwhile; unsupported_here
 */
export async function removeAsCopied(
  store: SwiftAccount,
  { container, object }: { readonly container: string; readonly object: string },
  copied: ObjectInfo,
): Promise<void> {
  const present = await objectInfo(store, container, object).catch(orMissing);
  // Another client was faster.
  if (present === undefined) return;
  expectNoS3Version(present);
  if (!isDeepStrictEqual(present, copied)) throw changedSince();
  const headers = { 'if-match': `"${copied.etag}"` };
  const { status } = await store.do([204, 404, 412], 'DELETE', { container, object, headers });
  if (status === 412) throw changedSince();
}

/**
 * Refuses to take back what another client has changed since.
 * @param as the mark of what was left there; undefined where it may be anything
 * @throws ApiError conflict
 */
export function expectAsLeft(present: string | undefined, as: string | undefined): void {
  if (as === undefined || present === as) return;
  throw new ApiError('conflict', 'It has changed since then and was left as it is.');
}

/** The error for a copied object that has changed since: the present one stays. */
export function changedSince(): ApiError {
  const message = 'The object was copied. The original has changed since then and was kept.';
  return new ApiError('conflict', message);
}

/** `<container>/<object>?version-id=<id>`, encoded (swift.common.middleware.versioned_writes). */
function isOwnVersion(target: string, container: string, object: string): boolean {
  const [place = '', version] = target.split('?version-id=');
  if (version === undefined) return false;
  try {
    return decodeURIComponent(place) === `${container}/${object}`;
  } catch {
    return false;
  }
}

/**
 * The value of `If-Match` for a copy. A copy of a manifest is compared with the manifest's own ETag
 * by Swift, and with that of the joined segments by the embedded store: either says the same.
 */
export async function copiedEtag(
  store: SwiftAccount,
  container: string,
  object: string,
  info: ObjectInfo,
): Promise<string> {
  if (info.type !== 'slo') return info.etag;
  const query = { 'multipart-manifest': 'get' };
  const { headers } = await store.do([200, 204], 'HEAD', { container, object, query });
  return `"${text(headers, 'etag').replaceAll('"', '')}", "${info.etag}"`;
}

/**
 * The headers of a copy with the object's type and these metadata, and none of its own: without
 * them an expiry, and what a user has put there, would go along.
 */
export function freshHeaders(
  { contentType, kept }: ObjectInfo,
  meta: Readonly<Record<string, string>>,
): Record<string, string> {
  return {
    'x-fresh-metadata': 'true',
    'content-type': headerText(contentType),
    ...kept,
    ...metaHeaders(meta),
  };
}

/** The metadata in headers, by their names without the prefix. */
export function metaIn(headers: IncomingHttpHeaders, prefix: string): Record<string, string> {
  // Made of entries: `__proto__` is a name like any other.
  return Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => name.startsWith(prefix))
      .map(([name, value]) => [name.slice(prefix.length), textOfHeader(value)]),
  );
}

/** Those of the headers with these names that are there, as they were sent. */
export function keptIn(
  headers: IncomingHttpHeaders,
  names: readonly string[],
): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const name of names) {
    const value = headers[name];
    if (typeof value === 'string') kept[name] = value;
  }
  return kept;
}

function infoOf(headers: IncomingHttpHeaders): ObjectInfo {
  const deleteAt = Number(headers['x-delete-at'] ?? NaN);
  return {
    type: typeOf(headers),
    bytes: Number(headers['content-length'] ?? 0),
    etag: text(headers, 'etag').replaceAll('"', ''),
    contentType: textOfHeader(headers['content-type']),
    lastModified: text(headers, 'last-modified'),
    timestamp: text(headers, 'x-timestamp'),
    isS3Version: false,
    deleteAtUnixS: Number.isFinite(deleteAt) ? deleteAt : null,
    meta: metaIn(headers, META),
    kept: keptIn(headers, KEPT),
  };
}

function typeOf(headers: IncomingHttpHeaders): ObjectType {
  if (headers['x-symlink-target'] !== undefined) return 'symlink';
  if (text(headers, 'x-static-large-object').toLowerCase() === 'true') return 'slo';
  return headers['x-object-manifest'] === undefined ? 'object' : 'dlo';
}

/** User metadata as headers, with its names and values as bytes that arrive as they are. */
export function metaHeaders(meta: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(meta).map(([name, value]) => [META + name, headerText(sentValue(value))]),
  );
}

function text(headers: IncomingHttpHeaders, name: string): string {
  return String(headers[name] ?? '');
}
