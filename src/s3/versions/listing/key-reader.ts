import type { Backend, CallContext, ListedObject } from '../../../backend/backend.js';
import type { ListedVersionEntry } from '../../xml/list-versions-result.js';
import type { Owner } from '../../xml/owner.js';
import { currentRef, type VersionedKey } from '../names.js';
import type { VersionIndex } from '../version-entry.js';
import type { CallCount } from './call-count.js';
import { hasSummary, listedSummary, listedVersions, type IndexSummary } from './index-summary.js';
import { currentState, isPlain, listVersions, positionBehind, versionsOf } from './key-versions.js';

/** What a page of versions is read from. */
export interface VersionsSource {
  readonly backend: Backend;
  readonly call: CallContext;
  readonly account: string;
  readonly bucket: string;
  /** Generation 0 without an index. */
  readonly readIndex: (call: CallContext, of: VersionedKey) => Promise<VersionIndex>;
  /** Brings what stands at the key in step with its index; harmless when it is. */
  readonly repairLink: (call: CallContext, of: VersionedKey) => Promise<void>;
  /** Shown with each version. */
  readonly owner?: Owner | undefined;
}

/** A key as the two listings show it. */
export interface FoundKey {
  readonly key: string;
  /** What stands at the key: an object or a link. */
  readonly current: ListedObject | undefined;
  /** Whether the archive has names of the key. */
  readonly isArchived: boolean;
  readonly index: ListedObject | undefined;
}

/** Reads the versions of keys, by what the listings tell where that is enough. */
export class KeyReader {
  /**
   * Whether what is listed of an index, or that none is, can be believed. Where an index can be
   * replaced by an older one, reading it is what notices.
   */
  readonly isListingEnough: boolean;

  constructor(
    private readonly source: VersionsSource,
    private readonly calls: CallCount,
  ) {
    const { atomicCreate, conditionalReplace } = source.backend.capabilities;
    this.isListingEnough = atomicCreate && conditionalReplace;
  }

  /** How many versions to expect, at a guess, and whether that takes a read of the index. */
  expect(found: FoundKey): { readonly versions: number; readonly isRead: boolean } {
    if (isUnversioned(found)) return { versions: 1, isRead: false };
    const versions = found.index === undefined ? undefined : listedVersions(found.index);
    return { versions: versions ?? 1, isRead: !this.#isTold(found) };
  }

  /** Whether a key has any version, of which nothing stands at the key. */
  async hasVersions({ key, index }: Pick<FoundKey, 'key' | 'index'>): Promise<boolean> {
    const versions =
      this.isListingEnough && index !== undefined ? listedVersions(index) : undefined;
    return (versions ?? (await this.#readIndex(key)).entries.length) > 0;
  }

  /** The versions of a key, newest first, at most `limit`. */
  async read(found: FoundKey, limit: number): Promise<ListedVersionEntry[]> {
    const versions = await this.#versionsOf(found);
    return listVersions(found.key, versions, 0, limit, this.source.owner);
  }

  /** Those behind one of them. What stands at the key is looked up: it need not be given. */
  async readBehind(
    found: FoundKey,
    versionId: string,
    limit: number,
  ): Promise<ListedVersionEntry[]> {
    const current = await this.#lookUp(found.key);
    const versions = await this.#versionsOf({ ...found, current });
    const position = positionBehind(versions, versionId);
    return listVersions(found.key, versions, position, limit, this.source.owner);
  }

  async #versionsOf(found: FoundKey) {
    const { key, current } = found;
    if (isUnversioned(found)) return versionsOf(current, []);
    const summary = this.#summary(found);
    let index = summary ?? (await this.#readIndex(key));
    let state = currentState(current, index);
    // The two listings are of two instants: this index has been replaced since.
    if (state === 'ahead' && summary !== undefined) {
      index = await this.#readIndex(key);
      state = currentState(current, index);
    }
    if (state === 'behind') await this.#repairLink(key);
    return versionsOf(state === 'plain' ? current : undefined, index.entries);
  }

  #summary(found: FoundKey): IndexSummary | undefined {
    return found.index && this.#isTold(found) ? listedSummary(found.index) : undefined;
  }

  /** Whether the listings are enough. That an object was adopted is only in the index itself. */
  #isTold({ current, index }: FoundKey): boolean {
    if (!this.isListingEnough || index === undefined || !hasSummary(index)) return false;
    return current === undefined || !isPlain(current);
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
