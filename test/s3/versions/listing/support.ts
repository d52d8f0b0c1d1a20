import { createHash } from 'node:crypto';
import type {
  Backend,
  ContainerRef,
  ListedObject,
  Metadata,
  ObjectPage,
  ObjectQuery,
} from '../../../../src/backend/backend.js';
import { BackendError } from '../../../../src/backend/errors.js';
import {
  indexListingAttributes,
  LISTING_ATTRIBUTES,
} from '../../../../src/s3/versions/listing/index-summary.js';
import type { VersionsSource } from '../../../../src/s3/versions/listing/key-reader.js';
import type { VersionsPageEntry } from '../../../../src/s3/versions/listing/versions-page.js';
import { hexKey } from '../../../../src/s3/versions/names.js';
import {
  NO_INDEX,
  type VersionEntry,
  type VersionIndex,
} from '../../../../src/s3/versions/version-entry.js';
import { byBytes, expectedPage } from '../../../contract/listing-oracle.js';

export const ACCOUNT = 'AUTH_test';
export const BUCKET = 'bucket';
export const PLAIN = { etag: 'e'.repeat(32), lastModified: 1_800_000_000_000 };
/** Of a page that begins the listing of all keys. */
export const FIRST_PAGE = {
  prefix: '',
  delimiter: undefined,
  keyMarker: '',
  versionIdMarker: '',
};
export const WHOLE = { ...FIRST_PAGE, maxKeys: 1000 };
const MD5 = '0123456789abcdef'.repeat(2);

/** A key of a bucket, in any state that writers, their crashes and other clients leave. */
export interface KeyState {
  readonly key: string;
  /** Undefined: an object that never had versions, or nothing at all. */
  readonly index?: VersionIndex | undefined;
  /** The state of the key's own object. */
  readonly current: 'in_step' | 'behind' | 'missing' | 'plain' | 'adopted';
  /** The content of the index's listing entry. */
  readonly told: 'summary' | 'versions' | 'nothing' | 'of_the_generation_before';
  /** Names in the archive that no index names. */
  readonly orphans: number;
  readonly fences: number;
}

/** Names as the archive has them: newest first. */
export function versionNames(key: string, count: number): string[] {
  return Array.from({ length: count }, (_, number) =>
    createHash('md5').update(`${key} ${number}`).digest('hex'),
  ).sort();
}

export function version(name: string, fields: Partial<VersionEntry> = {}): VersionEntry {
  const common = { id: name, name, lastModified: 1_700_000_000_000 } as const;
  return fields.kind === 'delete-marker'
    ? { ...common, kind: 'delete-marker', size: 0, etag: '', ...fields }
    : { ...common, kind: 'version', size: 12, etag: MD5, ...fields };
}

export function indexOf(entries: readonly VersionEntry[], generation = 7): VersionIndex {
  return { ...NO_INDEX, generation, commit: 'c'.repeat(32), entries };
}

/** In the order of the listing, as {@link textOf} says it; delete the prefix and delimiter: all. */
export function expectedVersions(
  states: readonly KeyState[],
  { prefix, delimiter }: { prefix: string; delimiter?: string | undefined },
): string[] {
  const shown = [...states]
    .sort((a, b) => byBytes(a.key, b.key))
    .filter(({ key }) => key.startsWith(prefix))
    .flatMap((state) => {
      const at = delimiter === undefined ? -1 : state.key.indexOf(delimiter, prefix.length);
      const texts = expectedOfKey(state);
      // That a link is to go is not seen where many are rolled up.
      const isRolledUp = at !== -1 && (texts.length > 0 || currentObjects(state).length > 0);
      if (!isRolledUp) return texts;
      return [`${state.key.slice(0, at + (delimiter ?? '').length)}*`];
    });
  return [...new Set(shown)];
}

export function expectedOfKey({ key, index, current }: KeyState): string[] {
  const entries = index?.entries ?? [];
  const versions =
    current === 'plain'
      ? [version('', { id: 'null' }), ...entries.filter(({ id }) => id !== 'null')]
      : entries;
  return versions.map(({ id, kind }, at) => textOf({ key, versionId: id, kind, isLatest: !at }));
}

/** Whether what stands at the key is not what the index says. */
export function isBehind({ index, current }: KeyState): boolean {
  if (current === 'plain') return false;
  if (current === 'adopted' || current === 'behind') return index !== undefined;
  return current === 'missing' && index?.entries[0]?.kind === 'version';
}

export function textOf(
  entry:
    | VersionsPageEntry
    | { key: string; versionId: string; kind: 'version' | 'delete-marker'; isLatest: boolean },
): string {
  if (entry.kind === 'prefix') return `${entry.prefix}*`;
  return `${entry.key} ${entry.versionId} ${entry.kind}${entry.isLatest ? ' latest' : ''}`;
}

/** A bucket in memory, that notes what was asked of it. */
export class BucketDouble {
  /** Containers that were listed, and `index` and `repair` with their keys. */
  readonly calls: string[] = [];
  /** Names of listings, together. */
  namesListed = 0;
  readonly source: VersionsSource;
  readonly #objects: ReadonlyMap<string, ReadonlyMap<string, ListedObject>>;
  readonly #indexes: ReadonlyMap<string, VersionIndex>;

  constructor(states: readonly KeyState[], isStrong = true) {
    const current = states.flatMap(currentObjects);
    const archive = states.flatMap(archiveObjects);
    this.#objects = new Map([
      [BUCKET, byName(current)],
      ...(archive.length === 0 ? [] : [[`${BUCKET}+versions`, byName(archive)] as const]),
    ]);
    this.#indexes = new Map(states.flatMap(({ key, index }) => (index ? [[key, index]] : [])));
    const capabilities = { conditionalReplace: isStrong };
    const backend = { capabilities, listObjects: this.#list, headContainer: this.#head };
    this.source = {
      backend: backend as unknown as Backend,
      call: { requestId: 'listing' },
      account: ACCOUNT,
      bucket: BUCKET,
      readIndex: (_, { key }) => {
        this.calls.push(`index ${key}`);
        return Promise.resolve(this.#indexes.get(key) ?? NO_INDEX);
      },
      repairLink: (_, { key }) => {
        this.calls.push(`repair ${key}`);
        return Promise.resolve();
      },
    };
  }

  /** Keys whose links were repaired. */
  get repaired(): ReadonlySet<string> {
    const repairs = this.calls.filter((call) => call.startsWith('repair '));
    return new Set(repairs.map((call) => call.slice('repair '.length)));
  }

  readonly #list = (_: unknown, ref: ContainerRef, query: ObjectQuery): Promise<ObjectPage> => {
    this.calls.push(ref.container);
    const objects = this.#objects.get(ref.container);
    if (objects === undefined) return Promise.reject(noSuchContainer());
    const { shown, truncated } = expectedPage([...objects.keys()], query);
    this.namesListed += shown.length;
    const entries = shown.map((text) => {
      const object = objects.get(text);
      return object === undefined
        ? ({ kind: 'prefix', prefix: text.slice(0, -1) } as const)
        : ({ kind: 'object', object } as const);
    });
    return Promise.resolve({ entries, truncated });
  };

  readonly #head = (_: unknown, ref: ContainerRef): Promise<void> => {
    this.calls.push(`head ${ref.container}`);
    return this.#objects.has(ref.container) ? Promise.resolve() : Promise.reject(noSuchContainer());
  };
}

function noSuchContainer(): BackendError {
  return new BackendError('NoSuchContainer', 'no such container');
}

function byName(objects: readonly ListedObject[]): Map<string, ListedObject> {
  return new Map(objects.map((object) => [object.name, object]));
}

function listed(name: string, attributes: Metadata = {}): ListedObject {
  return { name, size: 12, contentType: '', attributes, ...PLAIN };
}

function currentObjects({ key, index, current }: KeyState): ListedObject[] {
  if (current === 'plain' || current === 'adopted') return [listed(key)];
  if (current === 'missing' || index === undefined) return [];
  const generation = current === 'behind' ? index.generation - 1 : index.generation;
  if (current === 'in_step' && index.entries[0]?.kind !== 'version') return [];
  return [listed(key, { [LISTING_ATTRIBUTES.generation]: String(generation) })];
}

function archiveObjects(state: KeyState): ListedObject[] {
  const { key, index, orphans, fences } = state;
  const versions = (index?.entries ?? []).flatMap(({ name, kind }) =>
    kind === 'version' ? [name] : [],
  );
  const others = [
    ...versionNames(`${key} orphan`, orphans),
    ...Array.from({ length: fences }, (_, number) => `index.g${number + 1}.json`),
  ];
  const names = [...versions, ...others].map((name) => listed(`${hexKey(key)}/${name}`));
  if (index === undefined) return names;
  return [...names, listed(`${hexKey(key)}/index.json`, toldOf(state.told, index))];
}

function toldOf(told: KeyState['told'], index: VersionIndex): Metadata {
  if (told === 'nothing') return {};
  const attributes = indexListingAttributes(
    told === 'of_the_generation_before'
      ? { ...index, generation: index.generation - 1, entries: index.entries.slice(1) }
      : index,
  );
  const { [LISTING_ATTRIBUTES.versions]: versions = '' } = attributes;
  return told === 'versions' ? { [LISTING_ATTRIBUTES.versions]: versions } : attributes;
}
