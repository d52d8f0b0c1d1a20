import { S3StatusError } from '../../../s3/errors.js';
import { ApiError } from '../../../server/api-error.js';
import type { SwiftAccount } from '../../../swift/account.js';
import { headerText } from '../../../swift/login.js';
import { readBody } from '../../../swift/upstream.js';
import { TAKEN } from '../exists.js';
import { segmentsOf } from '../names.js';
import type { UploadPlan } from '../upload-plan.js';
import type { S3Bucket } from './s3-bucket.js';
import { putInParts } from './s3-uploads.js';

/** Where segments go: into one version of a key. */
interface Joining {
  readonly store: SwiftAccount;
  readonly bucket: S3Bucket;
  readonly key: string;
  readonly plan: UploadPlan;
  readonly type: string;
}

/** A client that lost the answer has given up by then. */
const RECEIPT_S = 86_400;
const RECEIPT_BYTES_MAX = 1024;

/**
 * Versions of S3 are not made of Swift's segments: these are copied into one, and deleted. A receipt
 * with its ETag stays among the segments for a day, for a client that loses the answer.
 * @throws ApiError exists
 */
export async function joinInS3(
  { store, bucket, key, plan, type }: Joining,
  segments: readonly { readonly name: string; readonly bytes: number }[],
  condition: Readonly<Record<string, string>>,
): Promise<void> {
  const container = segmentsOf(bucket.name);
  const parts = segments.map(({ name: object, bytes }) => ({
    bytes,
    open: async () => (await store.expect([200], 'GET', { container, object })).body,
  }));
  try {
    const etag = await putInParts(bucket, key, parts, headerText(type), condition);
    const headers = { 'x-delete-after': String(RECEIPT_S), 'content-type': 'text/plain' };
    const length = { 'content-length': String(Buffer.byteLength(etag)) };
    await store.do([201], 'PUT', {
      ...{ container, object: receiptOf(plan), body: etag, headers: { ...headers, ...length } },
    });
  } catch (error) {
    if (error instanceof S3StatusError && error.status === 412) throw new ApiError('exists', TAKEN);
    throw error;
  }
  for (const { name: object } of segments) {
    await store.do([204, 404], 'DELETE', { container, object });
  }
}

/** Whether the segments of this upload have become the object that is current. */
export async function isJoined(
  store: SwiftAccount,
  bucket: S3Bucket,
  key: string,
  plan: UploadPlan,
): Promise<boolean> {
  const place = { container: segmentsOf(bucket.name), object: receiptOf(plan) };
  const { status, body } = await store.expect([200, 404], 'GET', place);
  const etag = (await readBody(body, RECEIPT_BYTES_MAX)).toString('utf8');
  if (status !== 200) return false;
  const current = await bucket.s3.do([200, 400, 403, 404], 'HEAD', { bucket: bucket.name, key });
  return current.status === 200 && current.headers.etag?.replaceAll('"', '') === etag;
}

/** No segment has that name: theirs are numbers. */
function receiptOf({ prefix }: UploadPlan): string {
  return `${prefix}joined`;
}
