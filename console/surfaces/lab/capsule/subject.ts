import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import type { SwiftAccount } from '../../../swift/account.js';
import { SwiftStatusError } from '../../../swift/errors.js';

/** The subject of a capsule. */
export interface ObjectPlace {
  readonly container: string;
  readonly name: string;
  /** An older version, as Swift names it; undefined for the current one. */
  readonly version_id?: string | undefined;
}

/** An object as its client sees it. */
export interface Subject {
  readonly status: number;
  readonly kind: 'plain' | 'static' | 'dynamic';
  readonly etag: string | null;
  readonly bytes: number | null;
  readonly x_timestamp: string | null;
  /** The version that the answer is about; null where the container keeps none. */
  readonly version_id: string | null;
  readonly policy: string | null;
  /** Headers that belong to the object, by their names in lower case; values as Latin-1. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Headers of an object, and not of the answer. */
const OWN = new Set([
  'etag',
  'content-type',
  'content-length',
  'content-encoding',
  'content-disposition',
  'last-modified',
  'x-timestamp',
  'x-delete-at',
  'x-static-large-object',
  'x-object-manifest',
  'x-symlink-target',
  'x-object-version-id',
]);
const USER_META = 'x-object-meta-';

/**
 * Asks for an object as any client does.
 * @throws SwiftStatusError unless it is there or is not; UpstreamError
 */
export async function readSubject(store: SwiftAccount, place: ObjectPlace): Promise<Subject> {
  const { container, name: object } = place;
  const box = await store.send('HEAD', { container });
  box.body.resume();
  if (box.status === 404) throw new SwiftStatusError(404, '');
  const policy = textOf(box.headers, 'x-storage-policy');
  const answer = await store.send('HEAD', { container, object, query: versionQuery(place) });
  answer.body.resume();
  const { status, headers } = answer;
  const nothing = { etag: null, bytes: null, x_timestamp: null, headers: {} };
  if (status === 404) {
    const version = place.version_id ?? null;
    return { status, kind: 'plain', policy, version_id: version, ...nothing };
  }
  if (status !== 200) throw new SwiftStatusError(status, '');
  const kind = kindOf(headers);
  const length = Number(textOf(headers, 'content-length') ?? Number.NaN);
  const version = textOf(headers, 'x-object-version-id');
  return {
    status,
    kind,
    policy,
    etag: textOf(headers, 'etag')?.replaceAll('"', '') ?? null,
    bytes: Number.isSafeInteger(length) ? length : null,
    x_timestamp: textOf(headers, 'x-timestamp'),
    version_id: version === 'null' ? null : version,
    headers: ownHeaders(headers),
  };
}

/** The query that names a version. */
export function versionQuery({ version_id: id }: ObjectPlace): Readonly<Record<string, string>> {
  return id === undefined ? {} : { 'version-id': id };
}

/** Where the storage servers have an object. */
export interface BackendPlace {
  readonly container: string;
  readonly object: string;
}

/**
 * Swift keeps the versions of a container in a hidden one: the newest has the name that sorts first
 * (`_build_versions_object_name` of swift/common/middleware/versioned_writes/object_versioning.py).
 *
 * @param version - such as `1700000000.12345`; null for an object that is no version
 */
export function backendPlace(
  container: string,
  name: string,
  version: string | null,
): BackendPlace {
  const digits = version === null ? null : /^(\d{10})\.(\d{5})$/.exec(version);
  if (digits === null) return { container, object: name };
  const inverted = String(999_999_999_999_999n - BigInt(`${digits[1]}${digits[2]}`));
  const padded = inverted.padStart(15, '0');
  const text = `${padded.slice(0, 10)}.${padded.slice(10)}`;
  return { container: `\0versions\0${container}`, object: `\0${name}\0${text}` };
}

function kindOf(headers: IncomingHttpHeaders): Subject['kind'] {
  if (textOf(headers, 'x-static-large-object')?.toLowerCase() === 'true') return 'static';
  return textOf(headers, 'x-object-manifest') === null ? 'plain' : 'dynamic';
}

function ownHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const own: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value !== 'string') continue;
    if (OWN.has(name) || name.startsWith(USER_META)) own[name] = value;
  }
  return own;
}

function textOf(headers: IncomingHttpHeaders, name: string): string | null {
  const value = headers[name];
  return typeof value === 'string' ? value : null;
}

const HEADERS_MAX = 1000;
const METADATA = z.object({
  client: z
    .record(z.string(), z.string().max(16_384))
    .refine((headers) => Object.keys(headers).length <= HEADERS_MAX),
});

/**
 * The headers in the `metadata.json` of a capsule, which may be anything: not for an event loop.
 *
 * @returns null for bytes that are none
 */
export function clientHeadersIn(bytes: Uint8Array): Readonly<Record<string, string>> | null {
  try {
    return METADATA.parse(JSON.parse(Buffer.from(bytes).toString('utf8'))).client;
  } catch {
    return null;
  }
}
