import type { FileHandle } from 'node:fs/promises';
import type { GetObjectResult, ObjectBody, ObjectHead, ObjectRef, RangeSpec } from '../backend.js';
import { BackendError } from '../errors.js';
import { bufferBody, fileBody } from './body-source.js';
import { corrupt } from './bytes.js';
import { idKey, objectKey } from './keys.js';
import { noSuchObject } from './object-changes.js';
import {
  decodeObject,
  decodeSummary,
  type ObjectSummary,
  type StoredObject,
} from './object-record.js';
import type { StoreParts } from './parts.js';
import { resolveRange } from './ranges.js';
import { copyOf, peek, refresh } from './tables.js';

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
  const { start, end } = range ?? { start: 0, end: head.size - 1 };
  return { head, range, body: bodyOf(parts, ref, object, start, end) };
}

/**
 * What a writer may look at before its transaction.
 * @throws BackendError NoSuchContainer
 */
export function readSummary(parts: StoreParts, ref: ObjectRef): ObjectSummary | undefined {
  refresh(parts.tables);
  const row = peekObject(parts, ref);
  return row && decodeSummary(row, row.length);
}

function readObject(parts: StoreParts, ref: ObjectRef): StoredObject {
  const row = peekObject(parts, ref);
  if (row === undefined) throw noSuchObject(ref);
  return decodeObject(row, row.length);
}

/** @throws BackendError NoSuchContainer when there is no object because there is no container */
function peekObject({ tables, ids }: StoreParts, ref: ObjectRef): Buffer | undefined {
  const cached = ids.cached(ref);
  if (cached !== undefined) {
    const row = peek(tables.objects, objectKey(cached, ref.object));
    if (row !== undefined) return row;
  }
  const containerId = ids.resolve(ref);
  if (containerId === cached) return undefined;
  return peek(tables.objects, objectKey(containerId, ref.object));
}

function bodyOf(
  parts: StoreParts,
  ref: ObjectRef,
  object: StoredObject,
  start: number,
  end: number,
): ObjectBody {
  if (object.place === 'file') {
    return fileBody(() => openBody(parts, ref, object), { start, end }, parts.pool);
  }
  const bytes = peek(parts.tables.bodies, idKey(object.bodyId));
  if (bytes?.length !== object.head.size)
    throw corrupt('the body is missing or has another length');
  return bufferBody(copyOf(bytes, start, end - start + 1));
}

/**
 * Opens the file that the record named when it was looked up. It may be gone since (see Reaper);
 * then the object is looked up again, and its new body serves as well if it is the same content.
 * @throws BackendError Unavailable when the object was replaced or deleted, Corrupt when the index
 *   still names a file that is not there
 */
async function openBody(
  parts: StoreParts,
  ref: ObjectRef,
  wanted: StoredObject,
): Promise<FileHandle> {
  for (let bodyId = wanted.bodyId; ;) {
    const file = await parts.files.open(bodyId);
    if (file !== undefined) return file;
    const current = readSummary(parts, ref);
    const same = current?.etag === wanted.head.etag && current.size === wanted.head.size;
    if (!same || current.place !== 'file') {
      throw new BackendError('Unavailable', 'the object was replaced before its body was read');
    }
    if (current.bodyId === bodyId) throw corrupt('the file of its body is missing');
    bodyId = current.bodyId;
  }
}

const EMPTY = Buffer.alloc(0);
