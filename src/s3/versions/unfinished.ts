import type { CallContext, ObjectHead, WritePrecondition } from '../../backend/backend.js';
import { SYSTEM_METADATA } from '../object/attributes.js';
import { addEntry } from './add-entry.js';
import { isCode } from '../../backend/errors.js';
import type { CreatedVersion } from './create-version.js';
import { entryOfObject } from './current-state.js';
import {
  archiveContainer,
  isArchivableKey,
  parseArchiveName,
  versionRef,
  type VersionedKey,
} from './names.js';
import { commitWritten, uncancelled } from './commit-written.js';
import type { VersionDeps } from './deps.js';
import { headNewest } from './read-document.js';
import { followMoved } from './sync-current.js';
import type { VersionChange, VersionEntry, VersionIndex } from './version-entry.js';

/**
 * Versions made of an upload whose writer stopped between the manifest and the commit: it died, or
 * the store failed. The manifest has used the upload up, so only that object is left, and a
 * repeated completion commits it:
 *
 *     manifest in exchange for the marker ──▶ (writer stops) ──▶ found by its upload id ──▶ commit
 *
 * The index decides between requests that commit it and requests that give it up: a name among
 * `VersionIndex.removed` is never added.
 */
export interface UnfinishedVersion {
  readonly entry: VersionEntry;
  readonly head: ObjectHead;
  /** Whether the index rules it out: it was given up, or deleted. */
  readonly givenUp: boolean;
}

const PAGE = 1000;

/**
 * The objects of an upload in the archive, the newest first, whether an index names them or not.
 * Objects that the janitor may be about to sweep are left out.
 */
export async function findUnfinished(
  deps: VersionDeps,
  call: CallContext,
  key: VersionedKey,
  uploadId: string,
): Promise<readonly UnfinishedVersion[]> {
  if (!isArchivableKey(key.key, deps.backend.capabilities)) return [];
  const names = await namesOfUpload(deps, call, key, uploadId);
  if (names.length === 0) return [];
  const { index } = await deps.commits.read(call, key);
  const found = await Promise.all(
    names.map((name) => headNewest(deps.backend, call, versionRef(key, name))),
  );
  return found.flatMap((head, at) => {
    const name = names[at];
    if (head === undefined || name === undefined) return [];
    const givenUp = index.removed.includes(name);
    return [{ entry: entryOf(name, head), head, givenUp }];
  });
}

/**
 * Commits the version, as its writer would have; harmless when that has happened already.
 * @throws as VersionedKeys.createVersion; BackendError GuardMissing when it was given up
 */
export async function finishVersion(
  deps: VersionDeps,
  call: CallContext,
  key: VersionedKey,
  entry: VersionEntry,
  condition: WritePrecondition | undefined,
): Promise<CreatedVersion> {
  // It ends what has begun, also in a store that has run full meanwhile.
  const options = { condition, writeClass: 'deletion' } as const;
  const removed = await addEntry(deps, uncancelled(call), key, entry, options);
  const { id: versionId, etag, lastModified } = entry;
  return { versionId, etag, lastModified, removed };
}

/**
 * Makes sure that the version is never committed. Its object stays.
 * @returns false when the index names it, or another version of the same upload
 */
export function giveUpVersion(
  deps: VersionDeps,
  call: CallContext,
  key: VersionedKey,
  name: string,
  uploadId: string,
): Promise<boolean> {
  const work = uncancelled(call);
  const plan = ({ entries, removed }: VersionIndex): VersionChange | undefined => {
    const isCommitted = entries.some((entry) => entry.uploadId === uploadId);
    return isCommitted || removed.includes(name) ? undefined : { remove: [{ name }] };
  };
  return deps.queues.run(key, async () => {
    const { stored } = await commitWritten(deps, work, key, new Set(), plan, 'deletion');
    await followMoved(deps, work, key, stored);
    return stored.index.removed.includes(name);
  });
}

async function namesOfUpload(
  { backend, now, unfinishedMs }: VersionDeps,
  call: CallContext,
  key: VersionedKey,
  uploadId: string,
): Promise<string[]> {
  const container = archiveContainer(key.account, key.bucket);
  const prefix = versionRef(key, '').object;
  const oldest = now() - unfinishedMs;
  const names: string[] = [];
  let marker: string | undefined;
  try {
    for (;;) {
      const page = await backend.listObjects(call, container, { prefix, marker, limit: PAGE });
      for (const entry of page.entries) {
        if (entry.kind !== 'object') continue;
        const { name, attributes, lastModified } = entry.object;
        marker = name;
        const parsed = parseArchiveName(name);
        if (parsed?.kind !== 'version' || lastModified < oldest) continue;
        if (attributes[SYSTEM_METADATA.uploadId] === uploadId) names.push(parsed.name);
      }
      if (!page.truncated) return names;
    }
  } catch (error) {
    // A bucket without versions has no archive.
    if (isCode(error, 'NoSuchContainer')) return [];
    throw error;
  }
}

/** The entry that its writer would have committed. */
function entryOf(name: string, head: ObjectHead): VersionEntry {
  const { etag, lastModified, systemMetadata } = head;
  const id = systemMetadata[SYSTEM_METADATA.versionId] ?? name;
  return entryOfObject({ id, name, etag, lastModified }, head);
}
