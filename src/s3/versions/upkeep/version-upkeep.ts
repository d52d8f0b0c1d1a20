import type { CallContext, ListedObject, ObjectHead } from '../../../backend/backend.js';
import type { VersionedKey } from '../names.js';
import { headVersion, type RemovedVersion } from '../parts.js';
import type { VersionEntry } from '../version-entry.js';
import { removeEmptyIndex, type IndexRemoval } from './empty-index.js';
import {
  findLeftovers,
  isIndexEnough,
  removeLeftovers,
  type Leftovers,
  type UpkeepParts,
} from './leftovers.js';
import { moveVersion } from './move.js';
import { pruneVersions, type PrunedVersion, type Pruning } from './prune.js';

/**
 * What the janitor does with versions: removes those that rules want to go, and what commits leave
 * behind. All throw as VersionedKeys does.
 */
export class VersionUpkeep {
  constructor(private readonly parts: UpkeepParts) {}

  /**
   * Whether what is listed of an index can be believed: where an older one may come back, only
   * reading it tells.
   */
  get isListingEnough(): boolean {
    return isIndexEnough(this.parts);
  }

  /** Removes versions and delete markers of a key for good. @throws what the pruning throws */
  prune(call: CallContext, of: VersionedKey, pruning: Pruning): Promise<readonly PrunedVersion[]> {
    return pruneVersions(this.parts, call, of, pruning);
  }

  /** Of a version, with its locks; undefined when its object is gone. */
  head(call: CallContext, of: VersionedKey, entry: VersionEntry): Promise<ObjectHead | undefined> {
    return headVersion(this.parts, call, of, entry);
  }

  /** Says in the index that a version is of another storage class. @param id - of S3 */
  move(call: CallContext, of: VersionedKey, id: string, storageClass: string): Promise<void> {
    return moveVersion(this.parts, call, of, id, storageClass);
  }

  /** Which of these nothing needs any more. */
  findLeftovers(call: CallContext, of: VersionedKey, listed: Leftovers): Promise<Leftovers> {
    return findLeftovers(this.parts, call, of, listed);
  }

  /** Removes those of them that nothing needs any more. @returns the objects that went */
  removeLeftovers(
    call: CallContext,
    of: VersionedKey,
    found: Leftovers,
  ): Promise<readonly RemovedVersion[]> {
    return removeLeftovers(this.parts, call, of, found);
  }

  /** Removes an index without entries, as it was listed, when nothing else lies under its key. */
  removeEmptyIndex(
    call: CallContext,
    of: VersionedKey,
    listed: ListedObject,
  ): Promise<IndexRemoval> {
    return removeEmptyIndex(this.parts, call, of, listed);
  }
}
