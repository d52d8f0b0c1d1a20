import type { IncomingHttpHeaders } from 'node:http';
import { BoundedCache } from '../../../src/lib/bounded-cache.js';
import type { ComputeThread } from '../../server/compute-thread.js';
import type { SwiftAccount } from '../../swift/account.js';
import { UpstreamError } from '../../swift/errors.js';
import type { SwiftQuery } from '../../swift/path.js';
import type { Amount, ListingKind, SizePage, SizeTask } from './bucket-size-thread.js';
import { isContainerName, segmentsOf, versionsOf } from './names.js';
import { readListing } from './swift-listing.js';
import { versioningOf } from './versioning.js';
import { behindVersion } from './versions.js';

/** The content of a bucket, as its user counts it. */
export interface BucketSize {
  readonly name: string;
  /** Current objects; large ones with the bytes of all of their parts. */
  readonly current: Amount;
  /** Versions that are not current; null where they are kept elsewhere, or the user may not see them. */
  readonly noncurrent: Amount | null;
  /** Unfinished multipart uploads, with the bytes of their parts; null where the user may not see them. */
  readonly uploads: Amount | null;
  /** False where there is more than is counted at once: then each figure is the least that there is. */
  readonly is_complete: boolean;
}

type Adder = Pick<ComputeThread<SizeTask, SizePage | undefined>, 'run'>;

/** The rows of a page: half a megabyte, which takes no millisecond on its way to the thread. */
export const PAGE_ROWS = 2000;
/** The limit of pages for each container of a bucket: a hundred thousand names. */
const PAGES_MAX = 50;
/** How long a size is taken as it was while the store counts the same objects and bytes. */
const KEPT_MS = 5 * 60_000;
const KEPT_MAX = 1000;

const NOTHING: Amount = { count: 0, bytes: 0 };

interface Sum {
  readonly found: Amount;
  readonly others: Amount;
  readonly isComplete: boolean;
}

const EMPTY: Sum = { found: NOTHING, others: NOTHING, isComplete: true };

/**
 * Measures buckets by reading their listings: the store's own counts have the manifests of large
 * objects and not their parts, and count versions and their indexes with everything else.
 */
export class BucketMeter {
  /** Sizes by session: users may see different things. */
  readonly #kept = new WeakMap<
    SwiftAccount,
    BoundedCache<{ readonly stamp: string; readonly size: BucketSize }>
  >();

  constructor(
    private readonly thread: Adder,
    private readonly pagesMax = PAGES_MAX,
  ) {}

  /**
   * @returns undefined where the bucket is gone, or closed to the user
   * @throws UpstreamError; SwiftStatusError; ApiError busy
   */
  async measure(
    store: SwiftAccount,
    name: string,
    signal: AbortSignal,
  ): Promise<BucketSize | undefined> {
    const [own, archive, segments] = await Promise.all([
      head(store, name, signal),
      head(store, versionsOf(name), signal),
      head(store, segmentsOf(name), signal),
    ]);
    if (typeof own === 'string') return undefined;
    const stamp = [own, archive, segments].map(stampOf).join();
    const kept = this.#keptOf(store);
    const former = kept.get(name);
    if (former?.stamp === stamp) return former.size;
    const isStack = versioningOf(own).mode === 'stack';
    const read = (kind: ListingKind, container: string) =>
      this.#add(store, { kind, container, signal });
    const objects = await read(isStack ? 'stack' : 'objects', name);
    const versions = isUsed(archive) ? await read('archive', versionsOf(name)) : EMPTY;
    const uploads = isUsed(segments) ? await read('segments', segmentsOf(name)) : EMPTY;
    const isElsewhere = ['archive', 'history'].includes(versioningOf(own).mode);
    const size: BucketSize = {
      name,
      current: objects.found,
      noncurrent:
        archive === 'closed' || isElsewhere
          ? null
          : isStack
            ? objects.others
            : without(versions.found, objects.others),
      uploads: segments === 'closed' ? null : uploads.found,
      is_complete: [objects, versions, uploads].every(({ isComplete }) => isComplete),
    };
    kept.set(name, { stamp, size });
    return size;
  }

  #keptOf(store: SwiftAccount) {
    let kept = this.#kept.get(store);
    if (kept === undefined) {
      kept = new BoundedCache({ weightMax: KEPT_MAX, lifeMs: KEPT_MS });
      this.#kept.set(store, kept);
    }
    return kept;
  }

  async #add(
    store: SwiftAccount,
    {
      kind,
      container,
      signal,
    }: { readonly kind: ListingKind; readonly container: string; readonly signal: AbortSignal },
  ): Promise<Sum> {
    let { found, others } = EMPTY;
    let from: SwiftQuery = {};
    let open = '';
    for (let page = 0; page < this.pagesMax; page++) {
      const query = {
        limit: PAGE_ROWS,
        ...(kind === 'stack' ? { versions: '' } : {}),
        ...from,
      };
      const listing = await readListing(store, container, query, signal);
      const sum = await this.thread.run({ name: 'size', kind, listing, open });
      if (sum === undefined) throw new UpstreamError('invalid');
      found = plus(found, sum.found);
      others = plus(others, sum.others);
      if (sum.rows < PAGE_ROWS) return { found, others, isComplete: true };
      open = sum.open;
      from = behind(sum, kind);
    }
    return { found, others, isComplete: false };
  }
}

/** Where the next page begins. */
function behind({ name = '', versionId = '' }: SizePage, kind: ListingKind): SwiftQuery {
  return kind === 'stack' ? behindVersion(name, versionId) : { marker: name };
}

/** The headers of a container; `none` where there is none, `closed` to a user who may not see it. */
type Head = IncomingHttpHeaders | 'none' | 'closed';

async function head(store: SwiftAccount, container: string, signal: AbortSignal): Promise<Head> {
  if (!isContainerName(container)) return 'none';
  const request = { container, signal };
  const { status, headers } = await store.do([200, 204, 403, 404], 'HEAD', request);
  if (status === 404) return 'none';
  return status === 403 ? 'closed' : headers;
}

function isUsed(head: Head): boolean {
  return typeof head !== 'string' && head['x-container-object-count'] !== '0';
}

function stampOf(head: Head): string {
  if (typeof head === 'string') return head;
  const { mode } = versioningOf(head);
  return `${mode} ${String(head['x-container-object-count'])} ${String(head['x-container-bytes-used'])}`;
}

function plus(one: Amount, other: Amount): Amount {
  return { count: one.count + other.count, bytes: one.bytes + other.bytes };
}

/** Listings of a cluster may lag behind one another. */
function without(all: Amount, some: Amount): Amount {
  return {
    count: Math.max(0, all.count - some.count),
    bytes: Math.max(0, all.bytes - some.bytes),
  };
}
