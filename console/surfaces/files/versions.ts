import { ApiError } from '../../server/api-error.js';
import type { SwiftAccount } from '../../swift/account.js';
import type { SwiftQuery } from '../../swift/path.js';
import { copyObject, type Place } from './copy-object.js';
import { objectInfo } from './object-info.js';
import { listObjects, LISTING_LIMIT, walkObjects, type ObjectRow } from './swift-listing.js';
import { orMissing } from './translate.js';
import { archivePrefix, isMarker, type Versioning } from './versioning.js';

/** One state that an object had. */
export interface ObjectVersion {
  /** Swift's: a timestamp, or `null` for what is older than versioning. */
  readonly id: string;
  readonly is_latest: boolean;
  /** It stands for a deletion, and has no body. */
  readonly deleted: boolean;
  readonly bytes: number;
  readonly etag: string;
  /** Null for what has no body. */
  readonly content_type: string | null;
  readonly last_modified: string;
}

/** A row of `GET /v1/A/c?versions`. */
interface VersionRow extends ObjectRow {
  readonly version_id: string;
  readonly is_latest: boolean;
}

/** The version that is older than versioning, or was written while it was off. */
const NULL_ID = 'null';
/**
 * Newer than any version. Swift lists `null` before an object's other versions, but after a
 * `version_marker` of `null` it leaves out all versions that follow.
 */
const NEWEST_ID = '9999999999.99999';

/** The place of one version of an object. @throws Error where neither it nor an archive has any */
export function versionPlace(
  { container, object }: Place,
  { mode, archive }: Versioning,
  id: string,
): Place & { readonly query?: SwiftQuery } {
  if (mode === 'stack') return { container, object, query: { 'version-id': id } };
  if (archive === undefined) throw new Error('these versions are in no archive');
  return { container: archive, object: archivePrefix(object) + id };
}

/**
 * The versions of one object, the newest first.
 * @param after the id of a version: those that are older
 * @throws SwiftStatusError; ApiError conflict where there is no such version
 */
export async function listVersions(
  store: SwiftAccount,
  { container, object }: Place,
  versioning: Versioning,
  { max, after }: { readonly max: number; readonly after: string | undefined },
): Promise<ObjectVersion[]> {
  const found: ObjectVersion[] = [];
  let isBefore = after !== undefined;
  const all =
    versioning.mode === 'stack'
      ? stacked(store, container, object)
      : archived(store, container, object, versioning);
  for await (const version of all) {
    if (isBefore) isBefore = version.id !== after;
    else if (found.push(version) === max) break;
  }
  if (isBefore) {
    throw new ApiError('conflict', 'This version has been deleted. Reopen the details.');
  }
  return found;
}

async function* stacked(
  store: SwiftAccount,
  container: string,
  object: string,
): AsyncGenerator<ObjectVersion> {
  for await (const row of walkVersions(store, container, object)) {
    if (row.name !== object) return;
    yield { id: row.version_id, is_latest: row.is_latest, ...shown(row) };
  }
}

/** All versions of all objects below a prefix: by name, and of each the newest first. */
export async function* walkVersions(
  store: SwiftAccount,
  container: string,
  prefix: string,
  after?: string,
): AsyncGenerator<VersionRow> {
  let from: SwiftQuery = after === undefined ? {} : { marker: after };
  for (;;) {
    const query = { versions: '', prefix: prefix || undefined, limit: LISTING_LIMIT, ...from };
    const rows = (await listObjects(store, container, query)) as VersionRow[];
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < LISTING_LIMIT) return;
    from = behindVersion(last.name, last.version_id);
  }
}

/** Where a listing of versions goes on behind one of them. */
export function behindVersion(name: string, id: string): SwiftQuery {
  return { marker: name, version_marker: id === NULL_ID ? NEWEST_ID : id };
}

async function* archived(
  store: SwiftAccount,
  container: string,
  object: string,
  { archive }: Versioning,
): AsyncGenerator<ObjectVersion> {
  const current = await objectInfo(store, container, object).catch(orMissing);
  if (current !== undefined) {
    const { bytes, etag, contentType: content_type, lastModified } = current;
    const last_modified = new Date(lastModified).toISOString();
    const own = { deleted: false, bytes, etag, content_type, last_modified };
    yield { id: 'current', is_latest: true, ...own };
  }
  if (archive === undefined) return;
  const prefix = archivePrefix(object);
  const rows = [];
  for await (const row of walkObjects(store, archive, prefix)) rows.push(row);
  let isFirst = current === undefined;
  for (const row of rows.reverse()) {
    yield { id: row.name.slice(prefix.length), is_latest: isFirst, ...shown(row) };
    isFirst = false;
  }
}

function shown({ bytes, hash, content_type: type, last_modified: time }: ObjectRow) {
  const deleted = isMarker(type);
  const shownType = deleted ? null : type;
  return { deleted, bytes, etag: hash, content_type: shownType, last_modified: `${time}Z` };
}

/** Makes an older version the object's own again; what it is now becomes a version. */
export async function restoreVersion(
  store: SwiftAccount,
  container: string,
  object: string,
  versioning: Versioning,
  id: string,
): Promise<void> {
  const from = versionPlace({ container, object }, versioning, id);
  if (from.query !== undefined) {
    const headers = { 'content-length': '0' };
    await store.do([201], 'PUT', { ...from, headers, body: '' });
    return;
  }
  const info = await objectInfo(store, from.container, from.object);
  await copyObject(store, from, { container, object }, info);
}

/** Deletes one version for good. */
export async function deleteVersion(
  store: SwiftAccount,
  container: string,
  object: string,
  versioning: Versioning,
  id: string,
): Promise<void> {
  await store.do([200, 204], 'DELETE', versionPlace({ container, object }, versioning, id));
}

/** An object whose latest version says that it was deleted. */
export interface DeletedObject {
  readonly name: string;
  readonly deleted: string;
  /** The version before the deletion; null where that is gone. */
  readonly restore_id: string | null;
  readonly bytes: number | null;
}

/** A version, and whose it is. */
type NamedVersion = ObjectVersion & { readonly name: string };

/** All versions below a prefix of a container that keeps them itself. */
export async function* walkStacked(
  store: SwiftAccount,
  container: string,
  prefix: string,
  after?: string,
): AsyncGenerator<NamedVersion> {
  for await (const row of walkVersions(store, container, prefix, after)) {
    yield { name: row.name, id: row.version_id, is_latest: row.is_latest, ...shown(row) };
  }
}

/** How far a search for deleted objects goes. */
interface Bounds {
  readonly items: number;
  readonly rows: number;
}

/**
 * Deleted objects among versions by name, of each the newest first. What is read ends with the last
 * version of a name: another search goes on behind it.
 * @returns with the name to go on behind, or null when that was all
 */
export async function readDeleted(
  versions: AsyncIterable<NamedVersion>,
  most: Bounds,
): Promise<{ readonly items: DeletedObject[]; readonly next_marker: string | null }> {
  const items: DeletedObject[] = [];
  let last: string | null = null;
  let read = 0;
  for await (const { name, id, deleted, ...version } of versions) {
    read += 1;
    const open = items.at(-1);
    if (name === last) {
      // The newest one that has a body is what comes back.
      if (open?.name === name && open.restore_id === null && !deleted) {
        items[items.length - 1] = { ...open, restore_id: id, bytes: version.bytes };
      }
      const isKnown = open?.name !== name || items.at(-1)?.restore_id !== null;
      if (isKnown && read > most.rows) return { items, next_marker: name };
      continue;
    }
    if (last !== null && (items.length >= most.items || read > most.rows)) {
      return { items, next_marker: last };
    }
    last = name;
    if (!(version.is_latest && deleted)) continue;
    items.push({ name, deleted: version.last_modified, restore_id: null, bytes: null });
  }
  return { items, next_marker: null };
}
