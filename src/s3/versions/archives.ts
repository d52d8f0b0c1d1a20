import type {
  Backend,
  CallContext,
  CopyOutcome,
  ObjectHead,
  ObjectRef,
  PutOutcome,
  Segment,
  WriteClass,
} from '../../backend/backend.js';
import { isCode } from '../../backend/errors.js';
import { S3Error } from '../errors.js';
import { listedAttributes, SYSTEM_METADATA } from '../object/attributes.js';
import { onBehalfOfBucket, onBehalfOfNames } from './bucket-behalf.js';
import { entryOfObject, isSamePlain, readCurrentState, type PlainObject } from './current-state.js';
import {
  archiveContainer,
  currentRef,
  nameOfBucket,
  type VersionedKey,
  versionRef,
} from './names.js';
import type { VersionEntry, VersionIds } from './version-entry.js';

/** Buckets; about 150 bytes each. */
const KNOWN_MAX = 10_000;

/**
 * Creates the archives of buckets when they are first needed. Existing archives are remembered. An
 * archive is deleted with its bucket, which the next write notices.
 */
export class Archives {
  readonly #known = new Set<string>();

  constructor(private readonly backend: Backend) {}

  /**
   * Call it before a write that cannot be repeated.
   * @throws BackendError NoSuchContainer without the bucket
   */
  async ensure(call: CallContext, key: VersionedKey): Promise<void> {
    if (!this.#known.has(nameOfBucket(key))) await this.create(call, key);
  }

  /** The same, of an archive that was found not to be there. */
  async create(call: CallContext, { account, bucket }: VersionedKey): Promise<void> {
    await this.backend.headContainer(call, { account, container: bucket });
    await this.backend.createContainer(call, archiveContainer(account, bucket), {
      placedLike: bucket,
    });
    if (this.#known.size >= KNOWN_MAX) this.#known.clear();
    this.#known.add(nameOfBucket({ account, bucket }));
  }

  /** It was not there after all. */
  forget(key: VersionedKey): void {
    this.#known.delete(nameOfBucket(key));
  }
}

interface AdoptionOptions {
  /** The S3 version id that it gets; undefined for one of its own. */
  readonly id?: string | undefined;
  /** Default: `ordinary`. */
  readonly writeClass?: WriteClass | undefined;
}

/** A plain object as it is written into the archive. */
type Adopted = ObjectHead & Pick<AdoptionOptions, 'writeClass'>;

/** The limit of attempts: names without later writes are soon known not to be older. */
const ATTEMPTS_MAX = 3;

/**
 * Makes versions of plain objects: those that were there before the bucket kept versions, and those
 * that clients of the store write past us.
 */
export class Adoption {
  constructor(
    private readonly backend: Backend,
    private readonly ids: VersionIds,
  ) {}

  /**
   * Puts a plain object into the archive, with all that belongs to it. It stays at its key until the
   * link takes its place. A link or a dynamic manifest that leads out of the bucket has no bytes of
   * its own, and those of others are not kept for the bucket's readers: it becomes no version.
   *
   * @returns the entry to commit; undefined when the object is not there any more as it was seen, or
   *   becomes none
   * @throws S3Error `ServiceUnavailable` when the store keeps not taking it
   */
  async archive(
    call: CallContext,
    key: VersionedKey,
    plain: PlainObject,
    options: AdoptionOptions = {},
  ): Promise<VersionEntry | undefined> {
    for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
      const archived = await this.#archiveOnce(call, key, plain, options);
      if (archived !== 'stale') return archived;
    }
    throw new S3Error('ServiceUnavailable');
  }

  /** @returns `stale` when the store says that it has something newer of this name */
  async #archiveOnce(
    call: CallContext,
    key: VersionedKey,
    plain: PlainObject,
    { id, writeClass }: AdoptionOptions,
  ): Promise<VersionEntry | 'stale' | undefined> {
    const name = this.ids.mintFor(plain.lastModified);
    const { etag, lastModified, head } = plain;
    const systemMetadata = {
      ...head.systemMetadata,
      [SYSTEM_METADATA.versionId]: id ?? name,
      // The store's own time of the copy is that of the copying.
      [SYSTEM_METADATA.lastModified]: String(lastModified),
    };
    const to = versionRef(key, name);
    const described = { ...head, systemMetadata, writeClass };
    const copied =
      head.segmentCount === undefined
        ? await this.#copy(call, key, to, described)
        : await this.#copyManifest(call, key, to, plain, described);
    if (copied?.outcome !== 'created') return copied?.outcome === 'stale' ? 'stale' : undefined;
    const written = { id: id ?? name, name, etag: copied.etag, lastModified };
    return { ...entryOfObject(written, head), adopted: { etag, lastModified } };
  }

  async #copy(
    call: CallContext,
    key: VersionedKey,
    to: ObjectRef,
    { contentType, headers, metadata, systemMetadata, etag, bodyAbsent, writeClass }: Adopted,
  ): Promise<CopyOutcome | undefined> {
    const described = { contentType, headers, metadata, systemMetadata, writeClass };
    // If only the cold tier has the bytes, the copy keeps the stamp and needs nothing else. A
    // version expires by rules and locks, so an expiry set by a client of the store is dropped.
    const input = { ...described, sourceEtag: etag, absentBody: bodyAbsent, deleteAt: null };
    const ofBucket = onBehalfOfBucket(call, key.bucket);
    try {
      return await this.backend.copyObject(ofBucket, currentRef(key), to, input);
    } catch (error) {
      if (isCode(error, ...NOT_KEPT)) return undefined;
      throw error;
    }
  }

  /** No byte is copied: the segments stay where they are. */
  async #copyManifest(
    call: CallContext,
    key: VersionedKey,
    to: ObjectRef,
    plain: PlainObject,
    { contentType, headers, metadata, systemMetadata, etag, writeClass }: Adopted,
  ): Promise<PutOutcome | undefined> {
    const segments = await this.#segmentsOf(call, key, plain);
    if (segments === undefined) return undefined;
    const listingAttributes = listedAttributes(systemMetadata);
    const described = { contentType, headers, metadata, systemMetadata, listingAttributes };
    const input = { ...described, segments, etag, writeClass };
    return this.backend.putManifest(onBehalfOfNames(call), to, input);
  }

  /** The segments of the object that was read, and not of one that has replaced it. */
  async #segmentsOf(
    call: CallContext,
    key: VersionedKey,
    plain: PlainObject,
  ): Promise<readonly Segment[] | undefined> {
    try {
      const ofBucket = onBehalfOfBucket(call, key.bucket);
      const segments = await this.backend.getSegments(ofBucket, currentRef(key));
      const now = await readCurrentState(this.backend, call, key);
      return now.kind === 'plain' && isSamePlain(now, plain) ? segments : undefined;
    } catch (error) {
      if (isCode(error, 'NoSuchObject', 'Denied')) return undefined;
      throw error;
    }
  }
}

const NOT_KEPT = ['NoSuchObject', 'NoSuchSourceContainer', 'BodyAbsent', 'Denied'] as const;
