import type { CallContext, MetadataPatch, ObjectHead } from '../../backend/backend.js';
import { NULL_VERSION_ID } from '../rules/version-id.js';
import { S3Error } from '../errors.js';
import { isCode } from '../../backend/errors.js';
import { findEntry } from './index-changes.js';
import { versionRef, type VersionedKey } from './names.js';
import { commitWritten, uncancelled } from './commit-written.js';
import { headVersion } from './find-version.js';
import type { VersionDeps } from './deps.js';
import { followMoved, syncCurrent } from './sync-current.js';
import { readCurrentState } from './current-state.js';
import type { VersionEntry, VersionIndex } from './version-entry.js';

/**
 * Decides the change of a version's locks; throws when it is not allowed. Called on the very
 * generation that the change is committed on, with the locks as they are on it; perhaps repeatedly.
 */
export type LockChange = (
  head: ObjectHead,
  entry: VersionEntry,
) => MetadataPatch | Promise<MetadataPatch>;

/**
 * The limit of attempts to bring the metadata of a version in step with locks that others keep
 * changing.
 */
const ATTEMPTS_MAX = 20;

/**
 * Changes the locks of a version.
 *
 *     decide ──▶ commit: the index has them ──▶ the version's metadata has them, as in the index
 *
 * They are committed with the index, and not just written before it: of two writers that decide at
 * once, the later one decides again, and no late write can undo a change that it had not seen. GET
 * and HEAD, which read the version alone, find them in its metadata when this returns.
 */
export function touchVersion(
  deps: VersionDeps,
  call: CallContext,
  key: VersionedKey,
  id: string | undefined,
  change: LockChange,
): Promise<VersionEntry> {
  return deps.queues.run(key, () => touch(deps, uncancelled(call), key, id, change));
}

async function touch(
  deps: VersionDeps,
  work: CallContext,
  key: VersionedKey,
  id: string | undefined,
  change: LockChange,
): Promise<VersionEntry> {
  await adoptTouched(deps, work, key, id);
  let touched: VersionEntry | undefined;
  const { stored } = await commitWritten(deps, work, key, new Set(), async (index) => {
    const entry = requireVersion(index, id);
    const head = await headVersion(deps, work, key, entry);
    if (head === undefined) throw new S3Error('NoSuchVersion');
    const patch = await change(head, entry);
    touched = entry;
    const { name, touched: seen } = entry;
    return { touch: [{ name, touched: seen, locks: { ...entry.locks, ...patch } }] };
  });
  if (touched === undefined) throw new Error('a version was touched without a plan');
  await followMoved(deps, work, key, stored);
  await writeLocks(deps, work, key, touched, stored.index);
  return touched;
}

/** A plain object has no place for locks that a client of the store could not take away. */
async function adoptTouched(
  deps: VersionDeps,
  call: CallContext,
  key: VersionedKey,
  id: string | undefined,
): Promise<void> {
  if (id !== undefined && id !== NULL_VERSION_ID) return;
  const standing = await readCurrentState(deps.backend, call, key);
  if (standing.kind !== 'plain') return;
  await syncCurrent(deps, call, key, await deps.commits.read(call, key));
}

/** @throws S3Error `NoSuchVersion`, `NoSuchKey`, `MethodNotAllowed` */
function requireVersion(index: VersionIndex, id: string | undefined): VersionEntry {
  const entry = id === undefined ? index.entries[0] : findEntry(index, id);
  if (entry === undefined) throw new S3Error(id === undefined ? 'NoSuchKey' : 'NoSuchVersion');
  if (entry.kind === 'version') return entry;
  throw new S3Error('MethodNotAllowed');
}

/**
 * Writes the locks until they match the index: a request that has changed the index meanwhile may
 * have written earlier.
 */
async function writeLocks(
  { backend, commits }: VersionDeps,
  call: CallContext,
  key: VersionedKey,
  { name }: VersionEntry,
  committed: VersionIndex,
): Promise<void> {
  let index = committed;
  let written: string | undefined;
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
    const entry = index.entries.find((found) => found.name === name);
    // The version was deleted since, by a request that had seen the locks.
    if (entry === undefined || entry.touched === written) return;
    written = entry.touched;
    try {
      await backend.updateObject(call, versionRef(key, name), { systemMetadata: entry.locks });
    } catch (error) {
      if (!isCode(error, 'NoSuchObject')) throw error;
    }
    index = (await commits.read(call, key)).index;
  }
  throw new S3Error('ServiceUnavailable');
}
