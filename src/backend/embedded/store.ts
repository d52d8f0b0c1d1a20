import type { ImmediateReads } from '../immediate-reads.js';
import type * as B from '../backend.js';
import { BackendError } from '../errors.js';
import { throwIfAborted } from '../call-context.js';
import { closeDeps } from './assemble.js';
import * as containers from './containers.js';
import { OBJECT_NAME_BYTES_MAX } from './keys.js';
import { getSegments } from './large-reads.js';
import { putLink } from './link-puts.js';
import { listExpired } from './expired-objects.js';
import { asBackendError } from './lmdb-error.js';
import { putManifest, SEGMENTS_MAX } from './manifest-puts.js';
import { deleteObject } from './object-changes.js';
import { copyObject } from './object-copies.js';
import { listObjects, listUnread } from './object-listing.js';
import { putObject } from './object-puts.js';
import { getObject, headObject } from './object-reads.js';
import { updateBody, updateObject } from './object-updates.js';
import type { StoreDeps } from './deps.js';
import { recover, type RecoveryReport } from './recovery.js';
import { refresh, type Tables } from './tables.js';
import { forgetDeadImport } from './upkeep/unfinished-import.js';
import { readStoreUsage } from './write-transaction.js';

/** Figures for metrics; each costs a few microseconds. */
export interface StoreStats {
  /** Objects in all containers, as last committed by any process. */
  readonly objectCount: number;
  /** Bytes of their bodies. */
  readonly bytesUsed: number;
  /** Bytes of the index: metadata, small bodies, and free pages in between. */
  readonly indexBytes: number;
}

/** A {@link B.Backend} in one data directory, which any number of local processes may share. */
export interface EmbeddedStore extends B.Backend {
  stats(): StoreStats;
  /** Finishes what crashed processes left behind: at the start, and after a process has died. */
  recover(): Promise<RecoveryReport>;
}

export function storeOf(deps: StoreDeps): EmbeddedStore {
  return new LmdbStore(deps);
}

class LmdbStore implements EmbeddedStore {
  readonly capabilities: B.Capabilities = {
    atomicCreate: true,
    conditionalReplace: true,
    conditionalDelete: true,
    exclusiveDelete: true,
    orderedWrites: false,
    unsizedBodies: true,
    listingUpdates: true,
    bodyUpdates: true,
    takesMd5: false,
    atomicGuard: true,
    systemMetadata: true,
    containerStaleMs: 0,
    objectNameBytesMax: OBJECT_NAME_BYTES_MAX,
    segmentsMax: SEGMENTS_MAX,
  };

  readonly immediate: ImmediateReads = {
    headObject: (context, ref) =>
      this.#readNow(context, (parts) => headObject(parts, context, ref)),
    getObject: (context, ref, range) => {
      const found = this.#readNow(context, (parts) => getObject(parts, context, ref, range));
      return found instanceof Promise ? found.catch(rethrow) : found;
    },
  };

  #closing: Promise<void> | undefined;
  /** Writes under way, from the first byte of their body on: close() waits for them. */
  readonly #writes = new Set<Promise<unknown>>();

  constructor(private readonly deps: StoreDeps) {}

  ping(context: B.CallContext): Promise<void> {
    return this.#read(context, ({ tables }) => {
      readStoreUsage(tables);
    });
  }

  listContainers(
    context: B.CallContext,
    account: string,
    query: B.ContainerQuery,
  ): Promise<B.ContainerPage> {
    return this.#read(context, ({ tables }) => containers.listContainers(tables, account, query));
  }

  createContainer(
    context: B.CallContext,
    ref: B.ContainerRef,
    input: B.ContainerInput,
  ): Promise<'created' | 'exists'> {
    return this.#write(context, ({ commits }) =>
      commits.run(containers.createContainer(ref, input)),
    );
  }

  headContainer(context: B.CallContext, ref: B.ContainerRef): Promise<B.ContainerHead> {
    return this.#read(context, ({ tables }) => containers.headContainer(tables, ref));
  }

  updateContainer(
    context: B.CallContext,
    ref: B.ContainerRef,
    update: B.ContainerUpdate,
  ): Promise<void> {
    return this.#write(context, ({ commits }) =>
      commits.run(containers.updateContainer(ref, update)),
    );
  }

  deleteContainer(context: B.CallContext, ref: B.ContainerRef): Promise<void> {
    return this.#write(context, ({ commits }) => commits.run(containers.deleteContainer(ref)));
  }

  listObjects(
    context: B.CallContext,
    ref: B.ContainerRef,
    query: B.ObjectQuery,
  ): Promise<B.ObjectPage> {
    return this.#read(context, ({ tables, ids }) => listObjects(tables, ids.resolve(ref), query));
  }

  listUnread(
    context: B.CallContext,
    ref: B.ContainerRef,
    query: B.ObjectQuery,
  ): Promise<B.ObjectPage | B.UnreadPage> {
    return this.#read(context, (parts) => listUnread(parts, parts.ids.resolve(ref), query));
  }

  putObject(
    context: B.CallContext,
    ref: B.ObjectRef,
    input: B.PutObjectInput,
    precondition?: B.WritePrecondition,
  ): Promise<B.PutOutcome> {
    return this.#write(context, (parts) => putObject(parts, context, ref, input, precondition));
  }

  headObject(
    context: B.CallContext,
    ref: B.ObjectRef,
    options?: B.ReadOptions,
  ): Promise<B.ObjectHead> {
    return this.#read(context, (parts) => headObject(parts, context, ref, options));
  }

  getObject(
    context: B.CallContext,
    ref: B.ObjectRef,
    range?: B.RangeSpec,
    options?: B.ReadOptions,
  ): Promise<B.GetObjectResult> {
    return this.#read(context, (parts) => getObject(parts, context, ref, range, options));
  }

  putManifest(
    context: B.CallContext,
    ref: B.ObjectRef,
    input: B.ManifestInput,
    precondition?: B.WritePrecondition,
  ): Promise<B.PutOutcome> {
    return this.#write(context, (parts) => putManifest(parts, context, ref, input, precondition));
  }

  putLink(
    context: B.CallContext,
    ref: B.ObjectRef,
    input: B.LinkInput,
    precondition?: B.WritePrecondition,
  ): Promise<B.PutOutcome> {
    return this.#write(context, (parts) => putLink(parts, context, ref, input, precondition));
  }

  getSegments(
    context: B.CallContext,
    ref: B.ObjectRef,
    options?: B.ReadOptions,
  ): Promise<readonly B.Segment[] | undefined> {
    return this.#read(context, (parts) => getSegments(parts, context, ref, options));
  }

  copyObject(
    context: B.CallContext,
    from: B.ObjectRef,
    to: B.ObjectRef,
    input: B.CopyInput,
    precondition?: B.WritePrecondition,
  ): Promise<B.CopyOutcome> {
    return this.#write(context, (parts) =>
      copyObject(parts, context, from, to, input, precondition),
    );
  }

  updateObject(
    context: B.CallContext,
    ref: B.ObjectRef,
    update: B.ObjectUpdate,
    precondition?: B.UpdatePrecondition,
  ): Promise<B.UpdateOutcome> {
    return this.#write(context, (parts) => updateObject(parts, ref, update, precondition));
  }

  updateBody(
    context: B.CallContext,
    ref: B.ObjectRef,
    update: B.BodyUpdate,
    precondition: B.UpdatePrecondition,
  ): Promise<B.UpdateOutcome> {
    return this.#write(context, (parts) => updateBody(parts, context, ref, update, precondition));
  }

  deleteObject(
    context: B.CallContext,
    ref: B.ObjectRef,
    precondition?: B.DeletePrecondition,
    { guard, openExpired = false }: B.DeleteOptions = {},
  ): Promise<B.DeleteOutcome> {
    return this.#write(context, async ({ commits, reaper, owner }) => {
      const operation = deleteObject(ref, precondition, guard, owner, openExpired);
      const { outcome, freed } = await commits.run(operation);
      reaper.add(freed);
      return outcome;
    });
  }

  listExpired(
    context: B.CallContext,
    account: string,
    query: B.ExpiredQuery,
  ): Promise<readonly B.ExpiredObject[]> {
    return this.#read(context, ({ tables }) => listExpired(tables, account, query, Date.now()));
  }

  stats(): StoreStats {
    this.#checkOpen();
    const { tables } = this.deps;
    refresh(tables);
    return { ...readStoreUsage(tables), indexBytes: indexBytes(tables) };
  }

  recover(): Promise<RecoveryReport> {
    const { tables, files, commits, self } = this.deps;
    return this.#write(undefined, async () => {
      const report = await recover(tables, files, commits, self);
      await forgetDeadImport(this.deps);
      return report;
    });
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await Promise.allSettled(this.#writes);
    await closeDeps(this.deps);
  }

  /** Runs on a snapshot that is not older than the call. */
  async #read<T>(context: B.CallContext, read: (deps: StoreDeps) => T | Promise<T>): Promise<T> {
    const result = this.#readNow(context, read);
    return result instanceof Promise ? result.catch(rethrow) : result;
  }

  #readNow<T>(context: B.CallContext, read: (deps: StoreDeps) => T): T {
    throwIfAborted(context);
    this.#checkOpen();
    try {
      refresh(this.deps.tables);
      return read(this.deps);
    } catch (error) {
      rethrow(error);
    }
  }

  async #write<T>(
    context: B.CallContext | undefined,
    write: (deps: StoreDeps) => Promise<T>,
  ): Promise<T> {
    throwIfAborted(context);
    this.#checkOpen();
    const writing = write(this.deps);
    this.#writes.add(writing);
    try {
      return await writing;
    } finally {
      this.#writes.delete(writing);
    }
  }

  #checkOpen(): void {
    if (this.#closing === undefined) return;
    throw new BackendError('Unavailable', 'the store is closed');
  }
}

function rethrow(error: unknown): never {
  throw asBackendError(error);
}

function indexBytes(tables: Tables): number {
  const { lastPageNumber, pageSize } = tables.root.getStats() as {
    lastPageNumber: number;
    pageSize: number;
  };
  return (lastPageNumber + 1) * pageSize;
}
