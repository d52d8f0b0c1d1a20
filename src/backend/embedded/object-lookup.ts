import type { CallContext, ObjectHead, ObjectRef, ReadOptions } from '../backend.js';
import { BackendError } from '../errors.js';
import { isOurHop } from '../own-hops.js';
import { requireHop } from './hop-rights.js';
import { objectKey } from './keys.js';
import { noSuchObject } from './object-changes.js';
import {
  decodeLink,
  decodeObject,
  decodeSummary,
  hasExpired,
  isLink,
  type ObjectSummary,
  type StoredObject,
} from './object-record.js';
import type { StoreDeps } from './deps.js';
import { peek, refresh } from './tables.js';

/** Objects by name, in the current snapshot unless said otherwise. */

/** An object, and where it is: elsewhere than asked for, when a link leads to it. */
export interface FoundObject {
  readonly ref: ObjectRef;
  readonly object: StoredObject;
}

/** The option that decides which objects are there. */
type Seen = Pick<ReadOptions, 'openExpired'> | undefined;

/**
 * Reads an object. A link and what it leads to are read in one snapshot, so that of a link and a
 * target that change together, both or none are seen.
 * @throws BackendError NoSuchContainer, NoSuchObject, BrokenLink, Denied
 */
export function readObject(
  deps: StoreDeps,
  context: CallContext,
  ref: ObjectRef,
  seen?: Seen,
): FoundObject {
  const row = peekObject(deps, ref, seen);
  if (row === undefined) throw noSuchObject(ref);
  if (isLink(row)) return followLink(deps, context, ref, row, seen);
  return { ref, object: decodeObject(row, row.length) };
}

/** Follows no link: that of a link is its own. @throws BackendError NoSuchContainer, NoSuchObject */
export function readHeadItself(deps: StoreDeps, ref: ObjectRef, seen?: Seen): ObjectHead {
  const row = peekObject(deps, ref, seen);
  if (row === undefined) throw noSuchObject(ref);
  const { head, target } = decodeObject(row, row.length);
  if (target === undefined) return head;
  const { etag, lastModified, systemMetadata } = head;
  return { ...head, link: { target, etag, lastModified, systemMetadata } };
}

/** The right is asked first: a requester without it is not told whether there is a target. */
function followLink(
  deps: StoreDeps,
  context: CallContext,
  from: ObjectRef,
  row: Buffer,
  seen: Seen,
): FoundObject {
  const link = decodeLink(row, row.length);
  const { container, object } = link.target;
  const ref = { account: from.account, container, object };
  requireHop(deps, context, from, ref);
  const target = peekTarget(deps, ref, seen);
  if (target === undefined) throw brokenLink(from, ref, 'is missing');
  if (isLink(target)) throw brokenLink(from, ref, 'is a link itself');
  return { ref, object: decodeObject(target, target.length, link) };
}

function peekTarget(deps: StoreDeps, ref: ObjectRef, seen: Seen): Buffer | undefined {
  try {
    return peekObject(deps, ref, seen);
  } catch (error) {
    if (error instanceof BackendError && error.code === 'NoSuchContainer') return undefined;
    throw error;
  }
}

function brokenLink(from: ObjectRef, to: ObjectRef, problem: string): BackendError {
  const message = `${to.container}/${to.object}, where a link leads, ${problem}`;
  return new BackendError('BrokenLink', message, { isOfClient: !isOurHop(from, to) });
}

/** @throws BackendError NoSuchContainer */
export function findSummary(deps: StoreDeps, ref: ObjectRef): ObjectSummary | undefined {
  const row = peekObject(deps, ref);
  return row && decodeSummary(row, row.length);
}

/** The same in a new snapshot. @throws BackendError NoSuchContainer */
export function readSummary(deps: StoreDeps, ref: ObjectRef): ObjectSummary | undefined {
  refresh(deps.tables);
  return findSummary(deps, ref);
}

/** @throws BackendError NoSuchContainer when there is no object because there is no container */
function peekObject(deps: StoreDeps, ref: ObjectRef, seen?: Seen): Buffer | undefined {
  const row = peekStored(deps, ref);
  if (row === undefined || seen?.openExpired === true) return row;
  return hasExpired(row, row.length) ? undefined : row;
}

/** The same, also when it has expired. */
function peekStored({ tables, ids }: StoreDeps, ref: ObjectRef): Buffer | undefined {
  const cached = ids.cached(ref);
  if (cached !== undefined) {
    const row = peek(tables.objects, objectKey(cached, ref.object));
    if (row !== undefined) return row;
  }
  const containerId = ids.resolve(ref);
  if (containerId === cached) return undefined;
  return peek(tables.objects, objectKey(containerId, ref.object));
}
