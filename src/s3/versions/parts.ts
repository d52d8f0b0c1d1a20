import type {
  Backend,
  CallContext,
  ObjectHead,
  ObjectRef,
  RemovedManifest,
  WriteClass,
} from '../../backend/backend.js';
import type { Adoption } from './adoption.js';
import type { Archives } from './archives.js';
import { isCode } from './backend-codes.js';
import { InDoubtError } from './claims.js';
import type { CurrentLink } from './current-link.js';
import type { Committed, IndexCommits, Plan } from './index-commits.js';
import type { KeyQueues } from './key-queues.js';
import { versionRef, type VersionedKey } from './names.js';
import type { Commit, VersionEntry } from './version-entry.js';
import type { VersionIds } from './version-ids.js';

/** What the operations on versions are made of. */
export interface VersionParts {
  readonly backend: Backend;
  readonly commits: IndexCommits;
  readonly link: CurrentLink;
  readonly adoption: Adoption;
  readonly archives: Archives;
  readonly ids: VersionIds;
  readonly queues: KeyQueues;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** How old what a stopped writer has left may be for somebody to finish it: see unfinished.ts. */
  readonly unfinishedMs: number;
}

/** An object that is gone for good: of the archive, or the plain one at the key. */
export interface RemovedVersion {
  readonly ref: ObjectRef;
  /** Of a large object: its segments may be garbage now. */
  readonly manifest: RemovedManifest | undefined;
}

/**
 * What has begun to be committed is best finished, also when nobody waits for the answer any more, and
 * where the store refuses a call of many: who is told of it and tries again would do it twice.
 */
export function uncancelled({ requestId }: CallContext): CallContext {
  return { requestId, finishing: true };
}

/**
 * Commits a change whose entries have objects in the archive that were written for it. Those that
 * are not needed in the end are removed; where somebody else may still come to need them, they stay,
 * for the janitor.
 *
 * @param written - names of such objects; the plan may add more
 * @param writeClass - of what the commit writes; `deletion` also in a full store
 * @throws S3Error, BackendError; what the plan throws
 */
export async function commitWritten(
  parts: VersionParts,
  call: CallContext,
  of: VersionedKey,
  written: Set<string>,
  plan: Plan,
  writeClass: WriteClass = 'ordinary',
): Promise<Committed> {
  const keep = ({ change: { add = [], place = [] } }: Commit): void => {
    for (const { name } of [...add, ...place]) written.delete(name);
  };
  try {
    const committed = await parts.commits.commit(call, of, plan, { shown: keep, writeClass });
    if (committed.commit !== undefined) keep(committed.commit);
    await discardAll(parts, call, of, written);
    return committed;
  } catch (error) {
    if (error instanceof InDoubtError) throw error.cause;
    await discardAll(parts, call, of, written);
    throw error;
  }
}

/** Removes the object of a version that no index names any more; what cannot be is the janitor's. */
export async function discard(
  { backend }: VersionParts,
  { requestId, cancellation, watch }: CallContext,
  ref: ObjectRef,
): Promise<RemovedVersion> {
  try {
    // Without `finishing`: it is not worth a second try, with a store that is not well.
    const once = { requestId, cancellation, watch };
    const deleted = await backend.deleteObject(once, ref);
    return { ref, manifest: deleted.outcome === 'deleted' ? deleted.removedManifest : undefined };
  } catch {
    return { ref, manifest: undefined };
  }
}

/** @returns undefined when it is not there */
export async function headVersion(
  { backend }: VersionParts,
  call: CallContext,
  of: VersionedKey,
  entry: VersionEntry,
): Promise<ObjectHead | undefined> {
  try {
    const head = await backend.headObject(call, versionRef(of, entry.name), { newest: true });
    return withLocks(head, entry);
  } catch (error) {
    if (isCode(error, 'NoSuchObject', 'NoSuchContainer')) return undefined;
    throw error;
  }
}

/** A version's head as the index knows better: the object follows what is committed. */
function withLocks(head: ObjectHead, { locks }: VersionEntry): ObjectHead {
  if (locks === undefined) return head;
  const known = Object.entries({ ...head.systemMetadata, ...locks });
  const systemMetadata = Object.fromEntries(
    known.flatMap(([name, value]) => (value === null ? [] : [[name, value]])),
  );
  return { ...head, systemMetadata };
}

async function discardAll(
  parts: VersionParts,
  call: CallContext,
  of: VersionedKey,
  names: Iterable<string>,
): Promise<void> {
  for (const name of names) await discard(parts, call, versionRef(of, name));
}
