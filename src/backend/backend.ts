import type { ByteSource } from '../lib/cancellation.js';
import type { CallContext, ReadOptions, WriteClass } from './call-context.js';
import type { Capabilities } from './capabilities.js';
import type {
  ContainerHead,
  ContainerInput,
  ContainerPage,
  ContainerQuery,
  ContainerUpdate,
} from './container.js';
import type { ExpiredObject, ExpiredQuery } from './expiry.js';
import type { ImmediateReads } from './immediate-reads.js';
import type { CopyInput, ManifestInput, RemovedManifest, Segment } from './large-object.js';
import type { FollowedLink, LinkInput } from './link.js';
import type { ObjectPage, ObjectQuery } from './object-listing.js';
import type {
  BodyUpdate,
  ObjectUpdate,
  UpdateOutcome,
  UpdatePrecondition,
} from './object-update.js';
import type { DeletePrecondition, Guard, WriteOrder, WritePrecondition } from './preconditions.js';
import type { UnreadListings } from './unread-page.js';

export type * from './call-context.js';
export type * from './capabilities.js';
export type * from './container.js';
export type * from './expiry.js';
export type * from './large-object.js';
export type * from './link.js';
export type * from './object-listing.js';
export type * from './object-update.js';
export type * from './preconditions.js';
export type * from './unread-page.js';

/**
 * The Backend interface: what the S3 layer needs of a store, in Swift's model.
 *
 * Accounts hold containers, containers hold objects; an object has a body, a content type,
 * representation headers, user metadata, and *system metadata* that no client of the store can
 * read, set or remove. Every implementation passes the contract suite in `test/contract/`.
 *
 * Promises that the layers above build on:
 * - A body that ends early, is longer or shorter than its announced size, or whose iterator throws
 *   is never visible, in whole or in part.
 * - An acknowledged write survives a crash of the process and of the machine.
 * - Preconditions are atomic: of racing writers with `{ absent: true }` at most one succeeds.
 * - Listings are in the byte order of the names' UTF-8.
 */

/** Names to values. Names are lower case and carry no `x-…-meta-` prefix. */
export type Metadata = Readonly<Record<string, string>>;

/** Changes to system metadata: a string sets the name, `null` removes it, others stay. */
export type MetadataPatch = Readonly<Record<string, string | null>>;

export interface ContainerRef {
  readonly account: string;
  readonly container: string;
}

export interface ObjectRef extends ContainerRef {
  readonly object: string;
}

/** Everything known of an object but its body. */
export interface ObjectHead {
  readonly size: number;
  /** Unquoted. MD5 in lower-case hex unless the writer's seal said otherwise. */
  readonly etag: string;
  /** Milliseconds since the epoch. */
  readonly lastModified: number;
  readonly contentType: string;
  /** cache-control, content-disposition, content-encoding, content-language, expires. */
  readonly headers: Metadata;
  readonly metadata: Metadata;
  readonly systemMetadata: Metadata;
  /** The number of segments of a large object; undefined for other objects. */
  readonly segmentCount?: number;
  /** Set for an object whose bytes are kept outside the store: see {@link BodyUpdate}. */
  readonly bodyAbsent?: true;
  /** The link that was read; then all other fields are of its target. */
  readonly link?: FollowedLink;
  /**
   * Set where the store keeps versions by itself: at the name is a link of its own to the newest of
   * them, which is what a write or a deletion replaces. See {@link ContainerHead.storeVersioning}.
   */
  readonly storeLink?: Pick<FollowedLink, 'etag' | 'lastModified'>;
  /**
   * The time of expiry; undefined for an object that does not expire: see
   * {@link PutObjectInput.deleteAt}.
   */
  readonly deleteAt?: number;
}

/** Known only when the body has been read: see {@link PutObjectInput.seal}. */
export interface ObjectSeal {
  /** Unquoted, at most 128 characters; without it the store takes the body's MD5. */
  readonly etag?: string | undefined;
  /** Added to the input's. */
  readonly systemMetadata?: Metadata | undefined;
  /** Added to the input's. */
  readonly listingAttributes?: Metadata | undefined;
}

export interface PutObjectInput {
  /**
   * Bytes of the body. A body of any other length fails with `BodyMismatch`. It may be undefined if
   * `Capabilities.unsizedBodies` allows that: then a stream is complete when it ends.
   */
  readonly size: number | undefined;
  readonly contentType: string;
  readonly headers?: Metadata | undefined;
  readonly metadata?: Metadata | undefined;
  readonly systemMetadata?: Metadata | undefined;
  /** Small things that a listing shows without looking at the object: 256 bytes in all. */
  readonly listingAttributes?: Metadata | undefined;
  /**
   * When the object expires (Swift's X-Delete-At), in milliseconds since the epoch. From then on
   * only calls with `ReadOptions.openExpired` find it, and a write treats it as missing; listings
   * may show it until it is removed, as Swift's do.
   */
  readonly deleteAt?: number | undefined;
  /** A whole small body, or a stream. When the stream throws, the put fails with that error. */
  readonly body: Buffer | ByteSource;
  /** Called once, after the last byte and before the commit; when it throws, nothing is stored. */
  readonly seal?: (() => ObjectSeal) | undefined;
  readonly guard?: Guard | undefined;
  readonly order?: WriteOrder | undefined;
  /** Default: `ordinary`. */
  readonly writeClass?: WriteClass | undefined;
}

/** How an object is deleted. */
export interface DeleteOptions {
  readonly guard?: Guard | undefined;
  readonly order?: WriteOrder | undefined;
  /** An expired object is deleted as if it had not expired. */
  readonly openExpired?: boolean | undefined;
}

/**
 * `stale`: a newer write of the same name won, and this one changed nothing (Swift's 202).
 * `precondition_failed`: nothing was written.
 */
export type PutOutcome =
  | {
      readonly outcome: 'created';
      readonly etag: string;
      readonly lastModified: number;
      readonly replacedManifest?: RemovedManifest;
    }
  | { readonly outcome: 'stale' }
  | { readonly outcome: 'precondition_failed' };

export type DeleteOutcome =
  | { readonly outcome: 'deleted'; readonly removedManifest?: RemovedManifest }
  | { readonly outcome: 'stale' }
  | { readonly outcome: 'precondition_failed' };

/** `source_changed`: the source does not have the ETag that was asked for; nothing was written. */
export type CopyOutcome = PutOutcome | { readonly outcome: 'source_changed' };

/** A range as in a Range header: `first-last`, `first-`, or the last `suffix` bytes. */
export type RangeSpec =
  { readonly first: number; readonly last?: number | undefined } | { readonly suffix: number };

/** First and last byte, both inclusive. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

export interface ObjectBody {
  /** Bytes that the source will give: the range's, or the object's size. */
  readonly length: number;
  /**
   * A whole small body, or a stream. Overwriting or deleting the object from now on does not affect
   * it. It is read at most once. It may hold a file or a connection, so it is read, or left with
   * `return()`, or cancelled.
   */
  readonly source: Buffer | ByteSource;
  /** Lets go of what the body holds without reading it. Harmless at any time, any number of times. */
  cancel(): void;
}

export interface GetObjectResult {
  readonly head: ObjectHead;
  /** The requested range, resolved; `unsatisfiable` has an empty body. */
  readonly range: ByteRange | 'unsatisfiable' | undefined;
  readonly body: ObjectBody;
}

/**
 * Errors thrown by all: `BackendError` (see errors.ts), and the abort reason of the context's
 * cancellation. Each method names the codes that are part of its meaning.
 */
export interface Backend extends UnreadListings {
  readonly capabilities: Capabilities;

  /** Resolves when the store answers. @throws BackendError Unavailable */
  ping(context: CallContext): Promise<void>;

  /** The containers of an account; an account that never was has none. */
  listContainers(
    context: CallContext,
    account: string,
    query: ContainerQuery,
  ): Promise<ContainerPage>;

  /** Creates a container; an existing one is left as it is. */
  createContainer(
    context: CallContext,
    ref: ContainerRef,
    input: ContainerInput,
  ): Promise<'created' | 'exists'>;

  /** @throws BackendError NoSuchContainer */
  headContainer(
    context: CallContext,
    ref: ContainerRef,
    options?: Pick<ReadOptions, 'newest'>,
  ): Promise<ContainerHead>;

  /** @throws BackendError NoSuchContainer */
  updateContainer(context: CallContext, ref: ContainerRef, update: ContainerUpdate): Promise<void>;

  /** @throws BackendError NoSuchContainer, ContainerNotEmpty */
  deleteContainer(context: CallContext, ref: ContainerRef): Promise<void>;

  /** @throws BackendError NoSuchContainer */
  listObjects(context: CallContext, ref: ContainerRef, query: ObjectQuery): Promise<ObjectPage>;

  /**
   * @throws BackendError NoSuchContainer, GuardMissing, BodyMismatch, StorageFull; what the body
   *   throws
   */
  putObject(
    context: CallContext,
    ref: ObjectRef,
    input: PutObjectInput,
    precondition?: WritePrecondition,
  ): Promise<PutOutcome>;

  /** @throws BackendError NoSuchContainer, NoSuchObject; BrokenLink without the target of a link */
  headObject(context: CallContext, ref: ObjectRef, options?: ReadOptions): Promise<ObjectHead>;

  /** @throws as headObject; BodyAbsent */
  getObject(
    context: CallContext,
    ref: ObjectRef,
    range?: RangeSpec,
    options?: ReadOptions,
  ): Promise<GetObjectResult>;

  /**
   * Reads without a promise, of a store that can answer at once: for small objects the promise is
   * much of the cost.
   */
  readonly immediate?: ImmediateReads | undefined;

  /**
   * Writes a large object. Its segments are checked in the same instant as it becomes visible.
   * @throws BackendError NoSuchContainer, GuardMissing, StorageFull; SegmentMismatch when a segment
   *   is missing, has another size or ETag, or is a large object or a link itself
   */
  putManifest(
    context: CallContext,
    ref: ObjectRef,
    input: ManifestInput,
    precondition?: WritePrecondition,
  ): Promise<PutOutcome>;

  /**
   * Writes a link. Whether its target is there is not looked at.
   * @throws BackendError NoSuchContainer (the link's), GuardMissing, StorageFull; Unsupported for a
   *   link to itself, where the store refuses one
   */
  putLink(
    context: CallContext,
    ref: ObjectRef,
    input: LinkInput,
    precondition?: WritePrecondition,
  ): Promise<PutOutcome>;

  /** The segments of a large object; undefined for any other object. @throws as headObject */
  getSegments(
    context: CallContext,
    ref: ObjectRef,
    options?: ReadOptions,
  ): Promise<readonly Segment[] | undefined>;

  /**
   * Copies inside the store, across containers and accounts: no byte passes through the caller. The
   * source is read once, in one of its versions; the copy keeps its ETag where that is an MD5, and
   * has the MD5 of its bytes otherwise. A copied large object, or a range, is an ordinary object.
   * Onto itself a copy replaces exactly what it read, with `Capabilities.conditionalReplace`.
   * @throws BackendError NoSuchContainer (the target's), NoSuchSourceContainer, NoSuchObject (the
   *   source), BrokenLink (the source's), GuardMissing, BodyMismatch when the range is not inside
   *   the source, StorageFull
   */
  copyObject(
    context: CallContext,
    from: ObjectRef,
    to: ObjectRef,
    input: CopyInput,
    precondition?: WritePrecondition,
  ): Promise<CopyOutcome>;

  /** Changes metadata in place; body, ETag and time of modification stay. @throws as headObject */
  updateObject(
    context: CallContext,
    ref: ObjectRef,
    update: ObjectUpdate,
    precondition?: UpdatePrecondition,
  ): Promise<UpdateOutcome>;

  /**
   * Lets go of the body of an object that is no link, or brings it back: see {@link BodyUpdate}.
   * Without `Capabilities.conditionalReplace` it may overwrite a write that it has not seen.
   * @throws as headObject, and as putObject and putManifest for the body
   */
  updateBody(
    context: CallContext,
    ref: ObjectRef,
    update: BodyUpdate,
    precondition: UpdatePrecondition,
  ): Promise<UpdateOutcome>;

  /** @throws BackendError NoSuchContainer, NoSuchObject, GuardMissing */
  deleteObject(
    context: CallContext,
    ref: ObjectRef,
    precondition?: DeletePrecondition,
    options?: DeleteOptions,
  ): Promise<DeleteOutcome>;

  /**
   * Objects of an account that have expired and are still there, those first that expired first.
   * Present only if the store leaves their removal to its user (Swift has a daemon for it).
   */
  listExpired?(
    context: CallContext,
    account: string,
    query: ExpiredQuery,
  ): Promise<readonly ExpiredObject[]>;

  /** Waits for what is being written and lets go of everything. */
  close(): Promise<void>;
}
