import type { CallContext, ObjectRef, RemovedManifest, WriteClass } from '../../backend/backend.js';
import type { VersionDeps } from './deps.js';
import { InDoubtError, type CommitOptions, type Committed, type Plan } from './index-commits.js';
import { type VersionedKey, versionRef } from './names.js';
import type { Commit } from './version-entry.js';

/** An object that is gone for good: of the archive, or the plain one at the key. */
export interface RemovedVersion {
  readonly ref: ObjectRef;
  /** The manifest of a large object, whose segments may be garbage now. */
  readonly manifest: RemovedManifest | undefined;
}

/**
 * A call that is not cancelled, and is repeated when the store refuses it. A commit that has begun
 * should be finished, also when the client has left: a client that gets an error and tries again
 * would do it twice.
 */
export function uncancelled({ requestId }: CallContext): CallContext {
  return { requestId, finishing: true };
}

/**
 * Commits a change whose entries have objects in the archive that were written for it. Objects that
 * are not needed in the end are removed; those that another request may still need are left to the
 * janitor.
 *
 * @param written - names of such objects; the plan may add more
 * @param writeClass - of what the commit writes; `deletion` also in a full store
 * @param more - see {@link CommitOptions}
 * @throws S3Error, BackendError; what the plan throws
 */
export async function commitWritten(
  deps: VersionDeps,
  call: CallContext,
  key: VersionedKey,
  written: Set<string>,
  plan: Plan,
  writeClass: WriteClass = 'ordinary',
  more: Pick<CommitOptions, 'isPostponable' | 'mayBeNew'> = {},
): Promise<Committed> {
  const keep = ({ change: { add = [], place = [] } }: Commit): void => {
    for (const { name } of [...add, ...place]) written.delete(name);
  };
  try {
    const options = { ...more, shown: keep, writeClass };
    const committed = await deps.commits.commit(call, key, plan, options);
    if (committed.commit !== undefined) keep(committed.commit);
    await discardAll(deps, call, key, written);
    return committed;
  } catch (error) {
    if (error instanceof InDoubtError) throw error.cause;
    await discardAll(deps, call, key, written);
    throw error;
  }
}

/** Removes the object of a version that no index names any more; what cannot be is the janitor's. */
export async function discard(
  { backend }: VersionDeps,
  { requestId, cancellation, watch }: CallContext,
  ref: ObjectRef,
): Promise<RemovedVersion> {
  try {
    // A call without `finishing`: it is not worth a second attempt at an unhealthy store.
    const once = { requestId, cancellation, watch };
    const deleted = await backend.deleteObject(once, ref);
    return { ref, manifest: deleted.outcome === 'deleted' ? deleted.removedManifest : undefined };
  } catch {
    return { ref, manifest: undefined };
  }
}

async function discardAll(
  deps: VersionDeps,
  call: CallContext,
  key: VersionedKey,
  names: Iterable<string>,
): Promise<void> {
  for (const name of names) await discard(deps, call, versionRef(key, name));
}
