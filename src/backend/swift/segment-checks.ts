import type { CallContext, ObjectRef, Segment } from '../backend.js';
import { BackendError } from '../errors.js';
import { mapLimited } from '../../lib/map-limited.js';
import type { ObjectLooks } from './object-looks.js';
import { segmentPath } from './segment-names.js';

/** Swift itself looks at this many of a manifest at once, times its workers. */
const CONCURRENCY = 8;
const SEGMENTS = '+segments';

/**
 * What Swift does not check of segments: that they are no large objects and no links, which it takes
 * for what they lead to, and those of no bytes, which it does not take. Nobody but the gateway writes
 * to a companion, and it writes neither there; so that costs nothing where segments usually are.
 *
 * @throws BackendError SegmentMismatch
 */
export async function checkSegments(
  looks: ObjectLooks,
  context: CallContext,
  ref: ObjectRef,
  segments: readonly Segment[],
): Promise<void> {
  const doubtful = new Map<string, Segment>();
  for (const segment of segments) {
    const { container, object, size } = segment;
    if (container === ref.container && object === ref.object) throw segmentMismatch(segment);
    if (size === 0 || !container.endsWith(SEGMENTS)) doubtful.set(segmentPath(segment), segment);
  }
  await mapLimited([...doubtful.values()], CONCURRENCY, async (segment) => {
    const { container, object, size, etag } = segment;
    const found = await looks.itself(context, { account: ref.account, container, object });
    const head = found?.stored.head;
    const isPlain =
      head !== undefined && head.segmentCount === undefined && !isLink(found?.headers);
    if (!isPlain || head.size !== size || head.etag !== etag) throw segmentMismatch(segment);
  });
}

function isLink(headers: ReadonlyMap<string, string> | undefined): boolean {
  return headers?.has('x-symlink-target') === true;
}

function segmentMismatch(segment: Segment): BackendError {
  const detail = `segment ${segmentPath(segment)} is not an object of this size and ETag`;
  return new BackendError('SegmentMismatch', detail);
}
