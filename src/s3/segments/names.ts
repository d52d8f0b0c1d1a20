import type { ContainerRef, ObjectRef } from '../../backend/backend.js';
import { SEGMENTS_SUFFIX as SUFFIX } from '../../backend/own-hops.js';
import { PART_NUMBER_MAX } from '../rules/protocol-limits.js';
import { isUploadId } from '../rules/upload-id.js';

/**
 * The names of the parts of multipart uploads, in the layout of Swift's s3api:
 *
 *     <bucket>+segments   <key>/<upload id>            an open upload: an empty object, the marker
 *                         <key>/<upload id>/<number>   a part, later a segment of the object
 *
 * Keys may look like upload ids or part numbers themselves. A name is never both: ids have 32
 * characters or more, part numbers five at most.
 */

/** A multipart upload, open or not: what becomes `bucket/key` in `account`. */
export interface Upload {
  readonly account: string;
  readonly bucket: string;
  readonly key: string;
  readonly uploadId: string;
}

export type SegmentName =
  | { readonly kind: 'marker'; readonly key: string; readonly uploadId: string }
  | {
      readonly kind: 'part';
      readonly key: string;
      readonly uploadId: string;
      readonly partNumber: number;
    };

/** The companion container of a bucket. */
export function segmentsContainer(account: string, bucket: string): ContainerRef {
  return { account, container: bucket + SUFFIX };
}

/** @returns the bucket whose companion this is; undefined for any other container */
export function bucketOfSegments(container: string): string | undefined {
  return container.endsWith(SUFFIX) ? container.slice(0, -SUFFIX.length) : undefined;
}

export function markerOf(upload: Upload): ObjectRef {
  const { account, bucket, key, uploadId } = upload;
  return { ...segmentsContainer(account, bucket), object: `${key}/${uploadId}` };
}

export function partOf(upload: Upload, partNumber: number): ObjectRef {
  const { account, bucket } = upload;
  return { ...segmentsContainer(account, bucket), object: `${partsPrefix(upload)}${partNumber}` };
}

/** The prefix of all names of an upload's parts. */
export function partsPrefix({ key, uploadId }: Upload): string {
  return `${key}/${uploadId}/`;
}

/** The object that the upload becomes. */
export function targetOf({ account, bucket, key }: Upload): ObjectRef {
  return { account, container: bucket, object: key };
}

/** @returns undefined for a name that no gateway wrote */
export function parseSegmentName(name: string): SegmentName | undefined {
  const slash = name.lastIndexOf('/');
  const last = name.slice(slash + 1);
  if (isUploadId(last)) {
    if (slash < 1) return undefined;
    return { kind: 'marker', key: name.slice(0, slash), uploadId: last };
  }
  const partNumber = parsePartName(last);
  const before = slash < 1 ? -1 : name.lastIndexOf('/', slash - 1);
  const uploadId = name.slice(before + 1, Math.max(slash, 0));
  if (partNumber === undefined || before < 1 || !isUploadId(uploadId)) return undefined;
  return { kind: 'part', key: name.slice(0, before), uploadId, partNumber };
}

/** A part number as it stands in a name: without leading zeros. */
export function parsePartName(text: string): number | undefined {
  if (!/^[1-9][0-9]{0,4}$/.test(text)) return undefined;
  const partNumber = Number(text);
  return partNumber > PART_NUMBER_MAX ? undefined : partNumber;
}
