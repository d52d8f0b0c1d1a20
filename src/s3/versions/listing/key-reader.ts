import type { Backend, CallContext, ListedObject } from '../../../backend/backend.js';
import type { ListedVersionEntry } from '../../xml/list-versions-result.js';
import type { Owner } from '../../xml/owner.js';
import { currentRef, type VersionedKey } from '../names.js';
import type { VersionIndex } from '../version-entry.js';
import type { CallCount } from './call-count.js';
import {
  listedSummary,
  listedVersions,
  type IndexSummary,
  type SummaryEntry,
} from './index-summary.js';
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
    this.isListingEnough = source.backend.capabilities.conditionalReplace;
  }

  /**
   * The versions of a key, newest first, at most `limit`, where the listings are enough and what
   * stands at the key is in step with them; undefined otherwise.
   */
  tell(found: FoundKey, limit: number): ListedVersionEntry[] | undefined {
    const { key, current } = found;
    if (isUnversioned(found)) return this.#list(key, versionsOf(current, []), 0, limit);
    const summary = this.#summary(found);
    if (summary === undefined || currentState(current, summary) !== 'in_step') return undefined;
    return this.#list(key, summary.entries, 0, limit);
  }

  /** How many versions to expect of a key that has to be read. */
  expect({ index }: FoundKey): number {
    return (index && listedVersions(index)) ?? 1;
  }

  /** Whether a key has any version, of which nothing stands at the key. */
  async hasVersions({ key, index }: Pick<FoundKey, 'key' | 'index'>): Promise<boolean> {
    const versions =
      this.isListingEnough && index !== undefined ? listedVersions(index) : undefined;
    return (versions ?? (await this.#readIndex(key)).entries.length) > 0;
  }

  /** The same, with the calls that it takes. */
  async read(found: FoundKey, limit: number): Promise<ListedVersionEntry[]> {
    const versions = await this.#versionsOf(found);
    return this.#list(found.key, versions, 0, limit);
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
    return this.#list(found.key, versions, position, limit);
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

  /** That an object was adopted is only in the index itself. */
  #summary({ current, index }: FoundKey): IndexSummary | undefined {
    if (!this.isListingEnough || index === undefined) return undefined;
    return current !== undefined && isPlain(current) ? undefined : listedSummary(index);
  }

  #list(key: string, versions: readonly SummaryEntry[], position: number, limit: number) {
    return listVersions(key, versions, position, limit, this.source.owner);
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
