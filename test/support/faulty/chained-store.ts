import type * as B from '../../../src/backend/backend.js';
import { BackendError, isCode } from '../../../src/backend/errors.js';
import {
  DecoratedWrites,
  type ObjectWrite,
  type WriteConditions,
} from '../backend/object-writes.js';

/**
 * A store with only the guarantees of a Swift cluster with the filter: one of several creators of a
 * name wins, and any other write replaces the existing object. So a slow writer may put back an
 * older index, and a link may be written beside an index that has changed meanwhile.
 */
export class ChainedStore extends DecoratedWrites {
  constructor(inner: B.Backend) {
    super(inner, {
      ...inner.capabilities,
      conditionalReplace: false,
      conditionalDelete: false,
      atomicGuard: false,
    });
  }

  /** A look before the write, and a deletion after it. */
  protected override async aroundWrite<T extends { readonly outcome: string }>(
    write: ObjectWrite,
    proceed: (conditions: WriteConditions) => Promise<T>,
  ): Promise<T> {
    const { method, context, ref, guard } = write;
    if (method === 'copyObject') return proceed(write);
    if (guard !== undefined) await this.#requireGuard(context, guard);
    const written = await proceed({ guard: undefined, precondition: creating(write.precondition) });
    if (guard?.consumed !== true) return written;
    const isOwn = guard.ref.object === ref.object && guard.ref.container === ref.container;
    if (!isOwn && (written.outcome === 'created' || written.outcome === 'deleted')) {
      await this.inner.deleteObject(context, guard.ref);
    }
    return written;
  }

  async #requireGuard(context: B.CallContext, { ref, etag }: B.Guard): Promise<void> {
    try {
      const found = await this.headObject(context, ref);
      if (etag === undefined || found.etag === etag) return;
    } catch (error) {
      if (!isCode(error, 'NoSuchObject', 'NoSuchContainer')) throw error;
    }
    throw new BackendError('GuardMissing', `${ref.container}/${ref.object} is not as it has to be`);
  }
}

/** @throws BackendError Unsupported */
function creating(precondition: B.DeletePrecondition | undefined): B.WritePrecondition | undefined {
  if (precondition === undefined || 'absent' in precondition) return precondition;
  throw new BackendError('Unsupported', 'a write depends on an ETag');
}
