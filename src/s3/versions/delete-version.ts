import type { CallContext, ObjectHead, RemovedManifest } from '../../backend/backend.js';
import { NULL_VERSION_ID } from '../rules/version-id.js';
import { S3Error } from '../errors.js';
import { isCode } from '../../backend/errors.js';
import {
  plainEntry,
  entryFor,
  expectedCurrentState,
  preconditionOn,
  readCurrentState,
  type PlainObject,
  type CurrentState,
} from './current-state.js';
import { findEntry } from './index-changes.js';
import type { StoredIndex } from './index-store.js';
import { currentRef, isArchivableKey, versionRef, type VersionedKey } from './names.js';
import {
  commitWritten,
  discard,
  headVersion,
  uncancelled,
  type RemovedVersion,
  type VersionDeps,
} from './deps.js';
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

/**
 * The object that a plan has found to delete. A plain object becomes the version `null` first: a
 * concurrent adoption may have read it before the deletion, and would restore it. It is deleted
 * directly only if the index has a version `null` already, because another client of the store has
 * written the object.
 */
type Doomed =
  | { readonly kind: 'adoptable' }
  | { readonly kind: 'entry'; readonly entry: VersionEntry; readonly expected: CurrentState }
  | { readonly kind: 'plain'; readonly plain: PlainObject };

/** A full store is emptied by deleting, and what that writes has to find room. */
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
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
    const attempted = () => tryToDelete(deps, work, key, id, check);
    const deleted = await deps.queues.run(key, attempted);
    if (deleted !== undefined) return deleted;
  }
  throw new S3Error('ServiceUnavailable');
}

/** @returns undefined when it has to be tried again */
async function tryToDelete(
  deps: VersionDeps,
  call: CallContext,
  key: VersionedKey,
  id: string,
  check: DeletionCheck,
): Promise<DeletedVersion | 'absent' | undefined> {
  if (!isArchivableKey(key.key, deps.backend.capabilities)) {
    return tryToDeleteUnindexed(deps, call, key, id, check);
  }
  let doomed: Doomed | undefined;
  const plan = async (index: VersionIndex): Promise<VersionChange | undefined> => {
    doomed = await findDoomed(deps, call, key, id, index);
    if (doomed === undefined || doomed.kind === 'adoptable') return undefined;
    await requireLeave(deps, call, key, doomed, check);
    return changeFor(doomed);
  };
  const committed = await commitWritten(deps, call, key, new Set(), plan, writeClass);
  const { stored, commit } = committed;
  if (doomed?.kind === 'adoptable') {
    await syncCurrent(deps, call, key, stored, { writeClass });
    return undefined;
  }
  if (doomed === undefined || commit === undefined) {
    // The request that deleted it may have stopped before the link. An absent link is not read
    // either.
    if (stored.etag !== undefined) await syncCurrent(deps, call, key, stored, { writeClass });
    return 'absent';
  }
  if (doomed.kind === 'entry') {
    const { entry, expected } = doomed;
    await syncCurrent(deps, call, key, stored, { expected, writeClass });
    if (entry.kind === 'delete-marker') return { deleteMarker: true, removed: [] };
    const removed = await discard(deps, call, versionRef(key, entry.name));
    return { deleteMarker: false, removed: [removed] };
  }
  // An adoption has committed since: now it is a version of the index, and is deleted as such.
  if (stored.index.commit !== commit.id) return undefined;
  const written = await deps.link.write(call, key, stored, doomed.plain);
  if (written.outcome === 'written') return deletedPlain(key, written.replaced);
  if (written.outcome === 'overtaken') return undefined;
  return (await isGone(deps, call, key, doomed.plain, stored)) ? deletedPlain(key) : undefined;
}

function deletedPlain(key: VersionedKey, manifest?: RemovedManifest): DeletedVersion {
  return { deleteMarker: false, removed: [{ ref: currentRef(key), manifest }] };
}

/**
 * A deletion may have succeeded with an error as its answer: to begin again would delete the
 * version `null` behind it. An adoption commits before it removes the object.
 */
async function isGone(
  { backend, commits }: VersionDeps,
  call: CallContext,
  key: VersionedKey,
  { etag, lastModified }: PlainObject,
  before: StoredIndex,
): Promise<boolean> {
  const now = await readCurrentState(backend, call, key);
  if (now.kind === 'plain' && now.etag === etag && now.lastModified === lastModified) return false;
  return (await commits.read(call, key)).index.commit === before.index.commit;
}

/**
 * Deletes a key too long for the archive: its only version is the current object, which is never
 * adopted.
 */
async function tryToDeleteUnindexed(
  { backend }: VersionDeps,
  call: CallContext,
  key: VersionedKey,
  id: string,
  check: DeletionCheck,
): Promise<DeletedVersion | 'absent' | undefined> {
  const standing = await readCurrentState(backend, call, key);
  if (id !== NULL_VERSION_ID || standing.kind !== 'plain') return 'absent';
  await check(standing.head, plainEntry(standing));
  const precondition = backend.capabilities.conditionalDelete
    ? preconditionOn(standing)
    : undefined;
  try {
    const deleted = await backend.deleteObject(call, currentRef(key), precondition);
    if (deleted.outcome !== 'deleted') return undefined;
    const { removedManifest: manifest } = deleted;
    return { deleteMarker: false, removed: [{ ref: currentRef(key), manifest }] };
  } catch (error) {
    if (isCode(error, 'NoSuchObject')) return undefined;
    throw error;
  }
}

async function findDoomed(
  { backend }: VersionDeps,
  call: CallContext,
  key: VersionedKey,
  id: string,
  index: VersionIndex,
): Promise<Doomed | undefined> {
  if (id === NULL_VERSION_ID) {
    const standing = await readCurrentState(backend, call, key);
    if (standing.kind === 'plain' && entryFor(standing, index) === undefined) {
      const isOnly = findEntry(index, NULL_VERSION_ID) === undefined;
      return isOnly ? { kind: 'adoptable' } : { kind: 'plain', plain: standing };
    }
  }
  const entry = findEntry(index, id);
  return entry && { kind: 'entry', entry, expected: expectedCurrentState(index) };
}

async function requireLeave(
  deps: VersionDeps,
  call: CallContext,
  key: VersionedKey,
  doomed: Exclude<Doomed, { kind: 'adoptable' }>,
  check: DeletionCheck,
): Promise<void> {
  if (doomed.kind === 'plain') return check(doomed.plain.head, plainEntry(doomed.plain));
  const { entry } = doomed;
  if (entry.kind === 'delete-marker') return;
  const head = await headVersion(deps, call, key, entry);
  if (head !== undefined) await check(head, entry);
}

/**
 * A plain object is in no index, but who is about to adopt it has read one: the generation after it
 * makes him look again.
 */
function changeFor(doomed: Exclude<Doomed, { kind: 'adoptable' }>): VersionChange {
  if (doomed.kind === 'plain') return {};
  const { name, touched } = doomed.entry;
  return { remove: [{ name, touched }] };
}
