import { z } from 'zod';
import type { SwiftAccount } from '../../swift/account.js';
import type { Place } from './copy-object.js';

const SEGMENTS = z.array(z.looseObject({ name: z.string() }));

/** Ten thousand segments with the longest names, escaped. */
const MANIFEST_BYTES_MAX = 32 * 1024 ** 2;

/** `/<bucket>+segments/<key>/<upload id>/<part number>`: docs/s3-compatibility.md. */
const PART = /^\/[^/]+\+segments\/[^]+\/[A-Za-z0-9_-]{32,128}\/[1-9][0-9]{0,4}$/;

/**
 * Whether a static large object is made of the parts of an S3 upload. These belong to its key: a
 * gateway deletes them with it, and sweeps those whose key is gone, whatever other manifest names
 * them.
 * @throws SwiftStatusError; UpstreamError
 */
export async function isMadeOfS3Parts(
  store: SwiftAccount,
  { container, object }: Place,
): Promise<boolean> {
  const query = { 'multipart-manifest': 'get' };
  const request = { container, object, query };
  const { answer, body } = await store.read([200], 'GET', request, MANIFEST_BYTES_MAX);
  // Replaced meanwhile, by an object that is none: the copy's If-Match tells.
  if (String(answer.headers['x-static-large-object'] ?? '').toLowerCase() !== 'true') return false;
  return SEGMENTS.parse(JSON.parse(body.toString('utf8'))).some(({ name }) => PART.test(name));
}
