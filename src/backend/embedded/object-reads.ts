import type {
  ByteRange,
  GetObjectResult,
  ObjectHead,
  ObjectRef,
  RangeSpec,
  ReadOptions,
} from '../backend.js';
import { BackendError } from '../errors.js';
import { bufferBody, type LazyBody } from './lazy-body.js';
import { largeBody } from './large-reads.js';
import { type FoundObject, readHeadItself, readObject } from './object-lookup.js';
import type { StoreParts } from './parts.js';
import { plainBody, ReplacedError } from './plain-body.js';
import { resolveRange } from '../ranges.js';
import { refresh } from './tables.js';

/** @throws BackendError NoSuchContainer, NoSuchObject, BrokenLink */
export function headObject(parts: StoreParts, ref: ObjectRef, options?: ReadOptions): ObjectHead {
  if (options?.linkItself === true) return readHeadItself(parts, ref, options);
  return readObject(parts, ref, options).object.head;
}

/** As a {@link LazyBody}. */
type LazyResult = GetObjectResult & { readonly body: LazyBody };

/**
 * Looks the object up and opens its file, so that a caller who has sent the head can send the body.
 * Who was overtaken by a write, and by the unlinking of the old file, looks again: each round is
 * somebody else's write.
 * @throws BackendError NoSuchContainer, NoSuchObject, BrokenLink, BodyAbsent, Corrupt, Unavailable
 */
export function getObject(
  parts: StoreParts,
  ref: ObjectRef,
  spec: RangeSpec | undefined,
  options?: ReadOptions,
): GetObjectResult | Promise<GetObjectResult> {
  const result = findObject(parts, ref, spec, options);
  return result.body.open === undefined ? result : openObject(parts, ref, spec, options, result);
}

async function openObject(
  parts: StoreParts,
  ref: ObjectRef,
  spec: RangeSpec | undefined,
  options: ReadOptions | undefined,
  found: LazyResult,
): Promise<GetObjectResult> {
  for (let result = found; ;) {
    try {
      await result.body.open?.();
      return result;
    } catch (error) {
      if (!(error instanceof ReplacedError)) throw error;
    }
    refresh(parts.tables);
    result = findObject(parts, ref, spec, options);
  }
}

function findObject(
  parts: StoreParts,
  ref: ObjectRef,
  spec: RangeSpec | undefined,
  options: ReadOptions | undefined,
): LazyResult {
  const found = readObject(parts, ref, options);
  const { head, place } = found.object;
  if (place === 'absent') throw bodyAbsent(found.ref);
  const range = spec && resolveRange(spec, head.size);
  if (range === 'unsatisfiable' || head.size === 0) {
    return { head, range, body: bufferBody(EMPTY) };
  }
  return { head, range, body: bodyOf(parts, found, range ?? wholeOf(head)) };
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
  { ref, object }: FoundObject,
  range: ByteRange,
): LazyBody {
  const { head, place, bodyId } = object;
  if (place === 'segments') return largeBody(parts, ref, object, range);
  const { size, etag, lastModified, deleteAt } = head;
  return plainBody(parts, ref, { place, bodyId, size, etag, lastModified, deleteAt }, range);
}

export function bodyAbsent({ container, object }: ObjectRef): BackendError {
  return new BackendError('BodyAbsent', `the body of ${container}/${object} is kept elsewhere`);
}

const EMPTY = Buffer.alloc(0);
