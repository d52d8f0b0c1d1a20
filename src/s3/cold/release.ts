import { throwIfAborted } from '../../backend/call-context.js';
import type { ObjectHead, ObjectRef } from '../../backend/backend.js';
import type { ColdLocation } from '../../cold/cold-backend.js';
import { ColdError } from '../../cold/cold-error.js';
import { coldWorkOf } from '../rules/cold/cold-object.js';
import type { ColdState } from '../rules/cold/state.js';
import { coldObjectOf, stateUpdate, unchanged } from './cold-object.js';
import {
  goneIfMissing,
  headIfThere,
  isCopyOf,
  type ColdOutcome,
  type ColdTools,
} from './cold-tools.js';
import { verified } from './verified-body.js';

/**
 * Lets the hot body of an archived object go (`delete_hot`), after its copy has been read from end to
 * end. All else of the object stays. The store decides in the same instant whether it is still what
 * was looked at: a restore window that was opened meanwhile, or a new content, keeps its body.
 *
 * Where it cannot, nothing is let go of.
 *
 * A copy that turns out to be damaged is given up, so that the object is archived anew.
 *
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
  try {
    await readThrough(tools, location, head);
  } catch (error) {
    if (!(error instanceof ColdError) || error.code !== 'Corrupt') throw error;
    const update = stateUpdate(backend.capabilities, { dueAt }, null);
    const given = await backend.updateObject(call, ref, update, condition);
    if (given.outcome === 'updated') await tools.cold.delete(location);
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
