import type { CallContext, ReadOptions } from './call-context.js';
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
import type { Segment } from './large-object.js';
import type { LinkInput } from './link.js';
import type { GetObjectResult, ObjectHead, RangeSpec } from './object.js';
import type { ObjectPage, ObjectQuery } from './object-listing.js';
import type {
  BodyUpdate,
  ObjectUpdate,
  UpdateOutcome,
  UpdatePrecondition,
} from './object-update.js';
import type {
  CopyInput,
  CopyOutcome,
  DeleteOptions,
  DeleteOutcome,
  ManifestInput,
  PutObjectInput,
  PutOutcome,
} from './object-writes.js';
import type { DeletePrecondition, WritePrecondition } from './preconditions.js';
import type { ContainerRef, ObjectRef } from './refs.js';
import type { UnreadListings } from './unread-page.js';

export type * from './call-context.js';
export type * from './capabilities.js';
export type * from './container.js';
export type * from './expiry.js';
export type * from './large-object.js';
export type * from './link.js';
export type * from './object.js';
export type * from './object-listing.js';
export type * from './object-update.js';
export type * from './object-writes.js';
export type * from './preconditions.js';
export type * from './refs.js';
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
 *
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
