import type { Behalf, CallContext } from '../../backend/backend.js';
import { encodeUriComponentAws } from '../../lib/uri.js';

/**
 * The rights that adoptions go by are neither those of the requester, which may be more than those of
 * the bucket's readers, nor none. A version is kept for all readers of the bucket, so a link or a
 * manifest of a client of the store is read by the rights that they have in common.
 */

/** Reads what lies in the bucket itself. */
export function onBehalfOfBucket(call: CallContext, bucket: string): CallContext {
  return withBehalf(call, { allows: ({ name }) => name === bucket, header: BUCKET });
}

/** Keeps the names in a manifest, and reads nothing: readers are asked at each read. */
export function onBehalfOfNames(call: CallContext): CallContext {
  return withBehalf(call, { allows: () => true, header: NAMES });
}

const BUCKET = header('bucket');
const NAMES = header('names');

/** Roles that the filter in Swift's proxies knows: ops/swift/ringway_filter/hops.py. */
function header(role: 'bucket' | 'names'): string {
  return encodeUriComponentAws(JSON.stringify({ role }));
}

function withBehalf(
  { requestId, cancellation, watch, finishing }: CallContext,
  behalf: Behalf,
): CallContext {
  return { requestId, cancellation, watch, finishing, behalf };
}
