import type {
  ByteRange,
  GetObjectResult,
  ObjectBody,
  ObjectHead,
  ObjectRef,
  RangeSpec,
} from '../backend.js';
import { bufferBody } from './body-source.js';
import { largeBody } from './large-reads.js';
import { readObject } from './object-lookup.js';
import type { StoredObject } from './object-record.js';
import type { StoreParts } from './parts.js';
import { plainBody } from './plain-body.js';
import { resolveRange } from './ranges.js';

/** @throws BackendError NoSuchContainer, NoSuchObject */
export function headObject(parts: StoreParts, ref: ObjectRef): ObjectHead {
  return readObject(parts, ref).head;
}

/** @throws BackendError NoSuchContainer, NoSuchObject, Corrupt */
export function getObject(
  parts: StoreParts,
  ref: ObjectRef,
  spec: RangeSpec | undefined,
): GetObjectResult {
  const object = readObject(parts, ref);
  const { head } = object;
  const range = spec && resolveRange(spec, head.size);
  if (range === 'unsatisfiable' || head.size === 0) {
    return { head, range, body: bufferBody(EMPTY) };
  }
  return { head, range, body: bodyOf(parts, ref, object, range ?? wholeOf(head)) };
}

export function wholeOf({ size }: ObjectHead): ByteRange {
  return { start: 0, end: size - 1 };
}

/**
 * A part, of one byte or more, of the body of an object that was just read.
 * @throws BackendError Corrupt; of a large object Unavailable
 */
export function bodyOf(
  parts: StoreParts,
  ref: ObjectRef,
  object: StoredObject,
  range: ByteRange,
): ObjectBody {
  const { head, place, bodyId } = object;
  if (place === 'segments') return largeBody(parts, ref, object, range);
  const { size, etag, lastModified } = head;
  return plainBody(parts, ref, { place, bodyId, size, etag, lastModified }, range);
}

const EMPTY = Buffer.alloc(0);
