import type { ContainerInfo } from '../../backend/backend.js';
import { type RequestContext, type S3Response, ownerOf, xmlResponse } from '../operation.js';
import { isValidBucketName } from '../rules/bucket-name.js';
import { encodeContinuationToken } from '../rules/continuation-token.js';
import { parseListBucketsQuery, type ListBucketsQuery } from '../rules/listing-query.js';
import { renderListAllMyBucketsResult } from '../xml/list-all-my-buckets-result.js';

/** A bucket has at most two companions: `<bucket>+segments` and `<bucket>+versions`. */
const CONTAINERS_OF_BUCKET_MAX = 3;
/** The most containers that a store lists at once. */
const CONTAINERS_PER_LISTING = 10_000;
/**
 * The limit of listings in one request; an account may have any number of containers that are no
 * buckets.
 */
const LISTINGS_MAX = 10;

/**
 * ListBuckets: the signer's account. Containers whose names no bucket can have, such as the
 * companions of buckets, are passed over: pages count buckets, and a token says that another bucket
 * follows. Only a very long run of other containers (100,000) may make a page short, or follow it
 * without any bucket.
 */
export async function listBuckets(context: RequestContext): Promise<S3Response> {
  const { region } = context.services.settings;
  const parameters = context.endpoint.query;
  const query = parseListBucketsQuery(parameters);
  const isElsewhere = query.bucketRegion !== undefined && query.bucketRegion !== region;
  const page = isElsewhere ? NOTHING : await readBuckets(context, query);
  return xmlResponse(
    renderListAllMyBucketsResult({
      owner: ownerOf(context),
      buckets: page.buckets,
      // Like AWS, the region is shown if the request has any of the parameters.
      region: PARAMETERS.some((name) => parameters.has(name)) ? region : undefined,
      prefix: parameters.get('prefix'),
      continuationToken:
        page.continueBehind === undefined
          ? undefined
          : encodeContinuationToken(page.continueBehind),
    }),
  );
}

const PARAMETERS = ['bucket-region', 'continuation-token', 'max-buckets', 'prefix'] as const;

interface BucketPage {
  readonly buckets: readonly ContainerInfo[];
  /** A name; undefined when no bucket follows. */
  readonly continueBehind: string | undefined;
}

const NOTHING: BucketPage = { buckets: [], continueBehind: undefined };

async function readBuckets(
  { call, principal, services }: RequestContext,
  { prefix, marker, maxBuckets }: ListBucketsQuery,
): Promise<BucketPage> {
  const buckets: ContainerInfo[] = [];
  let last = marker;
  // One more than asked for, to know whether another bucket follows. In most accounts one listing
  // is enough.
  let limit = Math.min((maxBuckets + 1) * CONTAINERS_OF_BUCKET_MAX, CONTAINERS_PER_LISTING);
  for (let listings = 0; listings < LISTINGS_MAX; listings++) {
    const page = await services.backend.listContainers(call, principal.account, {
      prefix,
      marker: last === '' ? undefined : last,
      limit,
    });
    for (const container of page.containers) {
      if (isValidBucketName(container.name)) buckets.push(container);
      if (buckets.length > maxBuckets) {
        const shown = buckets.slice(0, maxBuckets);
        return { buckets: shown, continueBehind: shown.at(-1)?.name };
      }
      last = container.name;
    }
    if (!page.truncated) return { buckets, continueBehind: undefined };
    limit = CONTAINERS_PER_LISTING;
  }
  return { buckets, continueBehind: last };
}
