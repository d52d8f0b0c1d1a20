import type {
  ObjectBody,
  ObjectHead,
  ObjectRef,
  Metadata,
  MetadataPatch,
} from '../../backend/backend.js';
import { BackendError, type BackendErrorCode } from '../../backend/errors.js';
import type { ImmediateReads } from '../../backend/immediate-reads.js';
import type { MaybePromise } from '../../lib/promises.js';
import { bucketVersioning } from '../bucket/configuration.js';
import { S3Error } from '../errors.js';
import { type RequestContext, objectOf } from '../operation.js';
import { requireAdmitted } from '../request/authorisation.js';
import { formatHttpDate } from '../rules/dates.js';
import { NULL_VERSION_ID, parseVersionId } from '../rules/version-id.js';
import { hasMoved } from '../versions/first-index.js';
import { isIndexRef, isLinkToVersion, type VersionedKey } from '../versions/names.js';
import type { VersionEntry } from '../versions/version-entry.js';
import { withVersionTime } from './attributes.js';

/** The version of an object that a request is about: the one it names, or the current one. */

export function keyOf({ principal, endpoint }: RequestContext): VersionedKey {
  return { account: principal.account, bucket: endpoint.bucket, key: endpoint.key };
}

/** The parts that were read of an object. */
interface Found {
  readonly head: ObjectHead;
  readonly body?: ObjectBody;
}

/** A key that is written and deleted under each of so many attempts is to be asked for again. */
export const READ_ATTEMPTS_MAX = 5;

/**
 * Reads the version that the request names. The current version is where the key is, and costs no
 * other call; a named one is asked of the index first (SPEC.md 3.1).
 *
 * @throws S3Error `InvalidArgument` for a malformed version id, `NoSuchVersion`; `NoSuchKey` and
 *   `MethodNotAllowed` with the headers of a delete marker where one is found;
 *   `ServiceUnavailable` for a key that changes under each look; `AccessDenied`
 */
export async function readNamedVersion<T extends Found>(
  context: RequestContext,
  read: (ref: ObjectRef) => Promise<T>,
): Promise<T> {
  const versionId = parseVersionId(context.endpoint.query);
  return versionId === undefined
    ? readCurrent(context, async (ref) => admitted(context, ref, await read(ref)))
    : readVersion(context, versionId, read);
}

/**
 * Like {@link readNamedVersion}, but without a promise if the store can answer at once.
 * @param readNow - the same as `read`, by what the store answers at once
 */
export function readNamedSoon<T extends Found>(
  context: RequestContext,
  readNow: (reads: ImmediateReads, ref: ObjectRef) => MaybePromise<T>,
  read: (ref: ObjectRef) => Promise<T>,
): MaybePromise<T> {
  const { immediate } = context.services.backend;
  const isCurrent = parseVersionId(context.endpoint.query) === undefined;
  if (immediate === undefined || !isCurrent) return readNamedVersion(context, read);
  const ref = objectOf(context);
  let found: MaybePromise<T>;
  try {
    found = readNow(immediate, ref);
  } catch (error) {
    if (!isUnclear(error)) throw error;
    return readNamedVersion(context, read);
  }
  if (!(found instanceof Promise)) return admitted(context, ref, found);
  return found.then(
    (later) => admitted(context, ref, later),
    (error: unknown) => {
      if (!isUnclear(error)) throw error;
      return readNamedVersion(context, read);
    },
  );
}

/**
 * Whether the state is unclear: there may be a delete marker, or a link to be repaired. Reading
 * again finds out.
 */
function isUnclear(error: unknown): boolean {
  return isCode(error, 'NoSuchObject') || isCode(error, 'BrokenLink');
}

/** @throws S3Error `AccessDenied` */
function admitted<T extends Found>(context: RequestContext, ref: ObjectRef, found: T): T {
  try {
    requireAdmitted(context, ref, found.head);
    return found;
  } catch (error) {
    found.body?.cancel();
    throw error;
  }
}

/**
 * The version `null` may change its place under a read: from the key into the archive, with the first
 * version that is written over it, and in the archive, when another one takes its place. So may a
 * first version, once.
 */
async function readVersion<T extends Found>(
  context: RequestContext,
  versionId: string,
  read: (ref: ObjectRef) => Promise<T>,
): Promise<T> {
  const key = keyOf(context);
  for (let attempt = 1; ; attempt++) {
    const ref = await findNamed(context, key, versionId);
    const mayMove = versionId === NULL_VERSION_ID || isIndexRef(ref);
    const isLast = !mayMove || attempt === READ_ATTEMPTS_MAX;
    try {
      const found = await read(ref);
      const isHere = !isLinkToVersion(ref, found.head) && !hasMoved(ref, found.head, versionId);
      if (isHere) return admitted(context, ref, found);
      found.body?.cancel();
      if (isLast) throw new S3Error('ServiceUnavailable');
    } catch (error) {
      if (!isCode(error, 'NoSuchObject')) throw error;
      if (isLast) throw noSuchVersion(key, versionId, error);
    }
  }
}

/** A key that is not there may have been deleted: SPEC.md 3.1 wants the marker named. */
async function readCurrent<T>(
  context: RequestContext,
  read: (ref: ObjectRef) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await read(objectOf(context));
    } catch (error) {
      if (isCode(error, 'BrokenLink') && attempt < READ_ATTEMPTS_MAX) {
        // Left by a gateway that died, where a link is not written in the instant it is for.
        await context.services.versions.repairLink(context.call, keyOf(context));
        continue;
      }
      if (!isCode(error, 'NoSuchObject') || !(await keepsVersions(context))) throw error;
      const current = await context.services.versions.currentEntry(context.call, keyOf(context));
      if (current?.kind === 'delete-marker') throw ofMarker(context, current, error);
      // A version that was written since, or whose writer had died before it came to be seen.
      if (current === undefined) throw error;
      // Versions come and go: no one look tells whether there is one, or which marker hides it.
      if (attempt === READ_ATTEMPTS_MAX) {
        throw new S3Error('ServiceUnavailable', undefined, {}, { cause: error });
      }
    }
  }
}

/** Whether there may be an index to look at: one more call that most buckets are spared. */
async function keepsVersions(context: RequestContext): Promise<boolean> {
  const { systemMetadata } = await context.containerHead();
  return bucketVersioning(systemMetadata) !== 'unversioned';
}

/** The object itself: behind the link to the current version, where there is one. */
interface NamedObject {
  readonly ref: ObjectRef;
  readonly head: ObjectHead;
  /** The store's own time of modification, which a version that was moved does not show. */
  readonly storedAt: number;
  /** Whether it was reached through a link that is none of Ringway's. */
  readonly isElsewhere: boolean;
}

/** The version that a request names. @throws as readNamedVersion */
export function headNamedVersion(context: RequestContext): Promise<NamedObject> {
  const { backend } = context.services;
  return readNamedVersion(context, async (ref) => {
    const head = await backend.headObject(context.call, ref);
    const { lastModified: storedAt, link } = head;
    const isOurs = isLinkToVersion(ref, head);
    return {
      ref: isOurs ? { ...ref, ...link?.target } : ref,
      head: withVersionTime(head),
      storedAt,
      isElsewhere: link !== undefined && !isOurs,
    };
  });
}

/**
 * The version that a request names, to be changed in place.
 * @throws S3Error as readNamedVersion; `MethodNotAllowed` for a link that a client of the store has
 *   written: its target is changed under its own name
 */
export async function headToChange(context: RequestContext): Promise<NamedObject> {
  const found = await headNamedVersion(context);
  if (!found.isElsewhere) return found;
  throw new S3Error('MethodNotAllowed', LINK_UNCHANGEABLE, { ResourceType: 'SymbolicLink' });
}

const LINK_UNCHANGEABLE =
  'This object is a link of the storage behind this service: change what it leads to.';

/** The head alone, at once where that can be. @throws as readNamedVersion */
export function headNamedSoon(context: RequestContext): MaybePromise<Found> {
  const { call, services } = context;
  return readNamedSoon(
    context,
    (reads, ref) => ({ head: withVersionTime(reads.headObject(call, ref)) }),
    async (ref) => ({ head: withVersionTime(await services.backend.headObject(call, ref)) }),
  );
}

/**
 * Finds the place of a version.
 * @throws S3Error `NoSuchVersion`; `MethodNotAllowed` for a delete marker; BackendError
 *   NoSuchContainer
 */
async function findNamed(
  context: RequestContext,
  key: VersionedKey,
  versionId: string,
): Promise<ObjectRef> {
  const found = await context.services.versions.find(context.call, key, versionId);
  if (found === undefined) {
    // An index says nothing of the bucket, which may not be there.
    await context.containerHead();
    throw noSuchVersion(key, versionId);
  }
  if (found.entry.kind === 'version') return found.ref;
  throw isDeleteMarker(context, found.entry);
}

/** The operations for which a key whose newest version is a marker is one that is not there. */
const READS: ReadonlySet<string> = new Set([
  'GetObject',
  'GetObjectPart',
  'HeadObject',
  'HeadObjectPart',
]);

/** AWS's answer for a key whose newest version is a delete marker: a marker has no tags or ACL. */
function ofMarker(context: RequestContext, marker: VersionEntry, cause: unknown): S3Error {
  if (!READS.has(context.endpoint.operation)) return isDeleteMarker(context, marker);
  const headers = deleteMarkerHeaders(marker.id);
  return new S3Error('NoSuchKey', undefined, {}, { cause, headers });
}

const METHOD = /^(?:Get|Put|Delete|Head)/;

function isDeleteMarker(
  { endpoint }: RequestContext,
  { id, lastModified }: Pick<VersionEntry, 'id' | 'lastModified'>,
): S3Error {
  const Method = METHOD.exec(endpoint.operation)?.[0].toUpperCase() ?? 'POST';
  return new S3Error(
    'MethodNotAllowed',
    undefined,
    { Method, ResourceType: 'DeleteMarker' },
    {
      headers: [
        ['Allow', 'DELETE'],
        ['Last-Modified', formatHttpDate(lastModified)],
        ...deleteMarkerHeaders(id),
      ],
    },
  );
}

export function deleteMarkerHeaders(versionId: string): [string, string][] {
  return [
    ['x-amz-delete-marker', 'true'],
    ['x-amz-version-id', versionId],
  ];
}

/** @param cause - what the store said when it went between the index and the version */
function noSuchVersion({ key }: VersionedKey, versionId: string, cause?: unknown): S3Error {
  const details = { Key: key, VersionId: versionId };
  return new S3Error('NoSuchVersion', undefined, details, { cause });
}

function isCode(error: unknown, code: BackendErrorCode): boolean {
  return error instanceof BackendError && error.code === code;
}

/** An object that is overwritten under each of so many attempts is not going to hold still. */
const ATTEMPTS_MAX = 8;

interface NamedUpdate {
  /**
   * The change of system metadata for the object that was found; called again when the object has
   * changed.
   */
  readonly patchFor: (found: NamedObject) => MetadataPatch | Promise<MetadataPatch>;
  /** Names of what the patch was decided on, which has to be as it was found. */
  readonly decidedOn?: readonly string[] | undefined;
}

/**
 * Changes system metadata of exactly the object that the request found. Its ACL let the request in;
 * an object that has replaced it since may have another ACL. A plain object that becomes a version
 * leaves a link behind, which must not get the tags.
 *
 * @returns the object as it was found
 * @throws S3Error as readNamedVersion; `OperationAborted` when it keeps changing
 */
export async function updateNamedVersion(
  context: RequestContext,
  { patchFor, decidedOn = [] }: NamedUpdate,
): Promise<NamedObject> {
  const { backend } = context.services;
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
    const found = await headToChange(context);
    if (isIndexRef(found.ref)) {
      await context.services.versions.moveFirst(context.call, keyOf(context));
      continue;
    }
    const { etag, systemMetadata } = found.head;
    const update = { systemMetadata: await patchFor(found) };
    const { outcome } = await backend.updateObject(context.call, found.ref, update, {
      etag,
      lastModified: found.storedAt,
      systemMetadata: valuesOf(systemMetadata, decidedOn),
    });
    if (outcome === 'updated') return found;
  }
  throw new S3Error('OperationAborted');
}

function valuesOf(metadata: Metadata, names: readonly string[]): MetadataPatch {
  return Object.fromEntries(names.map((name) => [name, metadata[name] ?? null]));
}
