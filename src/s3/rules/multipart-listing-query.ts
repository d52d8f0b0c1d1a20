import type { Query } from '../request/query.js';
import { LISTED_ENTRIES_MAX, LISTED_PARTS_MAX } from './protocol-limits.js';
import {
  invalidArgument,
  parseCount,
  parseDelimiter,
  parseEncodingType,
  parseInteger,
} from './query-parameters.js';
import { isUploadId } from './upload-id.js';

/** Parameters of ListParts and ListMultipartUploads; all of them are echoed in the result. */

export interface ListPartsQuery {
  /** As sent: `uploadOf` checks it. */
  readonly uploadId: string;
  /** 0 to 1000. */
  readonly maxParts: number;
  /** The page begins strictly after this part; 0 for the first page. */
  readonly partNumberMarker: number;
  /** `encoding-type=url`: the key in the result is percent-encoded. */
  readonly urlEncoded: boolean;
}

export interface ListMultipartUploadsQuery {
  /** Empty when not given. */
  readonly prefix: string;
  /** Undefined when not given, or empty. */
  readonly delimiter: string | undefined;
  /**
   * The key at which the page begins; empty for the first one. Without an upload id marker: after
   * all uploads of this key. With one: after that upload of this key.
   */
  readonly keyMarker: string;
  /** Empty without a key marker, which it means nothing without. */
  readonly uploadIdMarker: string;
  /** 0 to 1000. */
  readonly maxUploads: number;
  /** `encoding-type=url`: names in the result are percent-encoded. */
  readonly urlEncoded: boolean;
}

/** @throws S3Error `InvalidArgument` */
export function parseListPartsQuery(query: Query): ListPartsQuery {
  return {
    maxParts: parseCount(query, 'max-parts', LISTED_PARTS_MAX),
    partNumberMarker: parseInteger(query, 'part-number-marker') ?? 0,
    urlEncoded: parseEncodingType(query),
    uploadId: query.get('uploadId') ?? '',
  };
}

/** @throws S3Error `InvalidArgument` */
export function parseListMultipartUploadsQuery(query: Query): ListMultipartUploadsQuery {
  const keyMarker = query.get('key-marker') ?? '';
  return {
    prefix: query.get('prefix') ?? '',
    delimiter: parseDelimiter(query),
    maxUploads: parseCount(query, 'max-uploads', LISTED_ENTRIES_MAX),
    urlEncoded: parseEncodingType(query),
    keyMarker,
    uploadIdMarker: keyMarker === '' ? '' : parseUploadIdMarker(query),
  };
}

function parseUploadIdMarker(query: Query): string {
  const value = query.get('upload-id-marker') ?? '';
  if (value === '' || isUploadId(value)) return value;
  throw invalidArgument('upload-id-marker', value, 'Invalid uploadId marker');
}
