import type { ListedObject } from '../../../backend/backend.js';
import { S3Error } from '../../errors.js';
import type { PageSource } from '../../pages/page-source.js';
import { SYSTEM_METADATA } from '../../object/attributes.js';
import { DEFAULT_STORAGE_CLASS } from '../../rules/storage-class.js';
import { NULL_VERSION_ID } from '../../rules/version-id.js';
import type { ListedVersionEntry } from '../../xml/list-versions-result.js';
import { userOwner, type Owner } from '../../xml/owner.js';
import { wasLocked } from '../current-state.js';
import { currentRef, parseArchiveName, versionRef, type VersionedKey } from '../names.js';
import type { VersionEntry, VersionIndex } from '../version-entry.js';
import { archiveList, type CallCount } from './archive-scan.js';
import {
  LISTING_ATTRIBUTES,
  type IndexSummary,
  type SummaryEntry,
  listedSummary,
  listedVersions,
} from './index-summary.js';

/** An index as far as its listing entry shows it; a summary has no `adopted`. */
type KnownIndex = Omit<IndexSummary, 'entries'> & {
  readonly entries: readonly (SummaryEntry & Pick<VersionEntry, 'adopted' | 'touched'>)[];
};

/**
 * How the object at the key compares with the index:
 * - `in_step`
 * - `behind`: it is not yet, or not any more, what the index says
 * - `ahead`: it is in step with a newer index than this one
 * - `plain`: an object that no index knows, written by a client of the store itself
 */
export type ListedState = 'in_step' | 'behind' | 'ahead' | 'plain';

/** Whether a listed object is one by itself: a link says which generation it is in step with. */
export function isPlain({ attributes }: ListedObject): boolean {
  return attributes[LISTING_ATTRIBUTES.generation] === undefined;
}

/**
 * @param current - what is listed at the key, if anything
 * @param index - with `adopted` where that is an object by itself
 */
export function listedState(current: ListedObject | undefined, index: KnownIndex): ListedState {
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
  // There is one `null` version. A client that wrote this one directly to the store has overwritten
  // the other.
  return [plainVersion(plain), ...entries.filter(({ id }) => id !== NULL_VERSION_ID)];
}

/** A version as its own name and listing entry tell it; undefined for other names of an archive. */
function archivedVersion(object: ListedObject): SummaryEntry | undefined {
  const parsed = parseArchiveName(object.name);
  if (parsed?.kind !== 'version') return undefined;
  const { name } = parsed;
  const id = object.attributes[SYSTEM_METADATA.versionId] ?? name;
  return { ...plainVersion(object), id, name };
}

/** Whether an index is there, and cannot be read: it is damaged, or of a later release. */
function isUnreadable(error: unknown): boolean {
  return error instanceof S3Error && error.code === 'InternalError';
}

/** The limit of looks at an object that clients of the store keep replacing. */
const PLAIN_LOOKS_MAX = 3;

function isSameListed(one: ListedObject, other: ListedObject): boolean {
  return one.etag === other.etag && one.lastModified === other.lastModified;
}

/** The names of one key that are listed where its index cannot be read. */
const ARCHIVED_MAX = 1000;

function plainVersion({ size, etag, lastModified, attributes }: ListedObject): SummaryEntry {
  return {
    id: NULL_VERSION_ID,
    // Sorts before all names: nothing is newer.
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
 * The position of the next page, behind the last version of the page before. If that version is
 * gone, the ids decide: they begin with the inverted time. If clocks were wrong, ids may be out of
 * order: then some versions are repeated, and none is left out. A deleted `null` has no time, so
 * all versions are repeated: a client that deletes while it lists has deleted the earlier ones too.
 */
function positionBehind(versions: readonly SummaryEntry[], versionId: string): number {
  const known = versions.findIndex(({ id }) => id === versionId);
  if (known !== -1) return known + 1;
  if (versionId === NULL_VERSION_ID) return 0;
  const older = versions.findIndex(({ name }) => name > versionId);
  return older === -1 ? versions.length : older;
}

/** The versions of a key, newest first, and which of them is current; undefined: not known. */
interface KnownVersions {
  readonly versions: readonly SummaryEntry[];
  readonly latest: SummaryEntry | undefined;
}

function withLatest(versions: readonly SummaryEntry[]): KnownVersions {
  return { versions, latest: versions[0] };
}

/** The entries of a listing from a position on, at most `limit`. */
function listVersions(
  key: string,
  { versions, latest }: KnownVersions,
  position: number,
  limit: number,
  accountOwner: Owner | undefined,
): ListedVersionEntry[] {
  return versions.slice(position, position + limit).map((version) => {
    const { id: versionId, lastModified } = version;
    const owner = version.owner === undefined ? accountOwner : userOwner(version.owner);
    const identity = { key, versionId, isLatest: version === latest, lastModified, owner };
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

/** The source that a page of versions is read from. */
export interface VersionsSource extends PageSource {
  readonly account: string;
  readonly bucket: string;
  /** Shown with each version. */
  readonly owner?: Owner | undefined;
}

/** A key as the two listings show it. */
export interface FoundKey {
  readonly key: string;
  /** The object or link at the key, if any. */
  readonly current: ListedObject | undefined;
  /** Whether the archive has names of the key. */
  readonly isArchived: boolean;
  readonly index: ListedObject | undefined;
}

/** Reads the versions of keys, by what the listings tell where that is enough. */
export class KeyReader {
  /**
   * Whether the listing entry of an index, or its absence, is reliable. If an older index can
   * replace a newer one, only reading the index is.
   */
  readonly isListingEnough: boolean;

  constructor(
    private readonly source: VersionsSource,
    private readonly calls: CallCount,
  ) {
    this.isListingEnough = source.backend.capabilities.conditionalReplace;
  }

  /**
   * The versions of a key, newest first, at most `limit`, where the listings are enough and what
   * stands at the key is in step with them; undefined otherwise.
   */
  tell(found: FoundKey, limit: number): ListedVersionEntry[] | undefined {
    const { key, current } = found;
    if (isUnversioned(found)) return this.#list(key, withLatest(versionsOf(current, [])), 0, limit);
    const summary = this.#summary(found);
    if (summary === undefined || listedState(current, summary) !== 'in_step') return undefined;
    return this.#list(key, withLatest(summary.entries), 0, limit);
  }

  /** How many versions to expect of a key that has to be read. */
  expect({ index }: FoundKey): number {
    return (index && listedVersions(index)) ?? 1;
  }

  /** Whether a key has any version, of which nothing stands at the key. */
  async hasVersions({ key, index }: Pick<FoundKey, 'key' | 'index'>): Promise<boolean> {
    const versions =
      this.isListingEnough && index !== undefined ? listedVersions(index) : undefined;
    try {
      return (versions ?? (await this.#readIndex(key)).entries.length) > 0;
    } catch (error) {
      // Its versions are unknown: the key is not taken for one without versions.
      if (isUnreadable(error)) return true;
      throw error;
    }
  }

  /** The same, with the calls that it takes. */
  async read(found: FoundKey, limit: number): Promise<ListedVersionEntry[]> {
    const known = await this.#versionsOf(found);
    return this.#list(found.key, known, 0, limit);
  }

  /**
   * Reads the versions behind one of them. The current object is looked up and need not be given.
   */
  async readBehind(
    found: FoundKey,
    versionId: string,
    limit: number,
  ): Promise<ListedVersionEntry[]> {
    const current = await this.#lookUp(found.key);
    const known = await this.#versionsOf({ ...found, current });
    const position = positionBehind(known.versions, versionId);
    return this.#list(found.key, known, position, limit);
  }

  async #versionsOf(found: FoundKey): Promise<KnownVersions> {
    if (isUnversioned(found)) return withLatest(versionsOf(found.current, []));
    try {
      return withLatest(await this.#indexedVersions(found));
    } catch (error) {
      if (isUnreadable(error)) return this.#archivedVersions(found);
      throw error;
    }
  }

  async #indexedVersions(found: FoundKey): Promise<readonly SummaryEntry[]> {
    const { key } = found;
    let { current } = found;
    const summary = this.#summary(found);
    let index: KnownIndex = summary ?? (await this.#readIndex(key));
    let state = listedState(current, index);
    // The two listings are of two instants: this index has been replaced since.
    if (state === 'ahead' && summary !== undefined) {
      index = await this.#readIndex(key);
      state = listedState(current, index);
    }
    // The object may have become a version, and that may have been deleted, before the index was read.
    for (let looks = 0; state === 'plain' && looks < PLAIN_LOOKS_MAX; looks++) {
      const now = await this.#lookUp(key);
      if (now !== undefined && current !== undefined && isSameListed(now, current)) break;
      current = now;
      index = await this.#readIndex(key);
      state = listedState(current, index);
    }
    if (state === 'behind') await this.#repairLink(key);
    // It becomes a version beside the one that was locked, and gets its id by that.
    if (state === 'plain' && wasLocked(index.entries.find(({ id }) => id === NULL_VERSION_ID))) {
      await this.#repairLink(key);
      return (await this.#readIndex(key)).entries;
    }
    return versionsOf(state === 'plain' ? current : undefined, index.entries);
  }

  /**
   * The versions that lie in the archive, for a key whose index cannot be read: so a page shows that
   * they are there, and other keys can be listed. Which is current the link at the key tells,
   * or nothing does: then none is shown as the latest. Delete markers are only in the index.
   */
  async #archivedVersions({ key, current }: FoundKey): Promise<KnownVersions> {
    const list = archiveList(this.source, this.calls);
    const prefix = versionRef(this.#of(key), '').object;
    const { entries } = await list({ prefix, limit: ARCHIVED_MAX });
    const archived = entries.flatMap((entry) =>
      entry.kind === 'object' ? (archivedVersion(entry.object) ?? []) : [],
    );
    if (current !== undefined && isPlain(current)) return withLatest(versionsOf(current, archived));
    const linked = current?.attributes[SYSTEM_METADATA.versionId];
    return { versions: archived, latest: archived.find(({ id }) => id === linked) };
  }

  /**
   * The summary of the entries. It lacks which object was adopted: only the index itself has that.
   */
  #summary({ current, index }: FoundKey): IndexSummary | undefined {
    if (!this.isListingEnough || index === undefined) return undefined;
    return current !== undefined && isPlain(current) ? undefined : listedSummary(index);
  }

  #list(key: string, known: KnownVersions, position: number, limit: number) {
    return listVersions(key, known, position, limit, this.source.owner);
  }

  async #lookUp(key: string): Promise<ListedObject | undefined> {
    const { backend, call } = this.source;
    const query = { prefix: key, limit: 1 };
    const page = await this.calls.made(backend.listObjects(call, currentRef(this.#of(key)), query));
    const [entry] = page.entries;
    return entry?.kind === 'object' && entry.object.name === key ? entry.object : undefined;
  }

  #readIndex(key: string): Promise<VersionIndex> {
    return this.calls.made(this.source.readIndex(this.source.call, this.#of(key)));
  }

  #repairLink(key: string): Promise<void> {
    return this.calls.made(this.source.repairLink(this.source.call, this.#of(key)));
  }

  #of(key: string): VersionedKey {
    return { account: this.source.account, bucket: this.source.bucket, key };
  }
}

/** Nothing but an object by itself: the one version that it is. */
function isUnversioned({ current, isArchived }: FoundKey): boolean {
  return current !== undefined && !isArchived && isPlain(current);
}
