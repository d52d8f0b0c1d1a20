import type { ListedObject } from '../../../backend/backend.js';
import { SYSTEM_METADATA } from '../../object-attributes.js';
import { NULL_VERSION_ID } from '../../rules/version-id.js';
import type { VersionEntry } from '../version-entry.js';
import { CallCount } from './call-count.js';
import {
  LISTING_ATTRIBUTES,
  listedOutline,
  listedSummary,
  type SummaryEntry,
} from './index-summary.js';
import { KeyReader, type FoundKey, type VersionsSource } from './key-reader.js';
import { currentState, isPlain, versionsOf, type CurrentState } from './key-versions.js';
import { archiveList, bucketList } from './lists.js';
import { Merge } from './merge.js';

/** Keys one by one, for whoever goes through all of a bucket and not through a page of it. */

const NAMES_PER_LISTING = 1000;

/** A key, and its versions: newest first. */
export interface KeyState {
  readonly state: CurrentState;
  readonly versions: readonly SummaryEntry[];
}

/** All keys of a bucket that keeps versions, in order. @param after - begins behind this key */
export async function* keysOf(
  source: VersionsSource,
  after: string,
): AsyncGenerator<FoundKey, void, undefined> {
  const calls = new CallCount(Infinity);
  const lists = { bucket: bucketList(source, calls), archive: archiveList(source, calls) };
  const query = {
    prefix: '',
    delimiter: undefined,
    keyMarker: after,
    versionIdMarker: '',
    maxKeys: NAMES_PER_LISTING,
  };
  const reader = new KeyReader(source, calls);
  for await (const found of new Merge(lists, query, reader, calls, NAMES_PER_LISTING)) {
    if (found.kind === 'key') yield found.found;
  }
}

/**
 * What the listings tell of a key.
 * @returns undefined when its index has to be read
 */
export function tellKey(found: FoundKey): KeyState | undefined {
  const { current, index, isArchived } = found;
  if (current !== undefined && isPlain(current)) {
    return isArchived ? undefined : { state: 'plain', versions: versionsOf(current, []) };
  }
  const summary = index && listedSummary(index);
  if (summary === undefined) return undefined;
  const state = currentState(current, summary);
  return state === 'ahead' ? undefined : { state, versions: summary.entries };
}

/**
 * The current version alone, of a key whose index is too large to be told: by its link.
 * @returns undefined when the index has to be read
 */
export function tellCurrent({ current, index }: FoundKey): KeyState | undefined {
  const outline = index && listedOutline(index);
  if (outline === undefined || (current !== undefined && isPlain(current))) return undefined;
  // Behind a delete marker. That a link is missing there is found out by whoever asks for it.
  if (current === undefined && outline.deleteMarkers > 0) return { state: 'in_step', versions: [] };
  if (current === undefined) return { state: 'behind', versions: [] };
  const generation = Number(current.attributes[LISTING_ATTRIBUTES.generation]);
  if (generation !== outline.generation) return undefined;
  return { state: 'in_step', versions: [linkedVersion(current)] };
}

function linkedVersion({ attributes, size, etag, lastModified }: ListedObject): SummaryEntry {
  return {
    id: attributes[SYSTEM_METADATA.versionId] ?? NULL_VERSION_ID,
    name: '',
    kind: 'version',
    lastModified: Number(attributes[SYSTEM_METADATA.lastModified] ?? lastModified),
    size,
    etag,
    storageClass: attributes[SYSTEM_METADATA.storageClass],
  };
}

/** By the index itself. @param index - with `adopted` */
export function stateOf(
  current: ListedObject | undefined,
  index: { readonly generation: number; readonly entries: readonly VersionEntry[] },
): KeyState {
  const state = currentState(current, index);
  // What is behind an object that no index knows yet is settled when it is a version itself.
  return { state, versions: state === 'plain' ? versionsOf(current, []) : index.entries };
}
