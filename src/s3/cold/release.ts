import type { ContainerRef, ListedObject, ObjectHead, ObjectRef } from '../../backend/backend.js';
import { throwIfAborted } from '../../backend/call-context.js';
import { isOurHop } from '../../backend/own-hops.js';
import type { ColdCopy, ColdLocation } from '../../cold/cold-backend.js';
import { ColdError } from '../../cold/cold-error.js';
import { SYSTEM_METADATA } from '../object/attributes.js';
import { coldWorkOf } from '../rules/cold/cold-object.js';
import type { ColdState } from '../rules/cold/state.js';
import { archiveContainer, bucketOfArchive, hexKey } from '../versions/names.js';
import {
  coldObjectOf,
  headIfThere,
  isMissing,
  type ColdTools,
  stateUpdate,
  unchanged,
  goneIfMissing,
  isCopyOf,
  type ColdOutcome,
} from './cold-object.js';
import { verified } from './verified-body.js';

const PAGE = 1000;

type Tools = Pick<ColdTools, 'backend' | 'call' | 'classes'>;

/**
 * Whether any object still has its bytes in this copy: the one that it was made of, or a version
 * that this one has become since. An unreadable object keeps its copy.
 *
 * @throws BackendError
 */
export async function isReferenced(tools: Tools, copy: ColdCopy): Promise<boolean> {
  const { account, container, object } = copy;
  const { listingUpdates } = tools.backend.capabilities;
  if (await refersTo(tools, { account, container, object }, copy)) return true;
  if (bucketOfArchive(container) !== undefined) return false;
  // Adoption writes the version before it removes the object, so that a reader finds at least one
  // of them.
  const archive = archiveContainer(account, container);
  for await (const { name, attributes } of objectsBelow(tools, archive, `${hexKey(object)}/`)) {
    // Else listings do not tell which are cold.
    if (listingUpdates && attributes[SYSTEM_METADATA.cold] === undefined) continue;
    if (await refersTo(tools, { ...archive, object: name }, copy)) return true;
  }
  return false;
}

async function refersTo(tools: Tools, ref: ObjectRef, copy: ColdCopy): Promise<boolean> {
  const head = await headIfThere(tools, ref);
  if (head === undefined) return false;
  try {
    const object = coldObjectOf(head, tools.classes);
    if (object === undefined) return false;
    return object.state.copy === undefined
      ? isMadeOf(copy, head)
      : object.state.copy.id === copy.id;
  } catch {
    // An unreadable stamp may refer to the copy.
    return true;
  }
}

/** The copy is durable, and the object not stamped yet. */
function isMadeOf(copy: ColdCopy, { size, etag, lastModified }: ObjectHead): boolean {
  return copy.size === size && copy.etag === etag && copy.lastModified === lastModified;
}

async function* objectsBelow(
  { backend, call }: Tools,
  container: ContainerRef,
  prefix: string,
): AsyncGenerator<ListedObject> {
  let marker: string | undefined;
  for (let more = true; more;) {
    const query = { prefix, marker, limit: PAGE };
    const page = await backend.listObjects(call, container, query).catch((error: unknown) => {
      if (isMissing(error)) return { entries: [], truncated: false };
      throw error;
    });
    for (const entry of page.entries) {
      if (entry.kind !== 'object') continue;
      marker = entry.object.name;
      yield entry.object;
    }
    more = page.truncated;
  }
}

/**
 * Removes the hot body of an archived object (`delete_hot`), after its copy was read from end to
 * end. The rest of the object stays. The store checks atomically that the object has not changed: a
 * restore window that was opened meanwhile, or new content, keeps its body. A store without that
 * check keeps all bodies.
 *
 * A damaged copy is given up, so that the object is archived again, and so is one of another object.
 * @param ref - the object itself, not a link to it
 * @returns `unsupported` on a store that cannot decide it
 * @throws BackendError; ColdError Corrupt for a damaged copy
 */
export function releaseBody(tools: ColdTools, ref: ObjectRef): Promise<ColdOutcome> {
  return goneIfMissing(release(tools, ref));
}

async function release(tools: ColdTools, ref: ObjectRef): Promise<ColdOutcome> {
  const { backend, call, classes, now } = tools;
  // Looking right before is not enough here: a write in between would be lost for good.
  if (!backend.capabilities.conditionalReplace) return 'unsupported';
  const head = await headIfThere(tools, ref);
  if (head === undefined) return 'gone';
  const object = coldObjectOf(head, classes);
  if (head.link !== undefined || object === undefined) return 'changed';
  const { copy, dueAt } = object.state;
  if (coldWorkOf(object, true, now()) !== 'release' || copy === undefined) return 'changed';
  const location = { account: ref.account, ...copy };
  const condition = unchanged(head, object.stamp);
  const giveUp = async (): Promise<boolean> => {
    const update = stateUpdate(backend.capabilities, { dueAt }, null);
    return (await backend.updateObject(call, ref, update, condition)).outcome === 'updated';
  };
  try {
    if (!(await isOwnCopy(tools, ref, location))) {
      await giveUp();
      return 'changed';
    }
    await readThrough(tools, location, head);
  } catch (error) {
    if (!(error instanceof ColdError) || error.code !== 'Corrupt') throw error;
    if (await giveUp()) await tools.cold.delete(location);
    throw error;
  }
  const state: ColdState = { dueAt, copy };
  const update = {
    ...stateUpdate(backend.capabilities, state, 'absent'),
    body: { kind: 'absent' } as const,
  };
  const { outcome } = await backend.updateBody(call, ref, update, condition);
  return outcome === 'updated' ? 'done' : 'changed';
}

/**
 * Whether a copy was made of this object, or of what has become this version. A client of the store who
 * copies an object copies its stamp, too; the cold copy goes with the object that it was made of.
 */
async function isOwnCopy(
  { cold }: ColdTools,
  ref: ObjectRef,
  location: ColdLocation,
): Promise<boolean> {
  const copy = await cold.find(location);
  if (copy === undefined) return true;
  const { account, container, object } = copy;
  const isSame = ref.container === container && ref.object === object;
  return isSame || isOurHop({ account, container, object }, ref);
}

/** @throws ColdError Corrupt unless the copy is there, whole, and that of the object */
async function readThrough(
  { cold, call, digests }: ColdTools,
  location: ColdLocation,
  head: ObjectHead,
): Promise<void> {
  const found = await cold.get(location);
  if (found === undefined || !isCopyOf(found.copy, head)) {
    throw new ColdError('Corrupt', 'the copy of an archived object is missing');
  }
  const { size, etag, segments } = found.copy;
  let read = 0;
  for await (const chunk of verified(found.body, { size, etag, segments }, digests)) {
    throwIfAborted(call);
    read += chunk.length;
  }
  if (read !== size) throw new ColdError('Corrupt', 'the copy of an archived object is too short');
}
