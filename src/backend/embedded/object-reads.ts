import type {
  ByteRange,
  CallContext,
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
import type { StoreDeps } from './deps.js';
import { plainBody, ReplacedError } from './plain-body.js';
import { resolveRange } from '../ranges.js';
import { refresh } from './tables.js';

/** @throws BackendError NoSuchContainer, NoSuchObject, BrokenLink, Denied */
export function headObject(
  deps: StoreDeps,
  context: CallContext,
  ref: ObjectRef,
  options?: ReadOptions,
): ObjectHead {
  if (options?.linkItself === true) return readHeadItself(deps, ref, options);
  return readObject(deps, context, ref, options).object.head;
}

/** The result of a read whose body is a {@link LazyBody}. */
type LazyResult = GetObjectResult & { readonly body: LazyBody };

/**
 * Looks the object up and opens its file, so that a caller who has sent the head can send the body.
 * A read that a write overtakes, and whose old file is unlinked, looks the object up again; each
 * further round needs another write.
 * @throws BackendError NoSuchContainer, NoSuchObject, BrokenLink, Denied, BodyAbsent, Corrupt,
 *   Unavailable
 */
export function getObject(
  deps: StoreDeps,
  context: CallContext,
  ref: ObjectRef,
  spec: RangeSpec | undefined,
  options?: ReadOptions,
): GetObjectResult | Promise<GetObjectResult> {
  const find = (): LazyResult => findObject(deps, context, ref, spec, options);
  const result = find();
  return result.body.open === undefined ? result : openObject(deps, find, result);
}

async function openObject(
  deps: StoreDeps,
  find: () => LazyResult,
  found: LazyResult,
): Promise<GetObjectResult> {
  for (let result = found; ;) {
    try {
      await result.body.open?.();
      return result;
    } catch (error) {
      if (!(error instanceof ReplacedError)) throw error;
    }
    refresh(deps.tables);
    result = find();
  }
}

function findObject(
  deps: StoreDeps,
  context: CallContext,
  ref: ObjectRef,
  spec: RangeSpec | undefined,
  options: ReadOptions | undefined,
): LazyResult {
  const found = readObject(deps, context, ref, options);
  const { head, place } = found.object;
  if (place === 'absent') throw bodyAbsent(found.ref);
  const range = spec && resolveRange(spec, head.size);
  if (range === 'unsatisfiable' || head.size === 0) {
    return { head, range, body: bufferBody(EMPTY) };
  }
  return { head, range, body: bodyOf(deps, context, found, range ?? wholeOf(head)) };
}

export function wholeOf({ size }: ObjectHead): ByteRange {
  return { start: 0, end: size - 1 };
}

/**
 * A part, of one byte or more, of the body of an object that was just read.
 * @throws BackendError Corrupt; of a large object Denied, Unavailable
 */
export function bodyOf(
  deps: StoreDeps,
  context: CallContext,
  found: FoundObject,
  range: ByteRange,
): LazyBody {
  const { ref, object } = found;
  const { head, place, bodyId } = object;
  if (place === 'segments') return largeBody(deps, context, found, range);
  const { size, etag, lastModified, deleteAt } = head;
  return plainBody(deps, ref, { place, bodyId, size, etag, lastModified, deleteAt }, range);
}

export function bodyAbsent({ container, object }: ObjectRef): BackendError {
  return new BackendError('BodyAbsent', `the body of ${container}/${object} is kept elsewhere`);
}

const EMPTY = Buffer.alloc(0);
