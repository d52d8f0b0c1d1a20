import { mapLimited } from '../../../../src/lib/promises.js';
import { S3StatusError } from '../../../s3/errors.js';
import { children, textIn } from '../../../s3/xml.js';
import type { S3Place } from './s3-bucket.js';
import { walkUploads, type UnfinishedUpload } from './s3-uploads.js';

/** An unfinished upload, with what it takes. */
export interface MeasuredUpload extends UnfinishedUpload {
  readonly parts: number;
  readonly bytes: number;
}

/** A page of unfinished uploads, and where the next one begins. */
export interface UploadsPage {
  readonly items: readonly MeasuredUpload[];
  readonly next: UploadsMarker | null;
}

/** The upload that a page begins behind. */
export type UploadsMarker = Pick<UnfinishedUpload, 'name' | 'upload_id'>;

const AT_ONCE = 4;

/**
 * @param after - the upload that the page begins behind
 * @throws S3StatusError; UpstreamError
 */
export async function uploadsPage(
  place: S3Place,
  prefix: string,
  after: UploadsMarker | undefined,
  limit: number,
): Promise<UploadsPage> {
  const found: UnfinishedUpload[] = [];
  let hasMore = false;
  for await (const upload of walkUploads(place, prefix, after)) {
    hasMore = found.length === limit;
    if (hasMore) break;
    found.push(upload);
  }
  const items = await mapLimited(found, AT_ONCE, async (upload) => ({
    ...upload,
    ...(await sizeOf(place, upload)),
  }));
  const last = found.at(-1);
  const next =
    last === undefined || !hasMore ? null : { name: last.name, upload_id: last.upload_id };
  return { items, next };
}

/** One that ended meanwhile takes nothing. */
async function sizeOf(
  { s3, name: bucket }: S3Place,
  { name: key, upload_id: uploadId }: UnfinishedUpload,
): Promise<{ parts: number; bytes: number }> {
  let parts = 0;
  let bytes = 0;
  let marker: string | undefined;
  try {
    do {
      const query = { uploadId, 'part-number-marker': marker };
      const page = await s3.read('GET', { bucket, key, query });
      for (const part of children(page, 'Part')) {
        parts += 1;
        bytes += Number(textIn(part, 'Size'));
      }
      const isTruncated = textIn(page, 'IsTruncated') === 'true';
      marker = isTruncated ? textIn(page, 'NextPartNumberMarker') : undefined;
    } while (marker !== undefined);
  } catch (error) {
    if (!(error instanceof S3StatusError && error.status === 404)) throw error;
  }
  return { parts, bytes };
}

/** Unfinished uploads that began before a time, as they are found. */
export async function* uploadsBefore(
  place: S3Place,
  prefix: string,
  beforeMs: number,
): AsyncGenerator<UnfinishedUpload> {
  for await (const upload of walkUploads(place, prefix)) {
    if (Date.parse(upload.started) < beforeMs) yield upload;
  }
}
