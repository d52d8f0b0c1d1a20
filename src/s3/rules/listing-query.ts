import type { Query } from '../query.js';
import { decodeContinuationToken } from './continuation-token.js';
import { invalidArgument, outOfRange, parseCount, parseEncodingType } from './query-parameters.js';

/** Parameters of listings; all of them are echoed in the result. */

interface ObjectListingQuery {
  /** Empty when not given. */
  readonly prefix: string;
  /** Undefined when not given or empty, which both mean none. */
  readonly delimiter: string | undefined;
  /** Where the page begins: strictly after this; empty for the first page. */
  readonly marker: string;
  /** 0 to 1000. */
  readonly maxKeys: number;
  /** `encoding-type=url`: names in the result are percent-encoded. */
  readonly urlEncoded: boolean;
}

export type ListObjectsQuery = ObjectListingQuery;

export interface ListObjectsV2Query extends ObjectListingQuery {
  /** As sent; `marker` is what they come to: the token wins. */
  readonly startAfter: string | undefined;
  readonly continuationToken: string | undefined;
  readonly fetchOwner: boolean;
}

export interface ListBucketsQuery {
  readonly prefix: string;
  readonly marker: string;
  /** 1 to 10,000. */
  readonly maxBuckets: number;
  /** Only buckets of this region. */
  readonly bucketRegion: string | undefined;
}

/** More is accepted, and means this many. */
const MAX_KEYS = 1000;
const MAX_BUCKETS = 10_000;

/** @throws S3Error `InvalidArgument` */
export function parseListObjectsQuery(query: Query): ListObjectsQuery {
  return { ...parseCommon(query), marker: query.get('marker') ?? '' };
}

/** @throws S3Error `InvalidArgument` */
export function parseListObjectsV2Query(query: Query): ListObjectsV2Query {
  const listType = query.get('list-type') ?? '';
  if (listType !== '2') {
    throw invalidArgument('list-type', listType, 'Invalid list type specified in Request');
  }
  const continuationToken = query.get('continuation-token');
  const startAfter = query.get('start-after');
  return {
    ...parseCommon(query),
    startAfter,
    continuationToken,
    marker:
      continuationToken === undefined
        ? (startAfter ?? '')
        : decodeContinuationToken(continuationToken),
    fetchOwner: query.get('fetch-owner') === 'true',
  };
}

/** @throws S3Error `InvalidArgument` */
export function parseListBucketsQuery(query: Query): ListBucketsQuery {
  const token = query.get('continuation-token');
  const maxBuckets = parseCount(query, 'max-buckets', MAX_BUCKETS);
  if (maxBuckets === 0) throw outOfRange('max-buckets', '0', 1, MAX_BUCKETS);
  return {
    prefix: query.get('prefix') ?? '',
    marker: token === undefined ? '' : decodeContinuationToken(token),
    maxBuckets,
    bucketRegion: query.get('bucket-region'),
  };
}

function parseCommon(query: Query) {
  const delimiter = query.get('delimiter');
  return {
    prefix: query.get('prefix') ?? '',
    delimiter: delimiter === '' ? undefined : delimiter,
    maxKeys: parseCount(query, 'max-keys', MAX_KEYS),
    urlEncoded: parseEncodingType(query),
  };
}
