import type * as B from '../backend.js';
import { throwIfAborted } from '../call-context.js';
import { BackendError } from '../errors.js';
import { ContainerHeads } from './container-heads.js';
import { listContainers, listObjects, listUnread } from './listings.js';
import { Containers } from './containers.js';
import { Guards } from './guards.js';
import { LinkPuts } from './links.js';
import { ManifestPuts } from './manifest-puts.js';
import { ObjectCopies } from './object-copies.js';
import { ObjectDeletes } from './object-deletes.js';
import { ObjectHeads, type ReadDeps } from './object-heads.js';
import { ObjectPuts } from './object-puts.js';
import { ObjectReads } from './object-reads.js';
import { ObjectUpdates } from './object-updates.js';
import { confirmedTransport, type SwiftInfo, type SwiftTransport } from './transport.js';

export interface SwiftBackendOptions {
  /** Closed with the backend. */
  readonly transport: SwiftTransport;
  /** How long what is known of a container is believed; 0: never. */
  readonly containerCacheMs: number;
  /** The storage policy of new containers; undefined: the cluster's default. */
  readonly storagePolicy?: string | undefined;
  /** Whether writers shall take the MD5 of bodies too, for Swift to compare; default: no. */
  readonly verifyMd5?: boolean | undefined;
  /**
   * Whether a janitor removes segments that nothing refers to any more: then a small write does not
   * look for the large object that it replaces. Default: no.
   */
  readonly segmentsAreSwept?: boolean | undefined;
}

/**
 * A Swift cluster as a store. Its abilities are asked once, now: after the filter was installed in
 * the proxies, or removed, open it again.
 * @throws BackendError Unavailable, Timeout when no proxy answers
 */
export async function openSwiftBackend(options: SwiftBackendOptions): Promise<B.Backend> {
  const { containerCacheMs, storagePolicy, verifyMd5 = false } = options;
  const { segmentsAreSwept = false } = options;
  const transport = confirmedTransport(options.transport);
  const limits = await transport.info();
  const heads = new ContainerHeads(transport, containerCacheMs);
  const deps = { transport, limits, heads, storagePolicy };
  // Without the filter, the janitor knows no upload ids.
  const areSwept = segmentsAreSwept && limits.filter !== undefined;
  return new SwiftBackend(deps, verifyMd5, areSwept);
}

function capabilitiesOf(
  info: SwiftInfo,
  containerStaleMs: number,
  verifyMd5: boolean,
): B.Capabilities {
  const hasFilter = info.filter !== undefined;
  return {
    atomicCreate: hasFilter,
    conditionalReplace: false,
    conditionalDelete: hasFilter,
    exclusiveDelete: info.filter?.exclusiveDelete === true,
    orderedWrites: info.filter?.orderedPuts === true,
    orderedCreations: info.filter?.orderedCreations === true,
    fixedLinks: info.hasSymlinks && info.filter?.fixedLinks === true,
    linksBehind: info.hasSymlinks && info.filter?.linksBehind === true,
    unsizedBodies: info.filter === undefined || info.filter.chunkedBodies === true,
    atomicGuard: false,
    // Swift shows what the PUT said, and has an object where its bytes are.
    listingUpdates: false,
    bodyUpdates: false,
    takesMd5: !verifyMd5,
    systemMetadata: hasFilter,
    hopRights: info.filter?.hopRights === true,
    containerStaleMs,
    objectNameBytesMax: info.objectNameBytesMax,
    segmentsMax: info.manifestSegmentsMax,
  };
}

class SwiftBackend implements B.Backend {
  readonly capabilities: B.Capabilities;

  readonly #containers: Containers;
  readonly #reads: ObjectReads;
  readonly #puts: ObjectPuts;
  readonly #manifests: ManifestPuts;
  readonly #links: LinkPuts;
  readonly #copies: ObjectCopies;
  readonly #updates: ObjectUpdates;
  readonly #deletes: ObjectDeletes;

  #closing: Promise<void> | undefined;
  /** Writes under way, from the first byte of their body on: close() waits for them. */
  readonly #writes = new Set<Promise<unknown>>();

  constructor(
    private readonly deps: ReadDeps,
    verifyMd5: boolean,
    segmentsAreSwept: boolean,
  ) {
    this.capabilities = capabilitiesOf(deps.limits, deps.heads.cacheMs, verifyMd5);
    this.#containers = new Containers(deps);
    this.#reads = new ObjectReads(deps);
    const looks = new ObjectHeads(deps);
    const guards = new Guards(looks);
    this.#puts = new ObjectPuts(deps, guards, segmentsAreSwept);
    this.#manifests = new ManifestPuts(deps, looks, guards);
    this.#links = new LinkPuts(deps, guards);
    this.#copies = new ObjectCopies(deps, looks, guards, this.#reads);
    this.#updates = new ObjectUpdates(deps, looks);
    this.#deletes = new ObjectDeletes(deps, looks, guards);
  }

  async ping(context: B.CallContext): Promise<void> {
    this.#begin(context);
    return this.deps.transport.ping(context);
  }

  async listContainers(
    context: B.CallContext,
    account: string,
    query: B.ContainerQuery,
  ): Promise<B.ContainerPage> {
    this.#begin(context);
    return listContainers(this.deps, context, account, query);
  }

  createContainer(
    context: B.CallContext,
    ref: B.ContainerRef,
    input: B.ContainerInput,
  ): Promise<'created' | 'exists'> {
    return this.#write(context, () => this.#containers.create(context, ref, input));
  }

  async headContainer(
    context: B.CallContext,
    ref: B.ContainerRef,
    options?: B.ReadOptions,
  ): Promise<B.ContainerHead> {
    this.#begin(context);
    return this.deps.heads.head(context, ref, options);
  }

  updateContainer(
    context: B.CallContext,
    ref: B.ContainerRef,
    update: B.ContainerUpdate,
  ): Promise<void> {
    return this.#write(context, () => this.#containers.update(context, ref, update));
  }

  deleteContainer(context: B.CallContext, ref: B.ContainerRef): Promise<void> {
    return this.#write(context, () => this.#containers.delete(context, ref));
  }

  async listObjects(
    context: B.CallContext,
    ref: B.ContainerRef,
    query: B.ObjectQuery,
  ): Promise<B.ObjectPage> {
    this.#begin(context);
    return listObjects(this.deps, context, ref, query);
  }

  async listUnread(
    context: B.CallContext,
    ref: B.ContainerRef,
    query: B.ObjectQuery,
  ): Promise<B.ObjectPage | B.UnreadPage> {
    this.#begin(context);
    return listUnread(this.deps, context, ref, query);
  }

  putObject(
    context: B.CallContext,
    ref: B.ObjectRef,
    input: B.PutObjectInput,
    precondition?: B.WritePrecondition,
  ): Promise<B.PutOutcome> {
    return this.#write(context, () => this.#puts.put(context, ref, input, precondition));
  }

  async headObject(
    context: B.CallContext,
    ref: B.ObjectRef,
    options?: B.ReadOptions,
  ): Promise<B.ObjectHead> {
    this.#begin(context);
    return this.#reads.head(context, ref, options);
  }

  async getObject(
    context: B.CallContext,
    ref: B.ObjectRef,
    range?: B.RangeSpec,
    options?: B.ReadOptions,
  ): Promise<B.GetObjectResult> {
    this.#begin(context);
    return this.#reads.get(context, ref, range, options);
  }

  putManifest(
    context: B.CallContext,
    ref: B.ObjectRef,
    input: B.ManifestInput,
    precondition?: B.WritePrecondition,
  ): Promise<B.PutOutcome> {
    return this.#write(context, () => this.#manifests.put(context, ref, input, precondition));
  }

  putLink(
    context: B.CallContext,
    ref: B.ObjectRef,
    input: B.LinkInput,
    precondition?: B.WritePrecondition,
  ): Promise<B.PutOutcome> {
    return this.#write(context, () => this.#links.put(context, ref, input, precondition));
  }

  async getSegments(
    context: B.CallContext,
    ref: B.ObjectRef,
    options?: B.ReadOptions,
  ): Promise<readonly B.Segment[] | undefined> {
    this.#begin(context);
    return this.#reads.segments(context, ref, options);
  }

  copyObject(
    context: B.CallContext,
    from: B.ObjectRef,
    to: B.ObjectRef,
    input: B.CopyInput,
    precondition?: B.WritePrecondition,
  ): Promise<B.CopyOutcome> {
    return this.#write(context, () => this.#copies.copy(context, from, to, input, precondition));
  }

  updateObject(
    context: B.CallContext,
    ref: B.ObjectRef,
    update: B.ObjectUpdate,
    precondition?: B.UpdatePrecondition,
  ): Promise<B.UpdateOutcome> {
    return this.#write(context, () => this.#updates.update(context, ref, update, precondition));
  }

  updateBody(): Promise<B.UpdateOutcome> {
    return Promise.reject(unsupported('objects whose body is elsewhere'));
  }

  deleteObject(
    context: B.CallContext,
    ref: B.ObjectRef,
    precondition?: B.DeletePrecondition,
    options?: B.DeleteOptions,
  ): Promise<B.DeleteOutcome> {
    return this.#write(context, () => this.#deletes.delete(context, ref, precondition, options));
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await Promise.allSettled(this.#writes);
    await this.deps.transport.close();
  }

  async #write<T>(context: B.CallContext, write: () => Promise<T>): Promise<T> {
    this.#begin(context);
    const writing = write();
    this.#writes.add(writing);
    try {
      return await writing;
    } finally {
      this.#writes.delete(writing);
    }
  }

  /** @throws BackendError Unavailable for a store that is closed; the abort reason of the context */
  #begin(context: B.CallContext): void {
    throwIfAborted(context);
    if (this.#closing !== undefined) throw new BackendError('Unavailable', 'the store is closed');
  }
}

function unsupported(what: string): BackendError {
  return new BackendError('Unsupported', `a Swift cluster has no ${what}`);
}
