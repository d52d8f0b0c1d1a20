import type { CallContext, Guard, ObjectRef } from '../backend.js';
import { BackendError } from '../errors.js';
import type { ObjectHeads } from './object-heads.js';

/**
 * Guards without atomicity: checked when all bytes of the write have arrived, right before the last
 * of them are sent, and removed right after it. In between, another writer may remove or use the
 * guard as well: of several writes that consume one guard more than one may succeed, since Swift
 * has no conditional delete. Callers that rely on guards check `Capabilities.atomicGuard` first.
 */
export class Guards {
  constructor(private readonly objectHeads: ObjectHeads) {}

  /** @throws BackendError GuardMissing */
  async check(context: CallContext, guard: Guard | undefined): Promise<void> {
    if (guard === undefined) return;
    const { container, object } = guard.ref;
    const found = await this.objectHeads.itself(context, guard.ref);
    if (found === undefined) throw new BackendError('GuardMissing', `no ${container}/${object}`);
    const { etag } = found.stored.head;
    if (guard.etag === undefined || guard.etag === etag) return;
    const detail = `${container}/${object} does not have ETag ${guard.etag}`;
    throw new BackendError('GuardMissing', detail);
  }

  /**
   * Removes what a write has consumed: a delete like any other, for nothing tells whether it is
   * still the same object.
   * @param written - what the write was of: should that be its own guard, then it stays
   */
  async consume(context: CallContext, guard: Guard | undefined, written: ObjectRef): Promise<void> {
    if (guard?.consumed !== true || isSame(guard.ref, written)) return;
    await this.objectHeads.remove(context, guard.ref);
  }
}

function isSame(one: ObjectRef, other: ObjectRef): boolean {
  return one.object === other.object && one.container === other.container;
}
