import { createHash } from 'node:crypto';
import type * as B from '../../../src/backend/backend.js';
import { BackendError } from '../../../src/backend/errors.js';
import { compareUtf8 } from '../../../src/s3/rules/byte-order.js';
import { describe, MemoryObjects, nameOf, NO_HEAD, type Stored } from './memory-objects.js';
import type { MemoryOptions } from './memory-options.js';

export type { MemoryOptions };

interface Write {
  readonly ref: B.ObjectRef;
  readonly precondition: B.WritePrecondition | undefined;
  readonly guard: B.Guard | undefined;
  readonly order?: B.WriteOrder | undefined;
}

type Unused =
  'ping' | 'listContainers' | 'updateContainer' | 'deleteContainer' | 'updateBody' | 'close';

/**
 * A store in memory, with as much of a backend as versions need, that can be told how weak it is.
 *
 * Each call is a row of instants, and the test says when each of them comes: between any two, all
 * that others do may happen. A weak store takes several instants where a strong one takes one.
 */
export class MemoryBackend implements Omit<B.Backend, Unused> {
  readonly capabilities: B.Capabilities;
  readonly #objects = new MemoryObjects();
  readonly #containers = new Set<string>();
  #clock: number;

  constructor(private readonly options: MemoryOptions) {
    const { strength, claims = strength } = options;
    this.#clock = options.time ?? Date.now();
    const orderedCreations = claims === 'ordered' && options.creationsUnordered !== true;
    this.capabilities = {
      atomicCreate: claims !== 'weak',
      conditionalReplace: claims === 'strong',
      conditionalDelete: claims === 'strong',
      exclusiveDelete: false,
      orderedWrites: claims === 'ordered',
      orderedCreations,
      fixedLinks: orderedCreations && options.fixedLinks !== false,
      linksBehind: claims === 'ordered' && options.linksBehind !== false,
      unsizedBodies: false,
      listingUpdates: true,
      bodyUpdates: false,
      ...{ takesMd5: false, systemMetadata: true, containerStaleMs: 0 },
      atomicGuard: claims === 'strong',
      objectNameBytesMax: 4096,
      segmentsMax: 1000,
    };
  }

  /** Milliseconds since the epoch; no two writes have the same. */
  now(): number {
    return this.#clock;
  }

  /** Time passes, in milliseconds. */
  pass(time: number): void {
    this.#clock += time;
  }

  /** As the interface that it is used by; what it lacks is missing. */
  get asBackend(): B.Backend {
    return this as unknown as B.Backend;
  }

  async createContainer(
    call: B.CallContext,
    { container }: B.ContainerRef,
  ): Promise<'created' | 'exists'> {
    await this.#instant(call, `createContainer ${container}`);
    if (this.#containers.has(container)) return 'exists';
    this.#containers.add(container);
    return 'created';
  }

  async headContainer(
    call: B.CallContext,
    { container }: B.ContainerRef,
  ): Promise<B.ContainerHead> {
    await this.#instant(call, `headContainer ${container}`);
    this.#requireContainer(container);
    const acl = { read: '', write: '' };
    const counts = { createdAt: 0, objectCount: 0, bytesUsed: 0 };
    return { name: container, ...counts, metadata: {}, systemMetadata: {}, acl };
  }

  async listObjects(
    call: B.CallContext,
    { container }: B.ContainerRef,
    { prefix = '', limit }: B.ObjectQuery,
  ): Promise<B.ObjectPage> {
    await this.#instant(call, `list ${container}/${prefix}`);
    this.#requireContainer(container);
    const beginning = `${container}/${prefix}`;
    const found = [...this.#objects.all(beginning)].map(([name, { head, attributes }]) => {
      const { size, etag, lastModified, contentType } = head;
      const listed = { size, etag, lastModified, contentType, attributes };
      return { ...listed, name: name.slice(container.length + 1) };
    });
    found.sort((one, other) => compareUtf8(one.name, other.name));
    const entries = found.slice(0, limit).map((object) => ({ kind: 'object', object }) as const);
    return { entries, truncated: found.length > limit };
  }

  async putObject(
    call: B.CallContext,
    ref: B.ObjectRef,
    input: B.PutObjectInput,
    precondition?: B.WritePrecondition,
  ): Promise<B.PutOutcome> {
    const body = input.body as Buffer;
    const seal = input.seal?.();
    const etag = seal?.etag ?? createHash('md5').update(body).digest('hex');
    const attributes = input.listingAttributes ?? {};
    const write = { ref, precondition, guard: input.guard, order: input.order };
    return this.#write(call, 'put', write, etag, (head) => ({
      head: { ...head, ...describe(input), size: body.length },
      body,
      attributes,
    }));
  }

  async putManifest(
    call: B.CallContext,
    ref: B.ObjectRef,
    input: B.ManifestInput,
    precondition?: B.WritePrecondition,
  ): Promise<B.PutOutcome> {
    const { segments, etag, guard, listingAttributes: attributes = {} } = input;
    const size = segments.reduce((sum, segment) => sum + segment.size, 0);
    return this.#write(call, 'putManifest', { ref, precondition, guard }, etag, (head) => ({
      head: { ...head, ...describe(input), size, segmentCount: segments.length },
      body: Buffer.alloc(0),
      attributes,
      segments,
    }));
  }

  async putLink(
    call: B.CallContext,
    ref: B.ObjectRef,
    input: B.LinkInput,
    precondition?: B.WritePrecondition,
  ): Promise<B.PutOutcome> {
    const { etag, guard, size, behind, listingAttributes: attributes = {} } = input;
    const order = behind === undefined ? input.order : await this.#placeBehind(call, ref, behind);
    if (behind !== undefined && order === undefined) return { outcome: 'precondition_failed' };
    return this.#write(call, 'putLink', { ref, precondition, guard, order }, etag, (head) => ({
      head: { ...head, ...describe(input), size },
      body: Buffer.alloc(0),
      attributes,
      link: input,
    }));
  }

  /** The place behind the link of the generation before. */
  async #placeBehind(
    call: B.CallContext,
    ref: B.ObjectRef,
    generation: number,
  ): Promise<B.WriteOrder | undefined> {
    await this.#instant(call, `putLink ${nameOf(ref)}, looking`);
    const there = this.#objects.peek(ref);
    if (there?.link?.systemMetadata?.['s3-generation'] !== String(generation - 1)) return undefined;
    const since = Math.floor(there.startedAt);
    return this.#clock - since > DAY_MS ? undefined : { since, rank: generation };
  }

  async copyObject(
    call: B.CallContext,
    from: B.ObjectRef,
    to: B.ObjectRef,
    input: B.CopyInput,
  ): Promise<B.CopyOutcome> {
    const { head, body } = await this.getObject(call, from);
    if (input.sourceEtag !== undefined && input.sourceEtag !== head.etag) {
      return { outcome: 'source_changed' };
    }
    const described = describe({
      contentType: input.contentType ?? head.contentType,
      headers: input.headers ?? head.headers,
      metadata: input.metadata ?? head.metadata,
      systemMetadata: input.systemMetadata ?? head.systemMetadata,
    });
    const put = { ...described, size: body.length, body: body.source };
    return this.putObject(call, to, put);
  }

  async headObject(
    call: B.CallContext,
    ref: B.ObjectRef,
    { linkItself = false }: B.ReadOptions = {},
  ): Promise<B.ObjectHead> {
    await this.#instant(call, `head ${ref.container}/${ref.object}`);
    const { head, link } = this.#require(ref);
    if (linkItself && link !== undefined) {
      const { etag, lastModified } = head;
      const { target, systemMetadata = {} } = link;
      return { ...head, link: { target, etag, lastModified, systemMetadata } };
    }
    return this.#follow(ref).head;
  }

  async getObject(call: B.CallContext, ref: B.ObjectRef): Promise<B.GetObjectResult> {
    await this.#instant(call, `get ${ref.container}/${ref.object}`);
    const { head, body } = this.#follow(ref);
    const source = { length: head.size, source: body, cancel: () => undefined };
    return { head, range: undefined, body: source };
  }

  async getSegments(
    call: B.CallContext,
    ref: B.ObjectRef,
  ): Promise<readonly B.Segment[] | undefined> {
    await this.#instant(call, `getSegments ${ref.container}/${ref.object}`);
    return this.#follow(ref).segments;
  }

  async updateObject(
    call: B.CallContext,
    ref: B.ObjectRef,
    { systemMetadata = {} }: B.ObjectUpdate,
  ): Promise<B.UpdateOutcome> {
    await this.#instant(call, `update ${ref.container}/${ref.object}`);
    const stored = this.#require(ref);
    const patched = Object.entries({ ...stored.head.systemMetadata, ...systemMetadata });
    const kept = patched.flatMap(([name, value]) => (value === null ? [] : [[name, value]]));
    const head = { ...stored.head, systemMetadata: Object.fromEntries(kept) as B.Metadata };
    this.#objects.put(ref, { ...stored, head });
    return { outcome: 'updated' };
  }

  async deleteObject(
    call: B.CallContext,
    ref: B.ObjectRef,
    precondition?: B.WritePrecondition,
    { guard, order }: B.DeleteOptions = {},
  ): Promise<B.DeleteOutcome> {
    const startedAt = await this.#start(call, 'delete', { ref, precondition, guard, order });
    if (this.options.strength === 'ordered') {
      const isThere = this.#objects.peek(ref) !== undefined;
      const isNewest = this.#isNewest(ref, startedAt);
      if (isThere && !isNewest) return { outcome: 'stale' };
      if (!isThere && isNewest) this.#forget(ref, startedAt);
    }
    const stored = this.#require(ref);
    if (this.options.strength === 'strong') {
      if (!this.#objects.holds(ref, precondition)) return { outcome: 'precondition_failed' };
      this.#objects.requireGuard(guard);
    }
    if (!this.#isNewest(ref, startedAt)) return { outcome: 'deleted' };
    this.#forget(ref, startedAt);
    const { size, etag, systemMetadata } = stored.head;
    if (stored.segments === undefined) return { outcome: 'deleted' };
    return { outcome: 'deleted', removedManifest: { size, etag, systemMetadata } };
  }

  async #write(
    call: B.CallContext,
    what: string,
    write: Write,
    etag: string,
    make: (head: B.ObjectHead) => Omit<Stored, 'startedAt'>,
  ): Promise<B.PutOutcome> {
    const { ref, precondition, guard } = write;
    const { strength } = this.options;
    const mayReplace =
      strength === 'chained' || strength === 'ordered' || this.#objects.holds(ref, precondition);
    if (strength === 'weak' && !mayReplace) return { outcome: 'precondition_failed' };
    let startedAt = await this.#start(call, what, write);
    const isPlaced = write.order !== undefined && this.options.creationsUnordered !== true;
    if (strength === 'ordered' && precondition && !isPlaced) startedAt = ++this.#clock;
    this.#requireContainer(ref.container);
    const looksNow = strength !== 'weak';
    if (looksNow && !this.#objects.holds(ref, precondition))
      return { outcome: 'precondition_failed' };
    if (strength === 'strong') this.#objects.requireGuard(guard);
    const isOrdered = strength === 'ordered';
    const lastModified = isOrdered ? Math.floor(startedAt) : ++this.#clock;
    const head = { ...NO_HEAD, etag, lastModified };
    const created = { outcome: 'created', etag, lastModified } as const;
    if (!this.#isNewest(ref, startedAt)) return isOrdered ? { outcome: 'stale' } : created;
    const former = this.#objects.peek(ref);
    const stored = { ...make(head), startedAt };
    this.#objects.put(ref, stored);
    this.options.onPut?.(ref, stored);
    if (former?.segments === undefined) return created;
    const { size, systemMetadata } = former.head;
    return { ...created, replacedManifest: { size, etag: former.head.etag, systemMetadata } };
  }

  /** As Swift, it remembers deletions for a while; by their own time. */
  #forget(ref: B.ObjectRef, startedAt: number): void {
    const isOld = this.#clock - startedAt > RECLAIM_AGE_MS;
    this.#objects.put(ref, { startedAt: isOld ? 0 : startedAt });
  }

  /** @returns when a write began, which decides between weak ones */
  async #start(
    call: B.CallContext,
    what: string,
    { ref, precondition, guard, order }: Write,
  ): Promise<number> {
    const { strength } = this.options;
    if (
      precondition !== undefined &&
      'etag' in precondition &&
      !this.capabilities.conditionalReplace
    ) {
      throw new BackendError('Unsupported', 'If-Match');
    }
    // Ranks of tests are small: they stay within one time.
    const startedAt = order === undefined ? ++this.#clock : order.since + order.rank / RANKS;
    await this.#instant(call, `${what} ${nameOf(ref)}`);
    if (strength === 'strong' || guard === undefined) return startedAt;
    this.#objects.requireGuard(guard);
    await this.#instant(call, `${what} ${nameOf(ref)}, guarded`);
    return startedAt;
  }

  #requireContainer(container: string): void {
    if (!this.#containers.has(container)) throw new BackendError('NoSuchContainer', container);
  }

  #require(ref: B.ObjectRef): Stored {
    this.#requireContainer(ref.container);
    return this.#objects.require(ref);
  }

  #follow(ref: B.ObjectRef): Stored {
    this.#requireContainer(ref.container);
    return this.#objects.follow(ref);
  }

  #isNewest(ref: B.ObjectRef, startedAt: number): boolean {
    return this.options.strength === 'strong' || this.#objects.isNewest(ref, startedAt);
  }

  async #instant({ requestId }: B.CallContext, what: string): Promise<void> {
    await this.options.instant?.(requestId, what);
  }
}

const RANKS = 1000;
const DAY_MS = 86_400_000;
const RECLAIM_AGE_MS = 7 * DAY_MS;
