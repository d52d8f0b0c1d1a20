import type {
  DeleteOutcome,
  Guard,
  ObjectRef,
  RemovedManifest,
  DeletePrecondition,
  WritePrecondition,
} from '../backend.js';
import { BackendError } from '../errors.js';
import type { WriteOperation } from './commit-queue.js';
import { forgetExpiry, rememberExpiry } from './expired-objects.js';
import { idKey, objectKey } from './keys.js';
import {
  type BodyLocation,
  decodeObject,
  decodeSummary,
  deleteAtOf,
  hasExpired,
  isPlain,
  type ObjectSummary,
  stampObject,
} from './object-record.js';
import { append, peek } from './tables.js';
import type { WriteTransaction } from './write-transaction.js';

/**
 * Changes of an object inside a write transaction: each function gives the operation for the commit
 * queue. All checks come before the first write (see WriteTransaction).
 */

/** The most by which a clock is taken to be set back, in milliseconds. */
const SET_BACK_MS_MAX = 60_000;

/** `freed` are the body files that nothing refers to any more. */
export interface Change<Outcome> {
  readonly outcome: Outcome;
  readonly freed: readonly number[];
}

export type ReplaceOutcome =
  | { readonly lastModified: number; readonly manifest: RemovedManifest | undefined }
  | 'precondition_failed';

/** A new object or a new content of one: its record, and where its body is or is to go. */
export interface Replacement {
  readonly ref: ObjectRef;
  /** The encoded record without body id and time: both are set inside the transaction. */
  readonly record: Buffer;
  /** The bytes that it adds to the usage of its container. */
  readonly bytesUsed: number;
  /**
   * A small body or a list of segments, to be put into the index; or the id of a file that is
   * complete and synced.
   */
  readonly body: Buffer | number;
  readonly precondition: WritePrecondition | undefined;
  /** Looks, before anything is written, whether it may be; throws when not. */
  readonly check?: ((transaction: WriteTransaction) => void) | undefined;
  readonly guard?: Guard | undefined;
}

/** The object that a write finds in its place. */
interface Former extends ObjectSummary {
  readonly manifest: RemovedManifest | undefined;
}

export function replaceObject(
  { ref, record, bytesUsed, body, precondition, check, guard }: Replacement,
  owner: Buffer,
): WriteOperation<Change<ReplaceOutcome>> {
  return (transaction) => {
    const { tables, now } = transaction;
    const containerId = transaction.containerId(ref);
    const key = objectKey(containerId, ref.object);
    const old = readFormer(transaction, key);
    // An expired object is not there for conditions, and leaves like any object that is replaced.
    if (!holds(precondition, isOver(old, now) ? undefined : old)) {
      return { outcome: 'precondition_failed', freed: [] };
    }
    const held = guard && checkGuard(transaction, guard, key);
    check?.(transaction);
    transaction.addUsage(containerId, old ? 0 : 1, bytesUsed - (old ? bytesUsedBy(old) : 0));
    const lastModified = old === undefined ? now : afterThat(old.lastModified, now);
    stampObject(record, storeBody(transaction, body), lastModified);
    void tables.objects.put(key, record);
    forgetExpiry(tables, ref, old?.deleteAt);
    rememberExpiry(tables, ref, deleteAtOf(record, record.length));
    const freed: number[] = [];
    if (old) dropBody(transaction, old, owner, freed);
    if (held) removeObject(transaction, held, owner, freed);
    return { outcome: { lastModified, manifest: old?.manifest }, freed };
  };
}

/**
 * The time of what replaces an object: later than the object's. Two writes of the same bytes in one
 * millisecond, or a clock that is set back between them, would have one pass for the other, with
 * conditions, and a client that asks what was modified since would miss the second. A clock that was
 * far ahead stays no object's for good.
 */
function afterThat(lastModified: number, now: number): number {
  const isSetBack = now <= lastModified && lastModified - now < SET_BACK_MS_MAX;
  return isSetBack ? lastModified + 1 : now;
}

/** An object that is to be removed. */
interface Doomed {
  readonly ref: ObjectRef;
  readonly containerId: number;
  readonly key: Buffer;
  readonly object: ObjectSummary;
}

function removeObject(
  transaction: WriteTransaction,
  { ref, containerId, key, object }: Doomed,
  owner: Buffer,
  freed: number[],
): void {
  transaction.addUsage(containerId, -1, -bytesUsedBy(object));
  void transaction.tables.objects.remove(key);
  forgetExpiry(transaction.tables, ref, object.deleteAt);
  dropBody(transaction, object, owner, freed);
}

/**
 * @param written what the write is of: should that be its own guard, then it is gone anyway
 * @returns what the write has to remove
 * @throws BackendError GuardMissing
 */
function checkGuard(
  transaction: WriteTransaction,
  { ref, etag, consumed }: Guard,
  written: Buffer,
): Doomed | undefined {
  const { container, object: name } = ref;
  let containerId: number;
  try {
    containerId = transaction.containerId(ref);
  } catch (error) {
    if (!(error instanceof BackendError && error.code === 'NoSuchContainer')) throw error;
    throw new BackendError('GuardMissing', `no container ${container}`, { cause: error });
  }
  const key = objectKey(containerId, name);
  const row = peek(transaction.tables.objects, key);
  const object = row && !hasExpired(row, row.length) ? decodeSummary(row, row.length) : undefined;
  if (object === undefined) throw new BackendError('GuardMissing', `no ${container}/${name}`);
  if (etag !== undefined && object.etag !== etag) {
    throw new BackendError('GuardMissing', `${container}/${name} does not have ETag ${etag}`);
  }
  return consumed && !key.equals(written) ? { ref, containerId, key, object } : undefined;
}

/**
 * @param openExpired - whether what has expired is there
 * @throws (the operation) BackendError NoSuchContainer, GuardMissing, NoSuchObject
 */
export function deleteObject(
  ref: ObjectRef,
  precondition: DeletePrecondition | undefined,
  guard: Guard | undefined,
  owner: Buffer,
  openExpired: boolean,
): WriteOperation<Change<DeleteOutcome>> {
  return (transaction) => {
    const containerId = transaction.containerId(ref);
    const key = objectKey(containerId, ref.object);
    const held = guard && checkGuard(transaction, guard, key);
    const object = readFormer(transaction, key);
    if (object === undefined || (!openExpired && isOver(object, transaction.now))) {
      throw noSuchObject(ref);
    }
    const freed: number[] = [];
    if (!holds(precondition, object)) return { outcome: PRECONDITION_FAILED, freed };
    removeObject(transaction, { ref, containerId, key, object }, owner, freed);
    if (held) removeObject(transaction, held, owner, freed);
    return { outcome: deleted(object.manifest), freed };
  };
}

function isOver(object: Pick<ObjectSummary, 'deleteAt'> | undefined, now: number): boolean {
  return object?.deleteAt !== undefined && object.deleteAt <= now;
}

export function holds(
  precondition: DeletePrecondition | undefined,
  current: Pick<ObjectSummary, 'etag' | 'lastModified'> | undefined,
): boolean {
  if (precondition === undefined) return true;
  if ('absent' in precondition) return current === undefined;
  if ('present' in precondition) {
    const { etag = current?.etag } = precondition;
    return current !== undefined && current.etag === etag;
  }
  const { etag, lastModified } = precondition;
  if (current?.etag !== etag) return false;
  return lastModified === undefined || current.lastModified === lastModified;
}

export function noSuchObject(ref: ObjectRef): BackendError {
  return new BackendError(
    'NoSuchObject',
    `no object ${ref.object} in ${ref.account}/${ref.container}`,
  );
}

function readFormer({ tables }: WriteTransaction, key: Buffer): Former | undefined {
  const row = peek(tables.objects, key);
  if (row === undefined) return undefined;
  const summary = decodeSummary(row, row.length);
  if (summary.place !== 'segments') return { ...summary, manifest: undefined };
  const { size, etag, systemMetadata } = decodeObject(row, row.length).head;
  return { ...summary, manifest: { size, etag, systemMetadata } };
}

/** The bytes of a large object count where its segments are, those of a link where its target is. */
export function bytesUsedBy({ place, size }: Pick<ObjectSummary, 'place' | 'size'>): number {
  return isPlain(place) ? size : 0;
}

function deleted(removedManifest: RemovedManifest | undefined): DeleteOutcome {
  return removedManifest === undefined ? DELETED : { outcome: 'deleted', removedManifest };
}

const DELETED: DeleteOutcome = { outcome: 'deleted' };
const PRECONDITION_FAILED: DeleteOutcome = { outcome: 'precondition_failed' };

/** The id of the body, which belongs to the object from here on; 0 when it is empty. */
export function storeBody(transaction: WriteTransaction, body: Buffer | number): number {
  const { bodies, reclaim } = transaction.tables;
  if (typeof body === 'number') {
    void reclaim.remove(idKey(body));
    return body;
  }
  if (body.length === 0) return 0;
  const id = transaction.newBodyId();
  const key = idKey(id);
  // Ids only grow, across all processes: the put is for an index that someone has edited.
  if (!append(bodies, key, body)) void bodies.put(key, body);
  return id;
}

/** Lets go of the body of an object that is replaced or deleted; `freed` gets the id of its file. */
export function dropBody(
  { tables }: WriteTransaction,
  { place, bodyId }: BodyLocation,
  owner: Buffer,
  freed: number[],
): void {
  if (place === 'inline' || place === 'segments') void tables.bodies.remove(idKey(bodyId));
  if (place !== 'file') return;
  void tables.reclaim.put(idKey(bodyId), owner);
  freed.push(bodyId);
}
