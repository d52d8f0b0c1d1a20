import type { CallContext, ObjectRef } from '../backend.js';
import { absentContainer } from '../container.js';
import { BackendError } from '../errors.js';
import { isOurHop } from '../own-hops.js';
import { findContainer } from './containers.js';
import type { StoreDeps } from './deps.js';

/**
 * Lets a call go on from an object that it may read to one that this leads to: if that is Ringway's
 * own, or the requester may read objects of its container, as that is in the snapshot of the rest.
 *
 * @throws BackendError Denied
 */
export function requireHop(
  { tables }: StoreDeps,
  { behalf }: CallContext,
  from: ObjectRef,
  hop: ObjectRef,
): void {
  if (behalf?.countsAtOwnHops !== true && isOurHop(from, hop)) return;
  const container = findContainer(tables, hop) ?? absentContainer(hop.container);
  if (behalf?.allows(container, 'read objects') === true) return;
  throw new BackendError('Denied', `${nameOf(from)} leads to ${nameOf(hop)}`);
}

function nameOf({ container, object }: ObjectRef): string {
  return `${container}/${object}`;
}
