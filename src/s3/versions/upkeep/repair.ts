import type { CallContext, ListedObject } from '../../../backend/backend.js';
import { isCode } from '../../../backend/errors.js';
import { mapLimited } from '../../../lib/promises.js';
import { S3Error } from '../../errors.js';
import { SYSTEM_METADATA } from '../../object/attributes.js';
import { NULL_VERSION_ID } from '../../rules/version-id.js';
import { isInStep } from '../link-writes.js';
import { entryFor, entryOfObject, readCurrentState, type CurrentState } from '../current-state.js';
import type { VersionDeps } from '../deps.js';
import { headVersion } from '../find-version.js';
import { firstVersionOf } from '../first-index.js';
import { uncancelled } from '../commit-written.js';
import { NOTHING_STORED, type StoredIndex } from '../index-store.js';
import {
  archiveContainer,
  currentRef,
  isLinkToVersion,
  parseArchiveName,
  versionRef,
  type VersionedKey,
} from '../names.js';
import { syncCurrent } from '../sync-current.js';
import type { VersionChange, VersionEntry, VersionIndex } from '../version-entry.js';
import { versionNameOf } from './leftovers.js';
import { replaceUnreadable, unreadableDocument } from './unreadable-index.js';

/**
 * A repair finds what is wrong with the versions of a key, such as after a client has written to the
 * archive past the gateway, or a disk was lost for good, and mends it.
 *
 *     restore_index    the index is gone or cannot be read: made anew of what the archive holds
 *     drop_version     the index names a version whose object is gone for sure
 *     repair_link      the key is not in the state that the index says
 *
 * Facts that only an index knows are lost with it: delete markers, but for one that is current, and
 * which versions were never acknowledged.
 */
export type KeyFinding =
  | {
      readonly action: 'restore_index';
      /** Versions that the new index has. */
      readonly versions: number;
      /** Objects that may be versions in the making: they are left to a later repair. */
      readonly tooYoung: number;
      /** The document that could not be read; undefined where there was none. */
      readonly former: string | undefined;
    }
  /** @see {@link VersionEntry.id} */
  | { readonly action: 'drop_version'; readonly version: string; readonly size: number }
  | { readonly action: 'repair_link'; readonly standing: CurrentState['kind'] };

export type OnFinding = (finding: KeyFinding) => void;

const PAGE = 1000;
/** Reads under way at once. */
const CONCURRENCY = 8;

/**
 * @param mend - false: only tells; reading an index rolls it forward to its fences all the same
 * @param tell - called with each finding, once it is mended
 * @throws S3Error, BackendError: what it has not told of is as it was
 */
export async function repairKey(
  deps: VersionDeps,
  call: CallContext,
  key: VersionedKey,
  mend: boolean,
  tell: OnFinding,
): Promise<void> {
  const archived = await archivedVersions(deps, call, key);
  const readable = await readableIndex(deps, call, key);
  const isLost = readable === undefined || (readable.etag === undefined && archived.length > 0);
  let stored = readable ?? NOTHING_STORED;
  if (isLost) {
    const isUnreadable = readable === undefined;
    const restored = await restoreIndex(deps, call, key, archived, { isUnreadable, mend });
    if (restored === undefined) return;
    tell(restored.finding);
    if (!mend) return;
    stored = restored.stored;
  }
  stored = await dropLost(deps, call, key, stored, { archived, mend, tell });
  await repairLink(deps, call, key, stored, { mend, tell });
}

/** Undefined of one that is there and cannot be read. @throws when it is a fence that cannot be */
async function readableIndex(
  { commits, store }: VersionDeps,
  call: CallContext,
  key: VersionedKey,
): Promise<StoredIndex | undefined> {
  try {
    return await commits.read(call, key);
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    const alone = await store.readIndex(call, key).catch((second: unknown) => {
      if (isUnreadable(second)) return undefined;
      throw second;
    });
    if (alone !== undefined) throw error;
    return undefined;
  }
}

function isUnreadable(error: unknown): boolean {
  return error instanceof S3Error && error.code === 'InternalError';
}

/**
 * Without an index, one may be about to be written: what is younger is left alone. So is what was
 * written after an object at the key that is no link: it would have taken that object's place, had it
 * ever been acknowledged.
 */
async function youngestWithoutIndex(
  { backend, now, unfinishedMs }: VersionDeps,
  call: CallContext,
  key: VersionedKey,
): Promise<number> {
  const settled = now() - unfinishedMs;
  const standing = await readCurrentState(backend, call, key);
  return standing.kind === 'plain' ? Math.min(settled, standing.lastModified) : settled;
}

/** @returns undefined where there is nothing to restore yet */
async function restoreIndex(
  deps: VersionDeps,
  call: CallContext,
  key: VersionedKey,
  archived: readonly ListedObject[],
  { isUnreadable, mend }: { readonly isUnreadable: boolean; readonly mend: boolean },
): Promise<{ readonly finding: KeyFinding; readonly stored: StoredIndex } | undefined> {
  // With one that cannot be read, none is about to be written.
  const youngest = isUnreadable ? Infinity : await youngestWithoutIndex(deps, call, key);
  const old = archived.filter(({ lastModified }) => lastModified <= youngest);
  if (old.length === 0 && !isUnreadable) return undefined;
  const { versions, isDeleted } = await restoredVersions(deps, call, key, old);
  const former = isUnreadable ? await unreadableDocument(deps, call, key) : undefined;
  const finding = {
    action: 'restore_index',
    versions: versions.length,
    tooYoung: archived.length - old.length,
    former: former?.text,
  } as const;
  if (!mend) return { finding, stored: NOTHING_STORED };
  const work = uncancelled(call);
  const marker = deleteMarker(deps);
  const plan = ({ entries, removed }: VersionIndex): VersionChange | undefined => {
    // Fences that are still there have been carried out by now: they may tell of all there was.
    const known = new Set([...entries.map(({ name }) => name), ...removed]);
    const missing = versions.filter(({ name }) => !known.has(name));
    const all = entries.length === 0 ? { add: missing } : { place: missing };
    const names = new Set(versions.map(({ name }) => name));
    const isWrittenSince = entries.some(({ kind, name }) => kind === 'version' && !names.has(name));
    const wantsMarker = isDeleted && !isWrittenSince && entries[0]?.kind !== 'delete-marker';
    if (wantsMarker) return { ...all, add: [marker, ...(all.add ?? [])] };
    return missing.length === 0 ? undefined : all;
  };
  if (former !== undefined) {
    return { finding, stored: await replaceUnreadable(deps, work, key, former, plan) };
  }
  const { stored } = await deps.commits.commit(work, key, plan, { writeClass: 'deletion' });
  return { finding, stored };
}

/**
 * The versions in the archive, newest first, except that clients see the same as now: the version
 * that the link at the key leads to stays current, and a key without an object stays deleted.
 */
async function restoredVersions(
  deps: VersionDeps,
  call: CallContext,
  key: VersionedKey,
  archived: readonly ListedObject[],
): Promise<{ readonly versions: readonly VersionEntry[]; readonly isDeleted: boolean }> {
  const found = await mapLimited(archived, CONCURRENCY, (object) =>
    entryOf(deps, call, key, versionNameOf(object)),
  );
  const versions = withOneNull(found.filter((entry) => entry !== undefined));
  const current = await currentOf(deps, call, key);
  const linked = versions.find(({ name }) => name === current);
  const others = versions.filter((one) => one !== linked);
  const isDeleted = current === 'nothing' && versions.length > 0;
  return { versions: linked === undefined ? others : [linked, ...others], isDeleted };
}

/** Undefined of an object that is gone meanwhile. */
async function entryOf(
  deps: VersionDeps,
  call: CallContext,
  key: VersionedKey,
  name: string,
): Promise<VersionEntry | undefined> {
  try {
    const head = await deps.backend.headObject(call, versionRef(key, name), { newest: true });
    const { etag, systemMetadata } = head;
    const id = systemMetadata[SYSTEM_METADATA.versionId] ?? name;
    const written = systemMetadata[SYSTEM_METADATA.lastModified] ?? head.lastModified;
    return entryOfObject({ id, name, etag, lastModified: Number(written) }, head);
  } catch (error) {
    if (isCode(error, 'NoSuchObject')) return undefined;
    throw error;
  }
}

/** There is one version `null`; older ones keep the ids that they would have had otherwise. */
function withOneNull(entries: readonly VersionEntry[]): readonly VersionEntry[] {
  const newest = entries.find(({ id }) => id === NULL_VERSION_ID);
  return entries.map((entry) =>
    entry.id === NULL_VERSION_ID && entry !== newest ? { ...entry, id: entry.name } : entry,
  );
}

function deleteMarker({ ids, now }: VersionDeps): VersionEntry {
  const name = ids.mint();
  return { id: name, name, kind: 'delete-marker', lastModified: now(), size: 0, etag: '' };
}

/** The name of the version that the link at the key leads to, `nothing`, or undefined otherwise. */
async function currentOf(
  { backend }: VersionDeps,
  call: CallContext,
  key: VersionedKey,
): Promise<string | undefined> {
  try {
    const head = await backend.headObject(call, currentRef(key), { newest: true });
    if (head.link === undefined || !isLinkToVersion(currentRef(key), head)) return undefined;
    return firstVersionOf(head)?.name ?? versionNameOf({ name: head.link.target.object });
  } catch (error) {
    if (isCode(error, 'NoSuchObject')) return 'nothing';
    if (isCode(error, 'BrokenLink', 'Denied')) return undefined;
    throw error;
  }
}

async function dropLost(
  deps: VersionDeps,
  call: CallContext,
  key: VersionedKey,
  stored: StoredIndex,
  {
    archived,
    mend,
    tell,
  }: {
    readonly archived: readonly ListedObject[];
    readonly mend: boolean;
    readonly tell: OnFinding;
  },
): Promise<StoredIndex> {
  const listed = new Set(archived.map(versionNameOf));
  const unlisted = stored.index.entries.filter(
    ({ kind, name }) => kind === 'version' && !listed.has(name),
  );
  const lost: VersionEntry[] = [];
  await mapLimited(unlisted, CONCURRENCY, async (entry) => {
    // Listings lag: the object itself decides.
    if ((await headVersion(deps, call, key, entry)) === undefined) lost.push(entry);
  });
  if (lost.length === 0) return stored;
  let after = stored;
  if (mend) {
    const plan = ({ entries }: VersionIndex) => {
      const names = new Set(lost.map(({ name }) => name));
      const remove = entries.filter(({ name }) => names.has(name));
      if (remove.length === 0) return undefined;
      return { remove: remove.map(({ name, touched }) => ({ name, touched })) };
    };
    const work = uncancelled(call);
    after = (await deps.commits.commit(work, key, plan, { writeClass: 'deletion' })).stored;
  }
  for (const { id: version, size } of lost) tell({ action: 'drop_version', version, size });
  return after;
}

async function repairLink(
  deps: VersionDeps,
  call: CallContext,
  key: VersionedKey,
  stored: StoredIndex,
  { mend, tell }: { readonly mend: boolean; readonly tell: OnFinding },
): Promise<void> {
  // A key that never had versions: what stands there is as it should be.
  if (stored.etag === undefined) return;
  const { index } = stored;
  const state = await readCurrentState(deps.backend, call, key);
  // Another client of the store has written it: the version `null`, until it is written over.
  if (state.kind === 'plain' && entryFor(state, index) === undefined) return;
  if (isInStep(state, index.generation, index.entries[0]?.kind === 'version')) return;
  if (mend) await syncCurrent(deps, uncancelled(call), key, stored, { writeClass: 'deletion' });
  tell({ action: 'repair_link', standing: state.kind });
}

/** All objects of the archive that may be versions of the key, newest first. */
async function archivedVersions(
  { backend }: VersionDeps,
  call: CallContext,
  key: VersionedKey,
): Promise<readonly ListedObject[]> {
  const container = archiveContainer(key.account, key.bucket);
  const prefix = versionRef(key, '').object;
  const found: ListedObject[] = [];
  let marker: string | undefined;
  try {
    for (;;) {
      const page = await backend.listObjects(call, container, { prefix, marker, limit: PAGE });
      for (const entry of page.entries) {
        if (entry.kind !== 'object') continue;
        marker = entry.object.name;
        if (parseArchiveName(marker)?.kind === 'version') found.push(entry.object);
      }
      if (!page.truncated) return found;
    }
  } catch (error) {
    if (isCode(error, 'NoSuchContainer')) return [];
    throw error;
  }
}
