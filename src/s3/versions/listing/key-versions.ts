import type { ListedObject } from '../../../backend/backend.js';
import { SYSTEM_METADATA } from '../../object-attributes.js';
import { DEFAULT_STORAGE_CLASS } from '../../rules/storage-class.js';
import { NULL_VERSION_ID } from '../../rules/version-id.js';
import type { ListedVersionEntry } from '../../xml/list-versions-result.js';
import { userOwner, type Owner } from '../../xml/owner.js';
import type { VersionEntry } from '../version-entry.js';
import { LISTING_ATTRIBUTES, type IndexSummary, type SummaryEntry } from './index-summary.js';

/** What an index and the listing entry at its key come to. */

/** Of a summary, `adopted` is not known. */
type KnownIndex = Omit<IndexSummary, 'entries'> & {
  readonly entries: readonly (SummaryEntry & Pick<VersionEntry, 'adopted'>)[];
};

/**
 * How what stands at the key goes with the index:
 * - `in_step`
 * - `behind`: it is not yet, or not any more, what the index says
 * - `ahead`: it is in step with a newer index than this one
 * - `plain`: an object that no index knows, written by a client of the store itself
 */
export type CurrentState = 'in_step' | 'behind' | 'ahead' | 'plain';

/** Whether a listed object is one by itself: a link says which generation it is in step with. */
export function isPlain({ attributes }: ListedObject): boolean {
  return attributes[LISTING_ATTRIBUTES.generation] === undefined;
}

/**
 * @param current - what is listed at the key, if anything
 * @param index - with `adopted` where that is an object by itself
 */
export function currentState(current: ListedObject | undefined, index: KnownIndex): CurrentState {
  const [latest] = index.entries;
  if (current === undefined) return latest?.kind === 'version' ? 'behind' : 'in_step';
  if (isPlain(current)) return isAdopted(current, index) ? 'behind' : 'plain';
  const generation = Number(current.attributes[LISTING_ATTRIBUTES.generation]);
  if (generation > index.generation) return 'ahead';
  return generation === index.generation && latest?.kind === 'version' ? 'in_step' : 'behind';
}

/** An adopted object lies in the archive too: it stays until the link takes its place. */
function isAdopted({ etag, lastModified }: ListedObject, { entries }: KnownIndex): boolean {
  return entries.some(
    ({ adopted }) => adopted?.etag === etag && adopted.lastModified === lastModified,
  );
}

/** All versions of a key, newest first. @param plain - the object in state `plain` */
export function versionsOf(
  plain: ListedObject | undefined,
  entries: readonly SummaryEntry[],
): readonly SummaryEntry[] {
  if (plain === undefined) return entries;
  // There is one `null` version. Who wrote this one past us has overwritten the other.
  return [plainVersion(plain), ...entries.filter(({ id }) => id !== NULL_VERSION_ID)];
}

function plainVersion({ size, etag, lastModified, attributes }: ListedObject): SummaryEntry {
  return {
    id: NULL_VERSION_ID,
    // Before all names: nothing is newer.
    name: '',
    kind: 'version',
    lastModified,
    size,
    etag,
    storageClass: attributes[SYSTEM_METADATA.storageClass],
    checksumAlgorithm: attributes[SYSTEM_METADATA.checksumAlgorithm],
    owner: attributes[SYSTEM_METADATA.owner],
  };
}

/**
 * Where a page goes on behind the version that the last one ended with. When that is gone, the ids
 * tell: they begin with the time, inverted. They need not be in order where clocks were not: then
 * some versions come again, and none is left out. A `null` that is gone says nothing about the time,
 * so that all versions come again: whoever deletes as he lists has deleted those before it too.
 */
export function positionBehind(versions: readonly SummaryEntry[], versionId: string): number {
  const known = versions.findIndex(({ id }) => id === versionId);
  if (known !== -1) return known + 1;
  if (versionId === NULL_VERSION_ID) return 0;
  const older = versions.findIndex(({ name }) => name > versionId);
  return older === -1 ? versions.length : older;
}

/** The entries of a listing from a position on, at most `limit`. */
export function listVersions(
  key: string,
  versions: readonly SummaryEntry[],
  position: number,
  limit: number,
  accountOwner: Owner | undefined,
): ListedVersionEntry[] {
  return versions.slice(position, position + limit).map((version, index) => {
    const { id: versionId, lastModified } = version;
    const owner = version.owner === undefined ? accountOwner : userOwner(version.owner);
    const identity = { key, versionId, isLatest: position + index === 0, lastModified, owner };
    if (version.kind === 'delete-marker') return { kind: 'delete-marker', ...identity };
    return {
      kind: 'version',
      ...identity,
      size: version.size,
      etag: version.etag,
      storageClass: version.storageClass ?? DEFAULT_STORAGE_CLASS,
      checksumAlgorithm: version.checksumAlgorithm,
    };
  });
}
