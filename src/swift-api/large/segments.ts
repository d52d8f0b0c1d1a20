import type { ObjectHead, ObjectRef, Segment } from '../../backend/backend.js';
import { mapLimited } from '../../lib/promises.js';
import type { Call } from '../call.js';
import { openContainer } from '../container/containers.js';
import { statusLine } from '../reply.js';
import { swiftErrorOf } from '../swift-error.js';
import type { WantedSegment, DescribedSegment } from './manifest.js';

const CONCURRENCY = 8;

export type Problem = readonly [path: string, problem: string];

/** The wanted segments, all of them, or the problems. */
export interface FoundSegments {
  readonly segments: readonly DescribedSegment[];
  readonly problems: readonly Problem[];
}

/** Looks at each object that is to be a segment, once. */
export async function findSegments(
  call: Call,
  wanted: readonly WantedSegment[],
): Promise<FoundSegments> {
  const heads = new Map<string, Found>();
  const paths = new Map(wanted.map((segment) => [segment.path, segment]));
  await mapLimited([...paths.values()], CONCURRENCY, async (segment) => {
    heads.set(segment.path, await look(call, segment));
  });
  const segments: DescribedSegment[] = [];
  const problems: Problem[] = [];
  wanted.forEach((segment, index) => {
    const found = heads.get(segment.path);
    if (found === undefined || typeof found === 'string') {
      problems.push([encodeURI(segment.path), found ?? statusLine(404)]);
      return;
    }
    const { head, ref } = found;
    problems.push(...problemsOf(segment, head, index === wanted.length - 1));
    const { size, etag, contentType, lastModified } = head;
    const { container, object } = ref;
    segments.push({ container, object, size, etag, contentType, lastModified });
  });
  return { segments, problems };
}

/** The object, or why it cannot be had. */
type Found = { readonly head: ObjectHead; readonly ref: ObjectRef } | string;

async function look(call: Call, { container, object }: WantedSegment): Promise<Found> {
  const { account } = call.target;
  const ref = { account, container, object };
  try {
    const head = await headSegment(call, ref);
    // The target of a link is taken itself: the store joins objects, not links.
    return { head, ref: head.link === undefined ? ref : { account, ...head.link.target } };
  } catch (error) {
    const known = swiftErrorOf(error);
    if (known === undefined) throw error;
    return statusLine(known.status);
  }
}

async function headSegment(call: Call, ref: ObjectRef): Promise<ObjectHead> {
  await openContainer(call, ref, 'read');
  return call.api.backend.headObject(call.context, ref);
}

function problemsOf(
  { path, etag, sizeBytes }: WantedSegment,
  head: ObjectHead,
  isLast: boolean,
): Problem[] {
  const name = encodeURI(path);
  const problems: Problem[] = [];
  if (head.segmentCount !== undefined) {
    problems.push([name, 'A large object as a segment is not served by this store']);
  }
  if (head.size < 1 && !isLast) {
    problems.push([name, 'Too small; each segment must be at least 1 byte.']);
  }
  if (sizeBytes !== undefined && sizeBytes !== head.size) problems.push([name, 'Size Mismatch']);
  if (etag !== undefined && etag !== head.etag) problems.push([name, 'Etag Mismatch']);
  return problems;
}

/**
 * Segments that are stored, with what their objects are now, as far as the request may read them; what
 * is gone is said to be bytes.
 */
export async function describeSegments(
  call: Call,
  segments: readonly Segment[],
  madeAt: number,
): Promise<DescribedSegment[]> {
  return mapLimited(segments, CONCURRENCY, async (segment) => {
    const { container, object } = segment;
    const ref = { account: call.target.account, container, object };
    const head = await headSegment(call, ref).catch(orUnknown);
    return {
      ...segment,
      contentType: head?.contentType ?? 'application/octet-stream',
      lastModified: head?.lastModified ?? madeAt,
    };
  });
}

/** For what is not there, or is not to be read. */
function orUnknown(error: unknown): undefined {
  if ([401, 403, 404].includes(swiftErrorOf(error)?.status ?? 0)) return undefined;
  throw error;
}
