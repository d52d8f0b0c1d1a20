import type { CallContext, RemovedManifest, WriteClass } from '../../backend/backend.js';
import { NULL_VERSION_ID } from '../rules/version-id.js';
import { S3Error } from '../s3-error.js';
import { findEntry } from './index-changes.js';
import type { StoredIndex } from './index-store.js';
import type { VersionedKey } from './names.js';
import { commitWritten, type VersionParts } from './parts.js';
import { entryFor, type PlainObject, type Standing } from './standing.js';
import type { VersionChange, VersionEntry, VersionIndex } from './version-entry.js';

export interface Settled {
  readonly stored: StoredIndex;
  /** Of a large object that the link took the place of. */
  readonly replaced: RemovedManifest | undefined;
}

export interface SettleOptions {
  /** What probably stands at the key, to spare looking. */
  readonly expected?: Standing | undefined;
  /** Of what is written for it; `deletion` also in a full store. Default: `ordinary`. */
  readonly writeClass?: WriteClass | undefined;
}

/** Objects that keep appearing at a key while it is being brought in step. */
const ADOPTIONS_MAX = 10;

/**
 * Brings what stands at a key in step with its index; a plain object there that the index does not
 * know becomes a version first.
 *
 * @throws S3Error `ServiceUnavailable` when it does not hold still; BackendError NoSuchContainer
 *   without the bucket
 */
export async function settle(
  parts: VersionParts,
  call: CallContext,
  of: VersionedKey,
  stored: StoredIndex,
  { expected, writeClass = 'ordinary' }: SettleOptions = {},
): Promise<Settled> {
  let at = stored;
  let standing = expected;
  for (let adoptions = 0; adoptions <= ADOPTIONS_MAX; adoptions++) {
    const synced = await parts.link.sync(call, of, at, standing);
    if (synced.outcome === 'in-step') return synced;
    at = await adopt(parts, call, of, synced.plain, writeClass);
    standing = undefined;
  }
  throw new S3Error('ServiceUnavailable');
}

async function adopt(
  parts: VersionParts,
  call: CallContext,
  of: VersionedKey,
  plain: PlainObject,
  writeClass: WriteClass,
): Promise<StoredIndex> {
  const written = new Set<string>();
  const archive = archiver(parts, call, of, written, writeClass);
  const plan = async (index: VersionIndex): Promise<VersionChange | undefined> => {
    const entry = await archive(plain, index);
    return entry && { place: [entry] };
  };
  const { stored } = await commitWritten(parts, call, of, written, plan, writeClass);
  return stored;
}

/**
 * Puts plain objects into the archive, once each, however often a plan is made.
 *
 * A plain object becomes the version `null`; where the index has one already, an ordinary version:
 * nothing goes that a client of the store should not have written over, be it locked or not.
 *
 * @param written - told of the objects in the archive
 * @returns of a plain object and the index that is to know it, the entry; undefined when the index
 *   knows it already, or it is not there any more
 */
export function archiver(
  { adoption, archives }: VersionParts,
  call: CallContext,
  of: VersionedKey,
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
      await archives.ensure(call, of);
      entry = await adoption.archive(call, of, plain, { id, writeClass });
      if (entry === undefined) return undefined;
      archived.set(known, entry);
      written.add(entry.name);
    }
    return entry;
  };
}
