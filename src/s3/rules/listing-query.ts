import type { Query } from '../request/query.js';
import { LISTED_BUCKETS_MAX, LISTED_ENTRIES_MAX } from './protocol-limits.js';
import {
  invalidArgument,
  outOfRange,
  parseContinuationToken,
  parseCount,
  parseDelimiter,
  parseEncodingType,
  parseInteger,
} from './query-parameters.js';

/** Parameters of listings; all of them are echoed in the result. */

interface ObjectListingQuery {
  /** Empty when not given. */
  readonly prefix: string;
  /** Undefined when not given, or empty. */
  readonly delimiter: string | undefined;
  /** The page begins strictly after this name; empty for the first page. */
  readonly marker: string;
  /** 0 to 1000. */
  readonly maxKeys: number;
  /** `encoding-type=url`: names in the result are percent-encoded. */
  readonly urlEncoded: boolean;
}

export type ListObjectsQuery = ObjectListingQuery;

export interface ListObjectsV2Query extends ObjectListingQuery {
  /** The value as sent; `marker` is the effective one: the token wins. */
  readonly startAfter: string | undefined;
  readonly continuationToken: string | undefined;
  readonly fetchOwner: boolean;
}

export interface ListBucketsQuery {
  readonly prefix: string;
  readonly marker: string;
  /** 1 to 10,000. */
  readonly maxBuckets: number;
  /** The region to which the buckets are limited. */
  readonly bucketRegion: string | undefined;
}

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
  const startAfter = query.get('start-after');
  const continueBehind = parseContinuationToken(query);
  return {
    ...parseCommon(query),
    startAfter,
    continuationToken: query.get('continuation-token'),
    marker: continueBehind === '' ? (startAfter ?? '') : continueBehind,
    fetchOwner: query.get('fetch-owner') === 'true',
  };
}

/** @throws S3Error `InvalidArgument` */
export function parseListBucketsQuery(query: Query): ListBucketsQuery {
  const maxBuckets = parseInteger(query, 'max-buckets') ?? LISTED_BUCKETS_MAX;
  if (maxBuckets < 1 || maxBuckets > LISTED_BUCKETS_MAX) {
    throw outOfRange('max-buckets', String(maxBuckets), 1, LISTED_BUCKETS_MAX);
  }
  return {
    prefix: query.get('prefix') ?? '',
    marker: parseContinuationToken(query),
    maxBuckets,
    bucketRegion: query.get('bucket-region'),
  };
}

function parseCommon(query: Query) {
  return {
    prefix: query.get('prefix') ?? '',
    delimiter: parseDelimiter(query),
    maxKeys: parseCount(query, 'max-keys', LISTED_ENTRIES_MAX),
    urlEncoded: parseEncodingType(query),
  };
}
