import type { FileHandle } from 'node:fs/promises';
import type { ByteRange, ObjectRef } from '../backend.js';
import { BackendError } from '../errors.js';
import { fileBody } from './body-source.js';
import { bufferBody, type LazyBody } from './lazy-body.js';
import { corrupt } from './bytes.js';
import { idKey } from './keys.js';
import { readSummary } from './object-lookup.js';
import type { ObjectSummary } from './object-record.js';
import type { StoreDeps } from './deps.js';
import { copyOf, peek } from './tables.js';

/**
 * A part, of one byte or more, of the body of an object that was just looked up and is not large.
 * @throws BackendError Corrupt
 */
export function plainBody(
  deps: StoreDeps,
  ref: ObjectRef,
  object: ObjectSummary,
  range: ByteRange,
): LazyBody {
  if (object.place === 'file') {
    return fileBody(() => openBody(deps, ref, object), range, deps.pool);
  }
  const bytes = peek(deps.tables.bodies, idKey(object.bodyId));
  if (bytes?.length !== object.size) throw corrupt('the body is missing or has another length');
  return bufferBody(copyOf(bytes, range.start, range.end - range.start + 1));
}

/** The body that was looked up is gone: a reader that has given nothing yet may look again. */
export class ReplacedError extends BackendError {
  constructor() {
    super('Unavailable', 'the object was replaced before its body was read');
  }
}

/**
 * Opens the file that the record named when it was looked up. It may be gone since (see Reaper);
 * then the object is looked up again, and its new body serves as well if it is the same content.
 * @throws ReplacedError when the object was replaced or deleted; BackendError Corrupt when the index
 *   still names a file that is not there
 */
async function openBody(
  deps: StoreDeps,
  ref: ObjectRef,
  wanted: ObjectSummary,
): Promise<FileHandle> {
  for (let bodyId = wanted.bodyId; ;) {
    const file = await deps.files.open(bodyId);
    if (file !== undefined) return file;
    const current = readSummary(deps, ref);
    const same = current?.etag === wanted.etag && current.size === wanted.size;
    if (!same || current.place !== 'file') {
      throw new ReplacedError();
    }
    if (current.bodyId === bodyId) throw corrupt('the file of its body is missing');
    bodyId = current.bodyId;
  }
}
