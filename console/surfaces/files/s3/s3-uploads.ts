import type { Readable } from 'node:stream';
import { keyIn, children, escapeXml, textIn } from '../../../s3/xml.js';
import { UpstreamError } from '../../../swift/errors.js';
import type { S3Bucket, S3Place } from './s3-bucket.js';

/** Where uploads are: any bucket of S3. */
type Uploads = Pick<S3Place, 's3' | 'name'>;

/** A multipart upload that was begun and never finished. */
export interface UnfinishedUpload {
  readonly name: string;
  readonly upload_id: string;
  readonly started: string;
}

const PART_IDLE_MS = 2 * 60_000;
/** S3 puts the parts together before it answers. */
const COMPLETE_IDLE_MS = 15 * 60_000;

/** Unfinished uploads of a bucket, by key. @param after - begins behind this one @throws S3StatusError */
export async function* walkUploads(
  { s3, name: bucket }: Uploads,
  prefix: string,
  after?: Pick<UnfinishedUpload, 'name' | 'upload_id'>,
): AsyncGenerator<UnfinishedUpload> {
  let markers: Record<string, string> =
    after === undefined ? {} : { 'key-marker': after.name, 'upload-id-marker': after.upload_id };
  for (;;) {
    const query = { uploads: '', 'encoding-type': 'url', prefix: prefix || undefined, ...markers };
    const page = await s3.read('GET', { bucket, query });
    for (const node of children(page, 'Upload')) {
      const [upload_id, started] = [textIn(node, 'UploadId'), textIn(node, 'Initiated')];
      yield { name: keyIn(node, 'Key'), upload_id, started };
    }
    if (textIn(page, 'IsTruncated') !== 'true') return;
    markers = {
      'key-marker': keyIn(page, 'NextKeyMarker'),
      'upload-id-marker': textIn(page, 'NextUploadIdMarker'),
    };
  }
}

/** Deletes the parts that an unfinished upload has; one that is gone is no error. */
export async function abortUpload(
  { s3, name: bucket }: Uploads,
  key: string,
  uploadId: string,
): Promise<void> {
  await s3.do([204, 404], 'DELETE', { bucket, key, query: { uploadId } });
}

/** A part of an object that is written in parts. */
export interface Part {
  readonly bytes: number;
  open(): Promise<Readable>;
}

/**
 * Writes an object from parts, one after the other: S3 takes no larger body than 5 GiB at once. What
 * fails leaves no parts behind.
 * @returns the ETag, without quotes
 * @throws S3StatusError; UpstreamError
 */
export async function putInParts(
  bucket: S3Bucket,
  key: string,
  parts: readonly Part[],
  contentType: string,
  condition: Readonly<Record<string, string>>,
): Promise<string> {
  const { s3, name } = bucket;
  const place = { bucket: name, key };
  const headers = { 'content-type': contentType };
  const begun = await s3.read('POST', { ...place, query: { uploads: '' }, headers });
  const uploadId = textIn(begun, 'UploadId');
  if (uploadId === '') throw new UpstreamError('invalid');
  try {
    let done = '';
    for (const [index, part] of parts.entries()) {
      const query = { uploadId, partNumber: String(index + 1) };
      const body = await part.open();
      const answer = await s3
        .do([200], 'PUT', {
          ...{ ...place, query, body, idleMs: PART_IDLE_MS },
          headers: { 'content-length': String(part.bytes) },
        })
        // A refused body would hold its connection to the store.
        .finally(() => body.destroy());
      const etag = escapeXml(answer.headers.etag ?? '');
      done += `<Part><PartNumber>${index + 1}</PartNumber><ETag>${etag}</ETag></Part>`;
    }
    const body = `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${done}</CompleteMultipartUpload>`;
    const made = await s3.read('POST', {
      ...{ ...place, query: { uploadId }, body, idleMs: COMPLETE_IDLE_MS },
      headers: { 'content-type': 'application/xml', ...condition },
    });
    return textIn(made, 'ETag').replaceAll('"', '');
  } catch (error) {
    await abortUpload(bucket, key, uploadId).catch(() => undefined);
    throw error;
  }
}
