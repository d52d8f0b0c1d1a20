import type { ObjectRef } from '../backend.js';
import { objectKey } from './keys.js';
import { noSuchObject } from './object-changes.js';
import {
  decodeObject,
  decodeSummary,
  type ObjectSummary,
  type StoredObject,
} from './object-record.js';
import type { StoreParts } from './parts.js';
import { peek, refresh } from './tables.js';

/** Objects by name, in the current snapshot unless said otherwise. */

/** @throws BackendError NoSuchContainer, NoSuchObject */
export function readObject(parts: StoreParts, ref: ObjectRef): StoredObject {
  const row = peekObject(parts, ref);
  if (row === undefined) throw noSuchObject(ref);
  return decodeObject(row, row.length);
}

/** @throws BackendError NoSuchContainer */
export function findSummary(parts: StoreParts, ref: ObjectRef): ObjectSummary | undefined {
  const row = peekObject(parts, ref);
  return row && decodeSummary(row, row.length);
}

/** The same in a new snapshot. @throws BackendError NoSuchContainer */
export function readSummary(parts: StoreParts, ref: ObjectRef): ObjectSummary | undefined {
  refresh(parts.tables);
  return findSummary(parts, ref);
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
