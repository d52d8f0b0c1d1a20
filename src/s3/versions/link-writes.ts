import type { LinkInput, Metadata, RemovedManifest } from '../../backend/backend.js';
import { SYSTEM_METADATA } from '../object/attributes.js';
import type { CurrentState } from './current-state.js';
import { LISTING_ATTRIBUTES } from './listing/index-summary.js';
import { refOf, type StoredIndex } from './index-store.js';
import type { VersionedKey } from './names.js';
import type { VersionEntry } from './version-entry.js';

/** The outcome of a write to a key. */
export type WriteResult =
  | {
      readonly outcome: 'written';
      readonly replaced: RemovedManifest | undefined;
      /** Nothing older can take its place. */
      readonly isOrdered?: boolean;
      /** It has a time of its own, and takes the place of what was written since its writer looked. */
      readonly hasOwnTime?: boolean;
    }
  /** Something else stood there. */
  | {
      readonly outcome: 'different';
      /** The generation whose link was refused where nothing stood: something later was deleted. */
      readonly refused?: number | undefined;
    }
  /** The index is not what it was. */
  | { readonly outcome: 'overtaken' };

export const UNCHANGED: WriteResult = { outcome: 'written', replaced: undefined };

/** The content type with which Swift's own links are listed. */
const CONTENT_TYPE = 'application/symlink';

/** Whether what stands at a key is what an index of this generation says. */
export function isInStep(state: CurrentState, generation: number, isVersion: boolean): boolean {
  if (!isVersion) return state.kind === 'nothing';
  if (state.kind !== 'link' || state.lastModified === undefined) return false;
  return state.generation === generation;
}

/** The link to the version that is current in an index. */
export function linkTo(key: VersionedKey, entry: VersionEntry, stored: StoredIndex): LinkInput {
  const { generation } = stored.index;
  const { container, object } = refOf(key, entry, stored);
  const { size, etag } = entry;
  const systemMetadata = { [LISTING_ATTRIBUTES.generation]: String(generation) };
  const listingAttributes = { ...systemMetadata, ...attributesOf(entry) };
  const target = { container, object };
  const described = { size, etag, contentType: CONTENT_TYPE, systemMetadata, listingAttributes };
  return { target, ...described, isFixed: stored.body === entry.name };
}

/** The attributes of the version in listings of the bucket. */
function attributesOf({
  id,
  lastModified,
  storageClass,
  checksumAlgorithm,
  owner,
}: VersionEntry): Metadata {
  return {
    [SYSTEM_METADATA.versionId]: id,
    [SYSTEM_METADATA.lastModified]: String(lastModified),
    ...(storageClass === undefined ? {} : { [SYSTEM_METADATA.storageClass]: storageClass }),
    ...(checksumAlgorithm === undefined
      ? {}
      : { [SYSTEM_METADATA.checksumAlgorithm]: checksumAlgorithm }),
    ...(owner === undefined ? {} : { [SYSTEM_METADATA.owner]: owner }),
  };
}
