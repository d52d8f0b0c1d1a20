import type { CallContext, ListedObject } from '../../../backend/backend.js';
import { isCode } from '../backend-codes.js';
import { repairLink } from '../find-version.js';
import { archiveContainer, indexRef, versionRef, type VersionedKey } from '../names.js';
import { isIndexEnough, type UpkeepParts } from './leftovers.js';

export type IndexRemoval = 'done' | 'changed' | 'gone';

/**
 * Removes an index without entries, as it was listed, when nothing else lies under its key: a fence
 * that no index accounts for would pass for a change that is still to be made. What comes in between
 * names this index as the one that it follows, and so is void without it.
 */
export async function removeEmptyIndex(
  parts: UpkeepParts,
  call: CallContext,
  of: VersionedKey,
  { etag, lastModified }: ListedObject,
): Promise<IndexRemoval> {
  if (!isIndexEnough(parts)) return 'changed';
  try {
    const { index } = await parts.commits.read(call, of);
    if (index.generation === 0) return 'gone';
    if (index.entries.length > 0) return 'changed';
    // Without the index, nobody would know that a link has to go.
    await repairLinkOfBucket(parts, call, of);
    const prefix = versionRef(of, '').object;
    const container = archiveContainer(of.account, of.bucket);
    const { entries } = await parts.backend.listObjects(call, container, { prefix, limit: 2 });
    if (entries.length > 1) return 'changed';
    const { outcome } = await parts.backend.deleteObject(call, indexRef(of), {
      etag,
      lastModified,
    });
    return outcome === 'deleted' ? 'done' : 'changed';
  } catch (error) {
    if (isCode(error, 'NoSuchObject', 'NoSuchContainer')) return 'gone';
    throw error;
  }
}

async function repairLinkOfBucket(
  parts: UpkeepParts,
  call: CallContext,
  of: VersionedKey,
): Promise<void> {
  try {
    await repairLink(parts, call, of);
  } catch (error) {
    // The bucket is gone, and its links with it.
    if (!isCode(error, 'NoSuchContainer')) throw error;
  }
}
