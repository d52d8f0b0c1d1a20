import type * as B from '../../../src/backend/backend.js';
import { DecoratedBackend } from '../../../src/backend/decorators/decorated-backend.js';
import { BackendError, isCode } from '../../../src/backend/errors.js';

/**
 * A store with only the guarantees of a Swift cluster with the filter: one of several creators of a
 * name wins, and any other write replaces the existing object. So a slow writer may put back an
 * older index, and a link may be written beside an index that has changed meanwhile.
 */
export class ChainedStore extends DecoratedBackend {
  constructor(inner: B.Backend) {
    super(inner, {
      ...inner.capabilities,
      conditionalReplace: false,
      conditionalDelete: false,
      atomicGuard: false,
    });
  }

  override putObject(
    context: B.CallContext,
    ref: B.ObjectRef,
    input: B.PutObjectInput,
    precondition?: B.WritePrecondition,
  ): Promise<B.PutOutcome> {
    return this.#guarded(context, ref, input.guard, () =>
      super.putObject(context, ref, unguarded(input), creating(precondition)),
    );
  }

  override putManifest(
    context: B.CallContext,
    ref: B.ObjectRef,
    input: B.ManifestInput,
    precondition?: B.WritePrecondition,
  ): Promise<B.PutOutcome> {
    return this.#guarded(context, ref, input.guard, () =>
      super.putManifest(context, ref, unguarded(input), creating(precondition)),
    );
  }

  override putLink(
    context: B.CallContext,
    ref: B.ObjectRef,
    input: B.LinkInput,
    precondition?: B.WritePrecondition,
  ): Promise<B.PutOutcome> {
    return this.#guarded(context, ref, input.guard, () =>
      super.putLink(context, ref, unguarded(input), creating(precondition)),
    );
  }

  override deleteObject(
    context: B.CallContext,
    ref: B.ObjectRef,
    precondition?: B.WritePrecondition,
    options: B.DeleteOptions = {},
  ): Promise<B.DeleteOutcome> {
    const { guard, ...others } = options;
    return this.#guarded(context, ref, guard, () =>
      super.deleteObject(context, ref, creating(precondition), others),
    );
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

  /** A look before the write, and a deletion after it. */
  async #guarded<T extends { readonly outcome: string }>(
    context: B.CallContext,
    ref: B.ObjectRef,
    guard: B.Guard | undefined,
    write: () => Promise<T>,
  ): Promise<T> {
    if (guard === undefined) return write();
    await this.#requireGuard(context, guard);
    const written = await write();
    const isOwn = guard.ref.object === ref.object && guard.ref.container === ref.container;
    if (
      guard.consumed &&
      !isOwn &&
      (written.outcome === 'created' || written.outcome === 'deleted')
    ) {
      await super.deleteObject(context, guard.ref);
    }
    return written;
  }
}

function unguarded<T extends { readonly guard?: B.Guard | undefined }>(input: T): T {
  return { ...input, guard: undefined };
}

/** @throws BackendError Unsupported */
function creating(precondition: B.WritePrecondition | undefined): B.WritePrecondition | undefined {
  if (precondition === undefined || 'absent' in precondition) return precondition;
  throw new BackendError('Unsupported', 'a write depends on an ETag');
}
