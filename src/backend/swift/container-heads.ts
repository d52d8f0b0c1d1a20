import { type MaybePromise, SharedReads } from '../../lib/promises.js';
import type { ContainerHead, CallContext, ContainerRef, ReadOptions } from '../backend.js';
import { throwIfAborted } from '../call-context.js';
import { BackendError } from '../errors.js';
import { readSystemMetadata, readUserMetadata } from './metadata-headers.js';
import { answerError } from './status-errors.js';
import { readTimestamp } from './timestamps.js';
import type { SwiftResponse, SwiftTransport } from './transport.js';

/** A container as the headers of Swift's answers tell it. @throws BackendError Corrupt */
function readContainerHead(name: string, headers: ReadonlyMap<string, string>): ContainerHead {
  return {
    name,
    createdAt: readCreatedAt(headers),
    objectCount: readCount(headers.get('x-container-object-count')),
    bytesUsed: readCount(headers.get('x-container-bytes-used')),
    metadata: readUserMetadata(headers, 'container', undefined),
    systemMetadata: readSystemMetadata(headers, 'container'),
    acl: {
      read: headers.get('x-container-read') ?? '',
      write: headers.get('x-container-write') ?? '',
    },
    storeVersioning: readStoreVersioning(headers),
  };
}

/** Either kind of Swift's own versioning; the older one names a container for the old objects. */
function readStoreVersioning(headers: ReadonlyMap<string, string>): boolean {
  const isEnabled = headers.get('x-versions-enabled')?.toLowerCase() === 'true';
  return isEnabled || VERSIONS_LOCATIONS.some((name) => (headers.get(name) ?? '') !== '');
}

/** Names of headers of the older kind. */
export const VERSIONS_LOCATIONS = ['x-versions-location', 'x-history-location'] as const;

/**
 * `X-Timestamp` is of the database, which outlives a deletion for a week; `Last-Modified`, in whole
 * seconds and rounded up, of the last PUT. When they agree, the exact one is right.
 */
function readCreatedAt(headers: ReadonlyMap<string, string>): number {
  const database = readTimestamp(headers.get('x-timestamp'));
  const put = Date.parse(headers.get('last-modified') ?? '');
  return put - database > 1000 ? put : database;
}

function readCount(text: string | undefined): number {
  const count = Number(text ?? NaN);
  if (!Number.isSafeInteger(count)) throw new BackendError('Corrupt', `no count: ${text}`);
  return count;
}

/**
 * A container that is missing is asked after so much less often than one that is there: Swift asks
 * all its servers then, which costs several times as much.
 */
const MISSING_FACTOR = 5;

/** Enough for the busy containers of a gateway; a head may have 60 KB. */
const HEADS_MAX = 1000;

type Freshness = Pick<ReadOptions, 'newest'>;

interface CachedHead {
  /** When it was asked for, by the monotonic clock: what it says is not older. */
  readonly askedAt: number;
  readonly head: Promise<ContainerHead>;
}

/**
 * A cache of container heads. Every S3 request needs its bucket, so heads are kept for a moment,
 * and concurrent requests for one share a fetch. Writes of this process are visible at once, writes
 * of other gateways when the moment is over. That a container is missing is remembered for
 * {@link ContainerHeads.isKnown} only: a container that another gateway has just created must be
 * found.
 */
export class ContainerHeads {
  readonly #cached = new Map<string, CachedHead>();
  readonly #missing = new Map<string, number>();
  /** The newest head that is asked for, and the one that is asked for after it. */
  readonly #newest = new SharedReads<ContainerHead>();

  /** @param cacheMs how long a head is believed; 0: never */
  constructor(
    private readonly transport: SwiftTransport,
    readonly cacheMs: number,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** @throws BackendError NoSuchContainer */
  async head(
    context: CallContext,
    ref: ContainerRef,
    options: Freshness = {},
  ): Promise<ContainerHead> {
    throwIfAborted(context);
    const key = keyOf(ref);
    const head = await (options.newest === true
      ? this.#newest.read(key, () => this.#fetch(context, ref, key, options))
      : (this.#fresh(key) ?? this.#fetch(context, ref, key, options)));
    throwIfAborted(context);
    return head;
  }

  /** Whether it is there now, as all replicas say. */
  exists(context: CallContext, ref: ContainerRef): Promise<boolean> {
    return isThere(this.head(context, ref, { newest: true }));
  }

  /** Whether it was there a moment ago, or five where it was not. */
  isKnown(context: CallContext, ref: ContainerRef): MaybePromise<boolean> {
    const missingSince = this.#missing.get(keyOf(ref)) ?? -Infinity;
    if (this.now() - missingSince < this.cacheMs * MISSING_FACTOR) return false;
    return isThere(this.head(context, ref));
  }

  /** Forgets a container after a write. */
  forget(ref: ContainerRef): void {
    this.#cached.delete(keyOf(ref));
    this.#missing.delete(keyOf(ref));
  }

  #fresh(key: string): Promise<ContainerHead> | undefined {
    const cached = this.#cached.get(key);
    if (cached === undefined || this.now() - cached.askedAt >= this.cacheMs) return undefined;
    return cached.head;
  }

  /** The first caller's cancellation does not count: others may wait for the same answer. */
  #fetch(
    { requestId }: CallContext,
    ref: ContainerRef,
    key: string,
    options: Freshness,
  ): Promise<ContainerHead> {
    const askedAt = this.now();
    const head = fetchHead(this.transport, { requestId }, ref, options);
    if (this.cacheMs === 0) return head;
    const cached = { askedAt, head };
    remember(this.#cached, key, cached);
    this.#missing.delete(key);
    head.catch((error: unknown) => {
      // A write may have had it forgotten, and another caller may be asking again by now.
      if (this.#cached.get(key) !== cached) return;
      this.#cached.delete(key);
      if (isMissing(error)) remember(this.#missing, key, askedAt);
    });
    return head;
  }
}

/** HEAD of a container. @throws BackendError NoSuchContainer */
async function fetchHead(
  transport: SwiftTransport,
  context: CallContext,
  ref: ContainerRef,
  options?: Freshness,
): Promise<ContainerHead> {
  const { headers } = await requestHead(transport, context, ref, options);
  return readContainerHead(ref.container, headers);
}

/** @throws BackendError NoSuchContainer */
export async function requestHead(
  transport: SwiftTransport,
  context: CallContext,
  ref: ContainerRef,
  { newest = false }: Freshness = {},
): Promise<SwiftResponse> {
  const { account, container } = ref;
  const response = await transport.request({
    context,
    method: 'HEAD',
    account,
    container,
    headers: newest ? { 'x-newest': 'true' } : {},
  });
  if (response.status >= 300) throw await answerError('container', 'HEAD', ref, response);
  response.cancel();
  return response;
}

/** Whether a request finds the container. @throws whatever else it fails with */
export async function isThere(head: Promise<unknown>): Promise<boolean> {
  try {
    await head;
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof BackendError && error.code === 'NoSuchContainer';
}

/** Keeps what was asked for last: a Map is in the order of its insertions. */
function remember<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= HEADS_MAX) return;
  for (const oldest of map.keys()) {
    map.delete(oldest);
    return;
  }
}

/** Neither of the two has a `/` in Swift. */
function keyOf({ account, container }: ContainerRef): string {
  return `${account}/${container}`;
}
