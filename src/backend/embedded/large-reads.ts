import type { ByteRange, CallContext, ObjectRef, ReadOptions, Segment } from '../backend.js';
import { BackendError } from '../errors.js';
import type { LazyBody } from './lazy-body.js';
import { corrupt } from './bytes.js';
import { requireHop } from './hop-rights.js';
import { idKey } from './keys.js';
import { asBackendError } from './lmdb-error.js';
import { findSummary, type FoundObject, readObject, readSummary } from './object-lookup.js';
import { isPlain, type ObjectSummary, type StoredObject } from './object-record.js';
import type { StoreDeps } from './deps.js';
import { plainBody, ReplacedError } from './plain-body.js';
import { SegmentList } from './segment-list.js';
import { segmentsBody } from './segment-source.js';
import { forEachInSlices } from './slices.js';
import { copyOf, peek } from './tables.js';

/** @throws BackendError NoSuchContainer, NoSuchObject, BrokenLink, Denied, Corrupt */
export async function getSegments(
  deps: StoreDeps,
  context: CallContext,
  ref: ObjectRef,
  options?: ReadOptions,
): Promise<readonly Segment[] | undefined> {
  const { object } = readObject(deps, context, ref, options);
  if (object.place !== 'segments') return undefined;
  const segments: Segment[] = [];
  await forEachInSlices(readList(deps, object), (segment) => segments.push(segment));
  return segments;
}

/**
 * A part, of one byte or more, of a large object that was just read: its first segment is looked up
 * in the same snapshot.
 * @throws BackendError Corrupt when that segment is gone or changed, Denied
 */
export function largeBody(
  deps: StoreDeps,
  context: CallContext,
  found: FoundObject,
  range: ByteRange,
): LazyBody {
  return segmentsBody(readList(deps, found.object), range, (segment, wanted) =>
    openSegment(deps, context, found, segment, wanted),
  );
}

function readList({ tables }: StoreDeps, { bodyId, head }: StoredObject): SegmentList {
  const row = peek(tables.bodies, idKey(bodyId));
  if (row === undefined) throw corrupt('the segments of a large object are missing');
  const list = new SegmentList(copyOf(row));
  if (list.size !== head.size) throw corrupt('the segments of a large object have another size');
  return list;
}

/**
 * A segment is what the list says, or it is not read: overwriting or deleting a segment cuts the
 * large object there. The snapshot may be some milliseconds old, which shows such a segment a
 * little longer, as it was. A reader of the list need not be one of what it names: each segment asks
 * for that right.
 */
function openSegment(
  deps: StoreDeps,
  context: CallContext,
  { ref, object: manifest }: FoundObject,
  segment: Segment,
  range: ByteRange,
): LazyBody {
  const { container, object } = segment;
  const segmentRef = { account: ref.account, container, object };
  const found = findIfThere(() => {
    requireHop(deps, context, ref, segmentRef);
    return findSummary(deps, segmentRef);
  });
  if (found !== undefined && isSegment(found, segment)) {
    return plainBody(deps, segmentRef, found, range);
  }
  // A writer that replaces a large object removes its segments. The client should then read again.
  if (findIfThere(() => readSummary(deps, ref))?.bodyId !== manifest.bodyId) {
    throw new ReplacedError();
  }
  throw new BackendError(
    'Corrupt',
    `segment ${container}/${object} of a large object is ${found ? 'another one' : 'missing'}`,
  );
}

function isSegment(found: ObjectSummary, { size, etag }: Segment): boolean {
  return isPlain(found.place) && found.size === size && found.etag === etag;
}

function findIfThere(find: () => ObjectSummary | undefined): ObjectSummary | undefined {
  try {
    return find();
  } catch (thrown) {
    // Streams are read at any time, after the store was closed too: LMDB says that in its own words.
    const error = asBackendError(thrown);
    if (error.code === 'NoSuchContainer') return undefined;
    throw error;
  }
}
