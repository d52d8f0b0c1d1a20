import type { IncomingHttpHeaders } from 'node:http';
import { encodeUriComponentAws } from '../../../src/lib/uri.js';
import { ApiError } from '../../server/api-error.js';
import type { SwiftAccount } from '../../swift/account.js';
import { headerText, textOfHeader } from '../../swift/login.js';
import { versionsOf } from './names.js';

export type ObjectType = 'object' | 'slo' | 'dlo' | 'symlink';

/** What the store says of an object, itself and not what it links to. */
export interface ObjectInfo {
  readonly type: ObjectType;
  readonly bytes: number;
  readonly etag: string;
  readonly contentType: string;
  readonly lastModified: string;
  readonly deleteAtUnixS: number | null;
  /** It is the link of a bucket whose versions S3 keeps; the rest is of the version it leads to. */
  readonly isS3Version: boolean;
  /** The metadata by names in lower case, without `X-Object-Meta-`. */
  readonly meta: Readonly<Record<string, string>>;
  /** Headers that a copy with fresh metadata, or a POST, would otherwise drop; as they were sent. */
  readonly kept: Readonly<Record<string, string>>;
}

const META = 'x-object-meta-';
const KEPT = [
  'content-encoding',
  'content-disposition',
  'content-language',
  'cache-control',
  'expires',
  // Without this header a POST, or a copy, would leave an empty object of a dynamic manifest.
  'x-object-manifest',
];

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
  const message = 'S3 keeps the versions of this bucket: use an S3 client.';
  const needs = 's3_base, and a user whose key S3 knows';
  return new ApiError('unsupported_here', message, { needs });
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
 * What `If-Match` of a copy has to say. A copy of a manifest is compared with the manifest's own
 * ETag by Swift, and with that of what it joins by the embedded store: either says the same.
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

function infoOf(headers: IncomingHttpHeaders): ObjectInfo {
  // Made of entries: `__proto__` is a name like any other.
  const meta = Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => name.startsWith(META))
      .map(([name, value]) => [name.slice(META.length), textOfHeader(value)]),
  );
  const kept: Record<string, string> = {};
  for (const name of KEPT) {
    const value = headers[name];
    if (typeof value === 'string') kept[name] = value;
  }
  const deleteAt = Number(headers['x-delete-at'] ?? NaN);
  return {
    type: typeOf(headers),
    bytes: Number(headers['content-length'] ?? 0),
    etag: text(headers, 'etag').replaceAll('"', ''),
    contentType: textOfHeader(headers['content-type']),
    lastModified: text(headers, 'last-modified'),
    isS3Version: false,
    deleteAtUnixS: Number.isFinite(deleteAt) ? deleteAt : null,
    meta,
    kept,
  };
}

function typeOf(headers: IncomingHttpHeaders): ObjectType {
  if (headers['x-symlink-target'] !== undefined) return 'symlink';
  if (text(headers, 'x-static-large-object').toLowerCase() === 'true') return 'slo';
  return headers['x-object-manifest'] === undefined ? 'object' : 'dlo';
}

/** User metadata as headers, with its names and values as bytes. */
export function metaHeaders(meta: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(meta).map(([name, value]) => [META + name, headerText(value)]),
  );
}

function text(headers: IncomingHttpHeaders, name: string): string {
  return String(headers[name] ?? '');
}
