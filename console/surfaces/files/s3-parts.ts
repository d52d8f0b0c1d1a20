import { z } from 'zod';
import type { SwiftAccount } from '../../swift/account.js';
import type { Place } from './copy-object.js';

const SEGMENTS = z.array(
  z.looseObject({ name: z.string().optional(), sub_slo: z.boolean().optional() }),
);

/** A part of a static large object. */
export interface Segment extends Place {
  /** It is a large object itself. */
  readonly isLarge: boolean;
}

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
export async function isMadeOfS3Parts(store: SwiftAccount, place: Place): Promise<boolean> {
  const segments = await segmentsIn(store, place);
  // Replaced meanwhile, by an object that is none: the copy's If-Match tells.
  return segments.some(({ container, object }) => PART.test(`/${container}/${object}`));
}

/** The segments of a static large object; none of an object that is none. @throws SwiftStatusError; UpstreamError */
export async function segmentsIn(store: SwiftAccount, place: Place): Promise<Segment[]> {
  const query = { 'multipart-manifest': 'get' };
  const { answer, body } = await store.read([200], 'GET', { ...place, query }, MANIFEST_BYTES_MAX);
  if (String(answer.headers['x-static-large-object'] ?? '').toLowerCase() !== 'true') return [];
  // Data in the manifest itself has no name.
  return SEGMENTS.parse(JSON.parse(body.toString('utf8'))).flatMap(
    ({ name, sub_slo: isLarge = false }) => {
      const [, container, object] = /^\/([^/]+)\/([^]+)$/.exec(name ?? '') ?? [];
      return container === undefined || object === undefined
        ? []
        : [{ container, object, isLarge }];
    },
  );
}
