import type { CallContext, RemovedManifest, WriteClass } from '../../backend/backend.js';
import { NULL_VERSION_ID } from '../rules/version-id.js';
import { S3Error } from '../errors.js';
import { findEntry } from './index-changes.js';
import type { StoredIndex } from './index-store.js';
import type { VersionedKey } from './names.js';
import { commitWritten } from './commit-written.js';
import type { VersionDeps } from './deps.js';
import {
  entryFor,
  isSamePlain,
  readCurrentState,
  type CurrentState,
  type PlainObject,
} from './current-state.js';
import type { VersionChange, VersionEntry, VersionIndex } from './version-entry.js';

export interface SyncedIndex {
  readonly stored: StoredIndex;
  /** The manifest of a large object that the link replaced. */
  readonly replaced: RemovedManifest | undefined;
}

export interface SyncOptions {
  /** The probable state of the key, to spare looking. */
  readonly expected?: CurrentState | undefined;
  /** The class of the writes; `deletion` is possible also in a full store. Default: `ordinary`. */
  readonly writeClass?: WriteClass | undefined;
}

/** Objects that keep appearing at a key while it is being brought in step. */
const ADOPTIONS_MAX = 10;

/**
 * Brings a key in step with its index; a plain object there that the index does not know becomes a
 * version first.
 *
 * @throws S3Error `ServiceUnavailable` when it does not hold still; BackendError NoSuchContainer
 *   without the bucket
 */
export async function syncCurrent(
  deps: VersionDeps,
  call: CallContext,
  key: VersionedKey,
  stored: StoredIndex,
  { expected, writeClass = 'ordinary' }: SyncOptions = {},
): Promise<SyncedIndex> {
  let at = stored;
  let standing = expected;
  for (let adoptions = 0; adoptions <= ADOPTIONS_MAX; adoptions++) {
    const synced = await deps.link.sync(call, key, at, standing);
    if (synced.outcome === 'in-step') return synced;
    deps.plainSightings.note(key, synced.plain);
    at = await adopt(deps, call, key, synced.plain, writeClass);
    standing = undefined;
  }
  throw new S3Error('ServiceUnavailable');
}

/**
 * The link follows a first version that this index, or one before it, has moved out of its place: the
 * only one of its key, since a newer one brings a link of its own.
 */
export async function followMoved(
  deps: VersionDeps,
  call: CallContext,
  key: VersionedKey,
  stored: StoredIndex,
): Promise<void> {
  if (deps.backend.capabilities.conditionalReplace || stored.index.entries.length !== 1) return;
  await syncCurrent(deps, call, key, stored);
}

async function adopt(
  deps: VersionDeps,
  call: CallContext,
  key: VersionedKey,
  plain: PlainObject,
  writeClass: WriteClass,
): Promise<StoredIndex> {
  const written = new Set<string>();
  const archive = archiver(deps, call, key, written, writeClass);
  const plan = async (index: VersionIndex): Promise<VersionChange | undefined> => {
    // Others may have adopted it since it was seen, and deleted the version: the index that the plan
    // is made for knows nothing of it then, and the object is not at the key any more.
    const now = await readCurrentState(deps.backend, call, key);
    if (now.kind !== 'plain' || !isSamePlain(now, plain)) return undefined;
    const entry = await archive(plain, index);
    return entry && { place: [entry] };
  };
  const { stored } = await commitWritten(deps, call, key, written, plan, writeClass);
  return stored;
}

/**
 * Puts plain objects into the archive, once each, however often a plan is made.
 *
 * A plain object becomes the version `null`; where the index has one already, an ordinary version:
 * nothing goes that a client of the store should not have written over, be it locked or not.
 *
 * Plans have to see the object at the key after the index was read that they are made for: an object
 * that is gone from there is a version already, or was one.
 *
 * @param written - told of the objects in the archive
 * @returns of a plain object and the index that is to know it, the entry; undefined when the index
 *   knows it already, or it is not there any more
 */
export function archiver(
  { adoption, archives }: VersionDeps,
  call: CallContext,
  key: VersionedKey,
  written: Set<string>,
  writeClass: WriteClass,
): (plain: PlainObject, index: VersionIndex) => Promise<VersionEntry | undefined> {
  const archived = new Map<string, VersionEntry>();
  return async (plain, index) => {
    if (entryFor(plain, index) !== undefined) return undefined;
    const hasNull = findEntry(index, NULL_VERSION_ID) !== undefined;
    const id = hasNull ? undefined : NULL_VERSION_ID;
    const known = `${plain.etag} ${plain.lastModified} ${id ?? ''}`;
    let entry = archived.get(known);
    if (entry === undefined) {
      await archives.ensure(call, key);
      entry = await adoption.archive(call, key, plain, { id, writeClass });
      if (entry === undefined) return undefined;
      archived.set(known, entry);
      written.add(entry.name);
    }
    return entry;
  };
}

export async function currentEntry(
  deps: VersionDeps,
  call: CallContext,
  key: VersionedKey,
): Promise<VersionEntry | undefined> {
  const stored = await deps.commits.read(call, key);
  const [current] = stored.index.entries;
  if (current?.kind === 'version') await syncCurrent(deps, call, key, stored);
  return current;
}

export async function repairLink(
  deps: VersionDeps,
  call: CallContext,
  key: VersionedKey,
): Promise<void> {
  const stored = await deps.commits.read(call, key);
  if (stored.etag !== undefined) await syncCurrent(deps, call, key, stored);
}
