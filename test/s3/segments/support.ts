import type { Backend, CallContext } from '../../../src/backend/backend.js';
import { SYSTEM_METADATA } from '../../../src/s3/object/attributes.js';
import { mintUploadId } from '../../../src/s3/rules/upload-id.js';
import {
  markerOf,
  partOf,
  segmentsContainer,
  targetOf,
  type Upload,
} from '../../../src/s3/segments/names.js';
import { itOnStore } from '../versions/support.js';

export const CALL: CallContext = { requestId: 'segments' };
export const ACCOUNT = 'AUTH_test';
export const BUCKET = 'bucket';
export const COMPANION = segmentsContainer(ACCOUNT, BUCKET);

/** A test on a store of its own, with a bucket and its companion. */
export function itOnBucket(title: string, test: (backend: Backend) => Promise<void>): void {
  itOnStore(title, async (store) => {
    await store.createContainer(CALL, COMPANION, {});
    await test(store);
  });
}

export function newUpload(key: string): Upload {
  return { account: ACCOUNT, bucket: BUCKET, key, uploadId: mintUploadId(Date.now()) };
}

/** An open upload with these parts. */
export async function openUpload(
  backend: Backend,
  key: string,
  partNumbers: readonly number[],
): Promise<Upload> {
  const upload = newUpload(key);
  const empty = { size: 0, contentType: 'text/plain', body: Buffer.alloc(0) };
  await backend.putObject(CALL, markerOf(upload), empty);
  for (const partNumber of partNumbers) await putPart(backend, upload, partNumber);
  return upload;
}

async function putPart(backend: Backend, upload: Upload, partNumber: number): Promise<void> {
  const body = Buffer.from(`part ${partNumber}`);
  const input = { size: body.length, contentType: 'text/plain', body };
  await backend.putObject(CALL, partOf(upload, partNumber), input);
}

/** Makes the object of these parts and removes the marker, as CompleteMultipartUpload does. */
export async function complete(
  backend: Backend,
  upload: Upload,
  partNumbers: readonly number[],
): Promise<void> {
  const segments = [];
  for (const partNumber of partNumbers) {
    const { container, object } = partOf(upload, partNumber);
    const { size, etag } = await backend.headObject(CALL, partOf(upload, partNumber));
    segments.push({ container, object, size, etag });
  }
  const systemMetadata = { [SYSTEM_METADATA.uploadId]: upload.uploadId };
  const input = { contentType: 'text/plain', segments, etag: 'x-1', systemMetadata };
  await backend.putManifest(CALL, targetOf(upload), input);
  await backend.deleteObject(CALL, markerOf(upload));
}

/** All names in the companion container. */
export async function namesIn(backend: Backend): Promise<string[]> {
  const { entries } = await backend.listObjects(CALL, COMPANION, { limit: 10_000 });
  return entries.flatMap((entry) => (entry.kind === 'object' ? [entry.object.name] : []));
}
