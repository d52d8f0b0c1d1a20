import { createHash } from 'node:crypto';
import type {
  Backend,
  CallContext,
  ObjectRef,
  PutObjectInput,
  WriteClass,
  WriteOrder,
  WritePrecondition,
} from '../../backend/backend.js';
import { BoundedCache } from '../../lib/bounded-cache.js';
import { S3Error } from '../errors.js';
import { parseCommit, parseIndex, renderCommit, renderIndex } from './documents.js';
import { indexListingAttributes } from './listing/index-summary.js';
import { firstIndex, firstVersionOf } from './first-index.js';
import { makesRoom } from './first-move.js';
import { fenceRef, indexRef, nameOfKey, versionRef, type VersionedKey } from './names.js';
import { placeOfIndex } from './order.js';
import { headNewest, readDocument } from './read-document.js';
import { NO_INDEX, type Commit, type VersionEntry, type VersionIndex } from './version-entry.js';

/** An index as it is stored. */
export interface StoredIndex {
  readonly index: VersionIndex;
  /** The ETag of the document, another one for each generation; undefined while there is none. */
  readonly etag: string | undefined;
  /** Milliseconds since the epoch; undefined while there is none. */
  readonly lastModified: number | undefined;
  /** The name of the version that still lies in the index's place: see first-version.ts. */
  readonly body?: string | undefined;
}

/** Where an entry of a stored index has its object. */
export function refOf(
  key: VersionedKey,
  { name }: Pick<VersionEntry, 'name'>,
  { body }: Pick<StoredIndex, 'body'>,
): ObjectRef {
  return body === name ? indexRef(key) : versionRef(key, name);
}

export const NOTHING_STORED: StoredIndex = {
  index: NO_INDEX,
  etag: undefined,
  lastModified: undefined,
};

/**
 * `lost`: what was to be replaced, or to be absent, is not so any more. `unknown`: the store says that
 * something newer won (Swift's 202), which is no success.
 */
type WriteResult =
  | { readonly outcome: 'written'; readonly etag: string; readonly lastModified: number }
  | { readonly outcome: 'lost' | 'unknown' };

const CONTENT_TYPE = 'application/json';

/** An index on its way to the store. */
export interface PreparedIndex {
  readonly index: VersionIndex;
  readonly body: Buffer;
}

export function prepareIndex(index: VersionIndex): PreparedIndex {
  return { index, body: renderIndex(index) };
}

/** The limit of the documents whose indexes are kept in memory. */
const RECENT_BYTES_MAX = 8 * 1024 * 1024;
/** The memory that one takes beside its document. */
const RECALLED_BYTES = 512;
/** Smaller ones are read again as fast as a check finds that they need not be. */
const RECENT_BYTES_MIN = 16 * 1024;

interface IndexStoreOptions {
  readonly backend: Backend;
  /** A larger index is not written. At most 64 MiB. */
  readonly indexBytesMax: number;
}

/**
 * How long an index is remembered for the next commit on it. Others may have replaced it: the
 * longer ago, the likelier that a fence is created in vain.
 */
const REMEMBERED_MS = 30_000;

/** Reads and writes the documents of the version index, each with one call. */
export class IndexStore {
  readonly backend: Backend;
  /**
   * Large indexes that were read or written last, by the bytes of their documents: to parse 10,000
   * versions takes 10 ms, for each page of their listing. One may be used only when the store says
   * that its ETag is still the same.
   */
  readonly #recent = new BoundedCache<StoredIndex>({ weightMax: RECENT_BYTES_MAX });
  /** Indexes of any size, for {@link recall}. */
  readonly #latest = new BoundedCache<StoredIndex>({
    weightMax: RECENT_BYTES_MAX,
    lifeMs: REMEMBERED_MS,
  });

  constructor(private readonly options: IndexStoreOptions) {
    this.backend = options.backend;
  }

  /**
   * The index as this process has read or written it a short while ago, on a store with ordered
   * writes. Others may have replaced it: who commits on it finds out by the fence.
   */
  recall(key: VersionedKey): StoredIndex | undefined {
    return this.#latest.get(nameOfKey(key));
  }

  /** Others have replaced it. */
  forget(key: VersionedKey): void {
    this.#latest.delete(nameOfKey(key));
  }

  /** Whether the index is stored as it is here. */
  async isStored(call: CallContext, key: VersionedKey, { etag }: StoredIndex): Promise<boolean> {
    return (await this.#etagOf(call, key)) === etag;
  }

  /** @throws S3Error `InternalError` when it cannot be read or is too large */
  async readIndex(call: CallContext, key: VersionedKey): Promise<StoredIndex> {
    const recent = this.#recent.get(nameOfKey(key));
    if (recent !== undefined && (await this.#etagOf(call, key)) === recent.etag) return recent;
    const found = await readDocument(this.backend, call, indexRef(key));
    if (found === undefined) {
      this.#keep(key, NOTHING_STORED, 0);
      return NOTHING_STORED;
    }
    const { head, bytes } = found;
    const { etag, lastModified } = head;
    const first = firstVersionOf(head);
    const stored =
      first === undefined ? { index: parseIndex(bytes), etag, lastModified } : storedFirst(first);
    this.#keep(key, stored, first === undefined ? bytes.length : 0);
    return stored;
  }

  /** Takes note of a first version that was written. */
  wroteFirst(key: VersionedKey, entry: VersionEntry): StoredIndex {
    const stored = storedFirst(entry);
    this.#keep(key, stored, 0);
    return stored;
  }

  /**
   * The index as it will be stored behind a former one, by the fences that exist: to be committed on
   * before it is written. The ETag of a document is its MD5, and all writers make the same bytes.
   */
  expect(key: VersionedKey, { index, body }: PreparedIndex, former: StoredIndex): StoredIndex {
    const etag = createHash('md5').update(body).digest('hex');
    const { lastModified } = former;
    const expected = { index, etag, lastModified, body: former.body };
    this.#remember(key, expected, body.length);
    return expected;
  }

  /** @param bytes - of its document */
  #keep(key: VersionedKey, stored: StoredIndex, bytes: number): void {
    if (this.backend.capabilities.orderedWrites) this.#remember(key, stored, bytes);
    if (bytes < RECENT_BYTES_MIN) this.#recent.delete(nameOfKey(key));
    else this.#recent.set(nameOfKey(key), stored, bytes);
  }

  #remember(key: VersionedKey, stored: StoredIndex, bytes: number): void {
    this.#latest.set(nameOfKey(key), stored, bytes + RECALLED_BYTES);
  }

  /** @throws S3Error `InternalError` as above */
  async readFence(
    call: CallContext,
    key: VersionedKey,
    generation: number,
  ): Promise<Commit | undefined> {
    const found = await readDocument(this.backend, call, fenceRef(key, generation));
    return found && parseCommit(found.bytes);
  }

  /**
   * Call it before any write of a commit. A commit that removes more than it adds passes, so that a
   * key can get below the bound again.
   * @throws S3Error `InvalidRequest` for an index that is too large: SPEC.md 7.2
   */
  requireFits(next: PreparedIndex, former: VersionIndex): void {
    if (this.fits(next, former)) return;
    throw new S3Error(
      'InvalidRequest',
      `The key has too many versions: their index would have ${next.body.length} bytes, and ` +
        `${this.options.indexBytesMax} are allowed. Delete versions that are not needed any more.`,
    );
  }

  /** Whether a commit may replace the former index by the next one. */
  fits({ index, body }: PreparedIndex, former: VersionIndex): boolean {
    if (body.length <= this.options.indexBytesMax) return true;
    return index.entries.length < former.entries.length;
  }

  /** Creates a fence. Only one of several writers of the same generation gets `written`. */
  createFence(
    call: CallContext,
    key: VersionedKey,
    commit: Commit,
    writeClass: WriteClass,
  ): Promise<WriteResult> {
    const ref = fenceRef(key, commit.generation);
    return this.#write(call, ref, renderCommit(commit), { writeClass }, { absent: true });
  }

  /**
   * Writes the index, only in place of the one that was read if the store can ensure that. Where it
   * orders writes, no index takes the place of one of a later generation, nor of one that was created
   * after the one that was read was removed.
   * @param writeClass - default: that of what ends what its fence has begun
   * @returns undefined when something else, or something newer, is there
   */
  async writeIndex(
    call: CallContext,
    key: VersionedKey,
    { index, body }: PreparedIndex,
    former: StoredIndex,
    writeClass: WriteClass = 'deletion',
  ): Promise<StoredIndex | undefined> {
    if (!(await makesRoom(this.backend, call, key, index, former))) return undefined;
    const attributes = indexListingAttributes(index);
    const place = this.#inPlaceOf(former);
    const order = this.#orderOf(index, former);
    const described = { listingAttributes: attributes, order, writeClass } as const;
    const result = await this.#write(call, indexRef(key), body, described, place);
    if (result.outcome !== 'written') return undefined;
    const { etag, lastModified } = result;
    const stored = { index, etag, lastModified };
    this.#keep(key, stored, body.length);
    return stored;
  }

  /** Whether nothing but the next generation can take the place of this one, unseen by its writer. */
  isOrdered({ index, etag, lastModified }: StoredIndex): boolean {
    if (!this.backend.capabilities.orderedWrites) return false;
    return etag === undefined || placeOfIndex(index.generation, lastModified) !== undefined;
  }

  #orderOf({ generation }: VersionIndex, { lastModified }: StoredIndex): WriteOrder | undefined {
    if (!this.backend.capabilities.orderedWrites) return undefined;
    return placeOfIndex(generation, lastModified);
  }

  async #etagOf(call: CallContext, key: VersionedKey): Promise<string | undefined> {
    return (await headNewest(this.backend, call, indexRef(key)))?.etag;
  }

  #inPlaceOf({ etag }: StoredIndex): WritePrecondition | undefined {
    if (etag === undefined) return { absent: true };
    return this.backend.capabilities.conditionalReplace ? { etag } : undefined;
  }

  async #write(
    call: CallContext,
    ref: ObjectRef,
    body: Buffer,
    described: Pick<PutObjectInput, 'listingAttributes' | 'order' | 'writeClass'>,
    precondition?: WritePrecondition,
  ): Promise<WriteResult> {
    const input = { size: body.length, contentType: CONTENT_TYPE, body, ...described };
    const written = await this.backend.putObject(call, ref, input, precondition);
    if (written.outcome === 'created') {
      const { etag, lastModified } = written;
      return { outcome: 'written', etag, lastModified };
    }
    return { outcome: written.outcome === 'stale' ? 'unknown' : 'lost' };
  }
}

/** The index that a first version is. */
function storedFirst(entry: VersionEntry): StoredIndex {
  const { etag, lastModified, name: body } = entry;
  return { index: firstIndex(entry), etag, lastModified, body };
}
