import type {
  Backend,
  CallContext,
  FollowedLink,
  ObjectHead,
  WritePrecondition,
} from '../../backend/backend.js';
import { isCode } from '../../backend/errors.js';
import { BoundedCache } from '../../lib/bounded-cache.js';
import { listedOwner, readStoredChecksum, SYSTEM_METADATA } from '../object/attributes.js';
import { ACL_METADATA } from '../rules/acl/stored.js';
import { NULL_VERSION_ID } from '../rules/version-id.js';
import { onBehalfOfBucket } from './bucket-behalf.js';
import { findEntry } from './index-changes.js';
import { LISTING_ATTRIBUTES } from './listing/index-summary.js';
import {
  currentRef,
  isIndexRef,
  isLinkToVersion,
  leadsToArchive,
  nameOfBucket,
  type VersionedKey,
} from './names.js';
import type { VersionEntry, VersionIndex } from './version-entry.js';

/** An object at a key that is no link of ours, and so the version `null` unless an index knows it. */
export interface PlainObject {
  readonly kind: 'plain';
  /**
   * The ETag of the object itself, also of a link which another client of the store has written.
   */
  readonly etag: string;
  readonly lastModified: number;
  readonly head: ObjectHead;
}

export function isSamePlain(one: PlainObject, other: PlainObject): boolean {
  return one.etag === other.etag && one.lastModified === other.lastModified;
}

/** The state of a key in the bucket itself. */
export type CurrentState =
  | {
      readonly kind: 'nothing';
      /** A time after which nothing can have been deleted here; undefined where it is not known. */
      readonly since?: number | undefined;
    }
  | {
      readonly kind: 'link';
      /** The generation of the index that the link was in step with. */
      readonly generation: number;
      readonly etag: string;
      /** Undefined where it is only known what the link should be. */
      readonly lastModified: number | undefined;
    }
  /** A link whose version is gone: its properties cannot be read through it. */
  | { readonly kind: 'broken-link' }
  | PlainObject;

const NO_OBJECT: CurrentState = { kind: 'nothing' };
const BROKEN: CurrentState = { kind: 'broken-link' };

/**
 * A pointer of a client of the store that leads out of the bucket is told of itself: what it leads to
 * is no part of the bucket.
 * @throws BackendError NoSuchContainer without the bucket
 */
export async function readCurrentState(
  backend: Backend,
  call: CallContext,
  key: VersionedKey,
): Promise<CurrentState> {
  const ofBucket = onBehalfOfBucket(call, key.bucket);
  const head = (linkItself: boolean) =>
    backend.headObject(ofBucket, currentRef(key), { newest: true, linkItself });
  try {
    const found = await head(false).catch((error: unknown) => {
      if (!isCode(error, 'Denied')) throw error;
      return head(true);
    });
    return currentStateOf(key, found);
  } catch (error) {
    if (isCode(error, 'NoSuchObject')) return NO_OBJECT;
    if (!isCode(error, 'BrokenLink')) throw error;
    const { conditionalReplace } = backend.capabilities;
    return conditionalReplace ? BROKEN : brokenLink(key, await head(true).catch(() => undefined));
  }
}

/**
 * A broken link where the store orders writes: what takes its place stands behind it. One to a first
 * version that has moved is of no generation, and so in step with no index; that to a version which is
 * lost is as it should be.
 */
function brokenLink(key: VersionedKey, itself: ObjectHead | undefined): CurrentState {
  const ref = currentRef(key);
  const link = itself?.link;
  if (link === undefined || !leadsToArchive(ref, link)) return BROKEN;
  const { etag, lastModified } = link;
  const isOfFirst = isIndexRef({ ...ref, ...link.target });
  return { kind: 'link', generation: isOfFirst ? 0 : generationOf(link), etag, lastModified };
}

function currentStateOf(key: VersionedKey, head: ObjectHead): CurrentState {
  const { link } = head;
  const { etag, lastModified } = link ?? head.storeLink ?? head;
  const isOurs = isLinkToVersion(currentRef(key), head);
  if (link === undefined || !isOurs) return { kind: 'plain', etag, lastModified, head };
  return { kind: 'link', generation: generationOf(link), etag, lastModified };
}

function generationOf({ systemMetadata }: FollowedLink): number {
  return Number(systemMetadata[LISTING_ATTRIBUTES.generation] ?? 0);
}

/** The state of a key that is in step with its index: to be tried before looking. */
export function expectedCurrentState({ generation, entries }: VersionIndex): CurrentState {
  const [current] = entries;
  if (current?.kind !== 'version') return NO_OBJECT;
  return { kind: 'link', generation, etag: current.etag, lastModified: undefined };
}

/**
 * The precondition of a write that replaces exactly this.
 * @returns undefined where it cannot be said
 */
export function preconditionOn(state: CurrentState): WritePrecondition | undefined {
  if (state.kind === 'nothing') return { absent: true };
  if (state.kind === 'broken-link') return undefined;
  const { etag, lastModified } = state;
  return { etag, lastModified };
}

/**
 * The entry that a plain object has become, or made way for; or that shows through a link of the
 * store's own versioning: that has taken our link for an object, and put its own in its place.
 */
export function entryFor(
  { etag, lastModified, head }: PlainObject,
  { entries }: VersionIndex,
): VersionEntry | undefined {
  return entries.find(
    (entry) =>
      (entry.adopted?.etag === etag && entry.adopted.lastModified === lastModified) ||
      (head.storeLink !== undefined && isObjectOf(entry, head)),
  );
}

/**
 * Whether a plain object is the version `null` instead of one that the index has: the index does not
 * know it, and the other was never locked. A locked one stays `null`, and this one becomes an
 * ordinary version beside it.
 */
export function isNewNull(plain: PlainObject, index: VersionIndex): boolean {
  return entryFor(plain, index) === undefined && !wasLocked(findEntry(index, NULL_VERSION_ID));
}

export function wasLocked(entry: Pick<VersionEntry, 'touched'> | undefined): boolean {
  return entry?.touched !== undefined;
}

/**
 * Whether the object that one of these entries has come of, or taken the place of, is still at the key
 * itself. Were the entry removed now, that would pass for an object that no index knows, and come
 * back. A link of the store's own versioning does not make way.
 */
export function standsFor(
  state: CurrentState,
  index: VersionIndex,
  entries: readonly VersionEntry[],
): boolean {
  if (state.kind !== 'plain' || state.head.storeLink !== undefined) return false;
  const known = entryFor(state, index);
  return known !== undefined && entries.includes(known);
}

function isObjectOf(entry: VersionEntry, { size, etag, lastModified, systemMetadata }: ObjectHead) {
  const writtenAt = Number(systemMetadata[SYSTEM_METADATA.lastModified] ?? lastModified);
  return entry.size === size && entry.etag === etag && entry.lastModified === writtenAt;
}

/** The limit of the buckets that {@link PlainSightings} remembers. */
const BUCKETS_MAX = 1000;
/** How long all keys without a version are looked at after a plain object was seen in a bucket. */
const SEEN_MS = 600_000;

/**
 * Whether keys without a current version tend to have plain objects in a bucket: objects from before
 * its versions, or of clients of the store. It only says which of two correct ways is cheaper. A
 * writer that looks at such a key first puts a plain object into the index with its own version. A
 * writer that does not look creates the link exclusively, and adopts the object when that fails:
 * several requests more, where there is an object, and one less where there is none.
 */
export class PlainSightings {
  /** Buckets where a look has found a plain object lately. */
  readonly #seen: BoundedCache<true>;
  /** Buckets where a look has found none. */
  readonly #unseen = new BoundedCache<true>({ weightMax: BUCKETS_MAX });

  /** @param now - milliseconds that never go back */
  constructor(now: () => number = () => performance.now()) {
    this.#seen = new BoundedCache({ weightMax: BUCKETS_MAX, lifeMs: SEEN_MS, now });
  }

  /** Notes the state that a look at a key without a current version has found. */
  note(key: VersionedKey, { kind }: CurrentState): void {
    (kind === 'plain' ? this.#seen : this.#unseen).set(nameOfBucket(key), true);
  }

  /** Whether a plain object is unlikely: looks have found none for a while. */
  areUnlikely(key: VersionedKey): boolean {
    const name = nameOfBucket(key);
    return this.#unseen.get(name) !== undefined && this.#seen.get(name) === undefined;
  }
}

/** The entry that a plain object would have: it is the version `null`. */
export function plainEntry({ head, etag, lastModified }: PlainObject): VersionEntry {
  return entryOfObject({ id: NULL_VERSION_ID, name: '', etag, lastModified }, head);
}

/** The entry of an object, by what its writer has stored with it. */
export function entryOfObject(
  named: Pick<VersionEntry, 'id' | 'name' | 'etag' | 'lastModified'>,
  { size, systemMetadata }: ObjectHead,
): VersionEntry {
  return {
    ...named,
    kind: 'version',
    size,
    storageClass: systemMetadata[SYSTEM_METADATA.storageClass],
    checksumAlgorithm: readStoredChecksum(systemMetadata[SYSTEM_METADATA.checksum])?.algorithm,
    owner: listedOwner(systemMetadata[ACL_METADATA]),
    uploadId: systemMetadata[SYSTEM_METADATA.uploadId],
  };
}
