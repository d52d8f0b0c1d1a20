import type { Query } from '../request/query.js';
import { LISTED_ENTRIES_MAX } from './protocol-limits.js';
import {
  invalidArgument,
  parseCount,
  parseDelimiter,
  parseEncodingType,
} from './query-parameters.js';
import { invalidVersionId, isVersionId } from './version-id.js';

/** Parameters of ListObjectVersions; all of them are echoed in the result. */
export interface ListObjectVersionsQuery {
  /** Empty when not given. */
  readonly prefix: string;
  /** Undefined when not given, or empty. */
  readonly delimiter: string | undefined;
  /**
   * The key at which the page begins; empty for the first one. Without a version id marker: after
   * all versions of this key. With one: after that version of this key.
   */
  readonly keyMarker: string;
  /** Empty when not given. `null` is a version too. */
  readonly versionIdMarker: string;
  /** 0 to 1000: versions, delete markers and common prefixes together. */
  readonly maxKeys: number;
  /** `encoding-type=url`: names in the result are percent-encoded. */
  readonly urlEncoded: boolean;
}

const KEY_MARKER = 'key-marker';
const VERSION_ID_MARKER = 'version-id-marker';

/** @throws S3Error `InvalidArgument` */
export function parseListObjectVersionsQuery(query: Query): ListObjectVersionsQuery {
  const keyMarker = query.get(KEY_MARKER) ?? '';
  return {
    prefix: query.get('prefix') ?? '',
    delimiter: parseDelimiter(query),
    maxKeys: parseCount(query, 'max-keys', LISTED_ENTRIES_MAX),
    urlEncoded: parseEncodingType(query),
    keyMarker,
    versionIdMarker: parseVersionIdMarker(query, keyMarker),
  };
}

/**
 * Like AWS, tells an absent marker from an empty one; but two empty markers mean the first page,
 * whose result echoes them so.
 */
function parseVersionIdMarker(query: Query, keyMarker: string): string {
  const value = query.get(VERSION_ID_MARKER);
  if (value === undefined) return '';
  if (!query.has(KEY_MARKER)) throw withoutKey(value);
  if (value === '' && keyMarker === '') return '';
  if (value === '') throw refused(value, 'A version-id marker cannot be empty.');
  if (!isVersionId(value)) throw invalidVersionId(VERSION_ID_MARKER, value);
  if (keyMarker === '') throw withoutKey(value);
  return value;
}

function withoutKey(value: string) {
  return refused(value, 'A version-id marker cannot be specified without a key marker.');
}

function refused(value: string, message: string) {
  return invalidArgument(VERSION_ID_MARKER, value, message);
}
