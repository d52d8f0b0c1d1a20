import { createHash } from 'node:crypto';
import type * as B from '../backend.js';
import { BackendError } from '../errors.js';
import { collectBody } from '../body-intake.js';
import { DecoratedBackend } from './decorated-backend.js';
import { type WeakOptions, WeakWrites } from './weak-writes.js';
import { isCode, TICKETS_CONTAINER, withoutStarted, WriteTimes } from './write-times.js';

/**
 * Makes a strong store as weak as stock Swift (2.30 to 2.38), for tests of what is built on either:
 * {@link WeakWrites} says how. Preconditions on an ETag are refused, since Swift ignores them:
 * nobody may rely on one. It holds across processes that share the store, each of them with a
 * decorator of its own; and only among them, so all must write through one.
 */
export class WeakPreconditions extends DecoratedBackend {
  readonly #times: WriteTimes;
  readonly #writes: WeakWrites;
  readonly #bodyBytesMax: number;

  /** @throws Error when the store is not strong itself */
  constructor(inner: B.Backend, options: WeakOptions & { readonly bodyBytesMax?: number } = {}) {
    const times = new WriteTimes(inner);
    super(inner, weakened(inner.capabilities, times.nameBytesMax));
    this.#bodyBytesMax = options.bodyBytesMax ?? BODY_BYTES_MAX;
    this.#times = times;
    this.#writes = new WeakWrites(this.#times, options);
  }

  override async listContainers(
    context: B.CallContext,
    account: string,
    query: B.ContainerQuery,
  ): Promise<B.ContainerPage> {
    const more = { ...query, limit: query.limit + 1 };
    const page = await super.listContainers(context, account, more);
    const shown = page.containers.filter(({ name }) => name !== TICKETS_CONTAINER);
    const truncated = page.truncated || shown.length > query.limit;
    return { containers: shown.slice(0, query.limit), truncated };
  }

  override async listObjects(
    context: B.CallContext,
    ref: B.ContainerRef,
    query: B.ObjectQuery,
  ): Promise<B.ObjectPage> {
    const page = await super.listObjects(context, ref, query);
    return { ...page, entries: page.entries.map(asWritten) };
  }

  override putObject(
    context: B.CallContext,
    ref: B.ObjectRef,
    input: B.PutObjectInput,
    precondition?: B.WritePrecondition,
  ): Promise<B.PutOutcome> {
    const { guard } = input;
    return this.#writes.put({ context, ref, precondition, guard }, async () => {
      const body = await this.#collect(context, input);
      const seal = input.seal?.() ?? {};
      const etag = seal.etag ?? createHash('md5').update(body).digest('hex');
      const sealed = { ...input, body, seal: () => seal };
      return {
        etag,
        commit: (ours) => this.inner.putObject(context, ref, { ...sealed, ...ours(input) }),
      };
    });
  }

  override putManifest(
    context: B.CallContext,
    ref: B.ObjectRef,
    input: B.ManifestInput,
    precondition?: B.WritePrecondition,
  ): Promise<B.PutOutcome> {
    const { etag, guard } = input;
    return this.#writes.put({ context, ref, precondition, guard }, () => ({
      etag,
      commit: (ours) => this.inner.putManifest(context, ref, { ...input, ...ours(input) }),
    }));
  }

  override putLink(
    context: B.CallContext,
    ref: B.ObjectRef,
    input: B.LinkInput,
    precondition?: B.WritePrecondition,
  ): Promise<B.PutOutcome> {
    const { etag, guard } = input;
    return this.#writes.put({ context, ref, precondition, guard }, () => ({
      etag,
      commit: (ours) => this.inner.putLink(context, ref, { ...input, ...ours(input) }),
    }));
  }

  override copyObject(
    context: B.CallContext,
    from: B.ObjectRef,
    to: B.ObjectRef,
    input: B.CopyInput,
    precondition?: B.WritePrecondition,
  ): Promise<B.CopyOutcome> {
    const { guard } = input;
    return this.#writes.put<B.CopyOutcome>({ context, ref: to, precondition, guard }, () => ({
      etag: undefined,
      commit: async (ours) => {
        for (;;) {
          const whole = await this.#described(context, from, input);
          const copy = { ...whole, ...ours(whole) };
          const outcome = await this.inner.copyObject(context, from, to, copy);
          const changed = outcome.outcome === 'source_changed';
          if (!changed || input.sourceEtag !== undefined) return outcome;
        }
      },
    }));
  }

  override deleteObject(
    context: B.CallContext,
    ref: B.ObjectRef,
    precondition?: B.DeletePrecondition,
    options?: B.DeleteOptions,
  ): Promise<B.DeleteOutcome> {
    const manifest = async (): Promise<B.RemovedManifest | undefined> =>
      manifestOf(await this.#headIfReadable(context, ref));
    return this.#writes.remove({ context, ref, precondition, guard: options?.guard }, manifest);
  }

  /** A copy that is given no listing attributes takes the source's, but not when that was written. */
  async #described(
    context: B.CallContext,
    from: B.ObjectRef,
    input: B.CopyInput,
  ): Promise<B.CopyInput> {
    if (input.listingAttributes !== undefined) return input;
    const head = await this.#headIfReadable(context, from);
    // The store says better what is wrong with the source.
    if (head === undefined) return input;
    const source = { ...from, ...head.link?.target };
    const { attributes: listingAttributes } = await this.#times.peek(context, source);
    return { ...input, sourceEtag: input.sourceEtag ?? head.etag, listingAttributes };
  }

  async #headIfReadable(
    context: B.CallContext,
    ref: B.ObjectRef,
  ): Promise<B.ObjectHead | undefined> {
    try {
      return await this.inner.headObject(context, ref);
    } catch (error) {
      if (isCode(error, 'NoSuchObject', 'NoSuchContainer', 'BrokenLink')) return undefined;
      throw error;
    }
  }

  async #collect(context: B.CallContext, { body, size }: B.PutObjectInput): Promise<Buffer> {
    if (size <= this.#bodyBytesMax) return collectBody({ body, size, context });
    const detail = `a body of ${size} bytes is more than can be held in memory`;
    throw new BackendError('Unsupported', detail);
  }
}

/** Between check and commit, bodies are in memory. */
const BODY_BYTES_MAX = 64 * 1024 * 1024;

function weakened(capabilities: B.Capabilities, objectNameBytesMax: number): B.Capabilities {
  const { atomicCreate, conditionalReplace, atomicGuard } = capabilities;
  if (!atomicCreate || !conditionalReplace || !atomicGuard) {
    throw new Error('only a strong store can be made weak in a way that is known');
  }
  return {
    ...capabilities,
    atomicCreate: false,
    conditionalReplace: false,
    conditionalDelete: false,
    exclusiveDelete: false,
    atomicGuard: false,
    objectNameBytesMax,
  };
}

/** What there is to tell of the segments of an object itself, not of one that it leads to. */
function manifestOf(head: B.ObjectHead | undefined): B.RemovedManifest | undefined {
  if (head?.segmentCount === undefined || head.link !== undefined) return undefined;
  const { size, etag, systemMetadata } = head;
  return { size, etag, systemMetadata };
}

function asWritten(entry: B.ListingEntry): B.ListingEntry {
  if (entry.kind === 'prefix') return entry;
  const { object } = entry;
  return { kind: 'object', object: { ...object, attributes: withoutStarted(object.attributes) } };
}
