import type { CallContext, ObjectHead } from '../../backend/backend.js';
import { NULL_VERSION_ID } from '../rules/version-id.js';
import { S3Error } from '../errors.js';
import { isCode } from '../../backend/errors.js';
import {
  plainEntry,
  entryFor,
  expectedCurrentState,
  isNewNull,
  preconditionOn,
  readCurrentState,
  standsFor,
  type PlainObject,
  type CurrentState,
} from './current-state.js';
import { findEntry } from './index-changes.js';
import type { StoredIndex } from './index-store.js';
import { currentRef, isArchivableKey, versionRef, type VersionedKey } from './names.js';
import { commitWritten, discard, uncancelled, type RemovedVersion } from './commit-written.js';
import { headVersion } from './find-version.js';
import type { VersionDeps } from './deps.js';
import { syncCurrent } from './sync-current.js';
import type { VersionChange, VersionEntry, VersionIndex } from './version-entry.js';

/**
 * Whether a version may be deleted: throws when not. It is called for the very generation that the
 * deletion is committed on, with the version's locks in that generation, perhaps more than once. It
 * is not called for delete markers, nor for a version whose object is gone.
 */
export type DeletionCheck = (head: ObjectHead, entry: VersionEntry) => void | Promise<void>;

export interface DeletedVersion {
  readonly deleteMarker: boolean;
  readonly removed: readonly RemovedVersion[];
}

/** The version to delete. */
interface Target {
  readonly id: string;
  /**
   * The plain object that was the version `null` when this was found out. It becomes a version of the
   * index first, and is then deleted as that one, whatever id it has got.
   */
  readonly plain?: PlainObject | undefined;
}

/**
 * The object or entry that a plan is to delete.
 *
 * `unsettled`: the object is still at the key itself. It has to make way for the link first: others
 * may have seen it there, and would take it for one that no index knows. Where that is so
 * (`adopting`), it becomes a version: a concurrent adoption may have read it before the deletion, and
 * would restore it.
 */
type Doomed =
  | { readonly kind: 'unsettled'; readonly adopting?: PlainObject }
  | { readonly kind: 'entry'; readonly entry: VersionEntry; readonly expected: CurrentState };

/** A full store is emptied by deleting, so the writes of a deletion have to find room. */
const writeClass = 'deletion';

/** The limit of attempts to delete a plain object that other clients keep replacing. */
const ATTEMPTS_MAX = 20;

export async function deleteVersion(
  deps: VersionDeps,
  call: CallContext,
  key: VersionedKey,
  id: string,
  check: DeletionCheck,
): Promise<DeletedVersion | 'absent'> {
  const work = uncancelled(call);
  let target: Target = { id };
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
    const attempted = () => tryToDelete(deps, work, key, target, check);
    const deleted = await deps.queues.run(key, attempted);
    if (deleted === 'absent' || !('again' in deleted)) return deleted;
    target = deleted.again;
  }
  throw new S3Error('ServiceUnavailable');
}

/** It has to be tried again, with this target. */
interface Again {
  readonly again: Target;
}

async function tryToDelete(
  deps: VersionDeps,
  call: CallContext,
  key: VersionedKey,
  target: Target,
  check: DeletionCheck,
): Promise<DeletedVersion | 'absent' | Again> {
  if (!isArchivableKey(key.key, deps.backend.capabilities)) {
    return tryToDeleteUnindexed(deps, call, key, target, check);
  }
  let doomed: Doomed | undefined;
  const plan = async (index: VersionIndex): Promise<VersionChange | undefined> => {
    doomed = await findDoomed(deps, call, key, target, index);
    if (doomed?.kind !== 'entry') return undefined;
    const { entry } = doomed;
    await requireLeave(deps, call, key, entry, check);
    return { remove: [{ name: entry.name, touched: entry.touched }] };
  };
  const committed = await commitWritten(deps, call, key, new Set(), plan, writeClass);
  const { stored, commit } = committed;
  if (doomed?.kind === 'unsettled') {
    await syncCurrent(deps, call, key, stored, { writeClass });
    return { again: { id: target.id, plain: doomed.adopting ?? target.plain } };
  }
  if (doomed === undefined || commit === undefined) {
    if (await isOvertaken(deps, call, key, target, stored)) return { again: target };
    // The request that deleted it may have stopped before the link. An absent link is not read
    // either.
    if (stored.etag !== undefined) await syncCurrent(deps, call, key, stored, { writeClass });
    return 'absent';
  }
  const { entry, expected } = doomed;
  await syncCurrent(deps, call, key, stored, { expected, writeClass });
  if (entry.kind === 'delete-marker') return { deleteMarker: true, removed: [] };
  const removed = await discard(deps, call, versionRef(key, entry.name));
  return { deleteMarker: false, removed: [removed] };
}

/**
 * Whether a version `null` that was not found may be one all the same: the index was read before what
 * stands at the key, and an object that stood there in between may have moved into the archive.
 */
async function isOvertaken(
  { commits }: VersionDeps,
  call: CallContext,
  key: VersionedKey,
  { id }: Target,
  { etag }: StoredIndex,
): Promise<boolean> {
  return id === NULL_VERSION_ID && (await commits.read(call, key)).etag !== etag;
}

/**
 * Deletes a key too long for the archive: its only version is the current object, which is never
 * adopted.
 */
async function tryToDeleteUnindexed(
  { backend }: VersionDeps,
  call: CallContext,
  key: VersionedKey,
  target: Target,
  check: DeletionCheck,
): Promise<DeletedVersion | 'absent' | Again> {
  const standing = await readCurrentState(backend, call, key);
  if (target.id !== NULL_VERSION_ID || standing.kind !== 'plain') return 'absent';
  await check(standing.head, plainEntry(standing));
  const precondition = backend.capabilities.conditionalDelete
    ? preconditionOn(standing)
    : undefined;
  try {
    const deleted = await backend.deleteObject(call, currentRef(key), precondition);
    if (deleted.outcome !== 'deleted') return { again: target };
    const { removedManifest: manifest } = deleted;
    return { deleteMarker: false, removed: [{ ref: currentRef(key), manifest }] };
  } catch (error) {
    if (isCode(error, 'NoSuchObject')) return { again: target };
    throw error;
  }
}

async function findDoomed(
  { backend }: VersionDeps,
  call: CallContext,
  key: VersionedKey,
  { id, plain }: Target,
  index: VersionIndex,
): Promise<Doomed | undefined> {
  const entry = plain === undefined ? findEntry(index, id) : entryFor(plain, index);
  const isNull = id === NULL_VERSION_ID;
  if (isNull || entry?.adopted !== undefined) {
    const standing = await readCurrentState(backend, call, key);
    if (isNull && standing.kind === 'plain' && isNewNull(standing, index)) {
      return { kind: 'unsettled', adopting: standing };
    }
    if (entry !== undefined && standsFor(standing, index, [entry])) return { kind: 'unsettled' };
  }
  return entry && { kind: 'entry', entry, expected: expectedCurrentState(index) };
}

async function requireLeave(
  deps: VersionDeps,
  call: CallContext,
  key: VersionedKey,
  entry: VersionEntry,
  check: DeletionCheck,
): Promise<void> {
  if (entry.kind === 'delete-marker') return;
  const head = await headVersion(deps, call, key, entry);
  if (head !== undefined) await check(head, entry);
}
