import type { CallContext } from '../../../backend/backend.js';
import { findEntry } from '../index-changes.js';
import type { VersionedKey } from '../names.js';
import { commitWritten, uncancelled, type VersionParts } from '../parts.js';
import { settle } from '../settle.js';

/**
 * Says in the index, and with the link, that a version is of another storage class: listings show
 * it. Nothing happens where they do already, or the version is gone.
 */
export async function moveVersion(
  parts: VersionParts,
  call: CallContext,
  of: VersionedKey,
  id: string,
  storageClass: string,
): Promise<void> {
  const work = uncancelled(call);
  const { stored, commit } = await commitWritten(parts, work, of, new Set(), (index) => {
    const entry = findEntry(index, id);
    if (entry?.kind !== 'version' || entry.storageClass === storageClass) return undefined;
    return { move: [{ name: entry.name, storageClass }] };
  });
  if (commit !== undefined) await settle(parts, work, of, stored);
}
