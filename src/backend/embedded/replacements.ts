import type { PutOutcome } from '../backend.js';
import { UncertainCommitError } from './commit-queue.js';
import { type Replacement, replaceObject } from './object-changes.js';
import type { StoreDeps } from './deps.js';

/** How a new object or content gets into the index. */

/** A replacement, and the ETag to answer with. */
export interface SealedReplacement {
  readonly replacement: Replacement;
  readonly etag: string;
}

/** @throws BackendError NoSuchContainer, what the replacement's check throws, as a commit */
export async function commitReplacement(
  { commits, reaper, owner }: StoreDeps,
  { replacement, etag }: SealedReplacement,
): Promise<PutOutcome> {
  const { outcome, freed } = await commits.run(replaceObject(replacement, owner));
  reaper.add(freed);
  if (outcome === 'precondition_failed') return PRECONDITION_FAILED;
  const { lastModified, manifest } = outcome;
  if (manifest === undefined) return { outcome: 'created', etag, lastModified };
  return { outcome: 'created', etag, lastModified, replacedManifest: manifest };
}

/**
 * Commits an object whose body is a file. `make` creates the file of a reserved id; when it returns
 * a replacement, file and folder entry have to be on disk. A file that does not become the object's
 * body is removed again.
 * @returns undefined when `make` gave no replacement
 */
export async function commitWithFile(
  deps: StoreDeps,
  make: (bodyId: number) => Promise<SealedReplacement | undefined>,
): Promise<PutOutcome | undefined> {
  return withBodyFile(
    deps,
    async (bodyId) => {
      const sealed = await make(bodyId);
      return sealed && commitReplacement(deps, sealed);
    },
    (outcome) => outcome?.outcome === 'created',
  );
}

/**
 * The same for any commit: `commit` makes the file, and an object's body of it.
 * @param isKept - whether it has become one
 */
export async function withBodyFile<T>(
  deps: StoreDeps,
  commit: (bodyId: number) => Promise<T>,
  isKept: (outcome: T) => boolean,
): Promise<T> {
  const bodyId = await deps.reservations.take();
  let outcome: T;
  try {
    outcome = await commit(bodyId);
  } catch (error) {
    // An uncertain commit may have made the file part of an object: its row tells recovery.
    if (!(error instanceof UncertainCommitError)) await discard(deps, bodyId);
    throw error;
  }
  if (!isKept(outcome)) await discard(deps, bodyId);
  return outcome;
}

/** Removes a file that became no object's body. Its row stays, and with it the id may be reused. */
async function discard({ files, reservations }: StoreDeps, bodyId: number): Promise<void> {
  try {
    await files.unlink(bodyId);
    reservations.give(bodyId);
  } catch {
    // The row in the reclaim table tells recovery; the error that led here is the one to report.
  }
}

export const PRECONDITION_FAILED: PutOutcome = { outcome: 'precondition_failed' };
