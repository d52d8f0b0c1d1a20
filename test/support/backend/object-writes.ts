import type * as B from '../../../src/backend/backend.js';
import { DecoratedBackend } from '../../../src/backend/decorators/decorated-backend.js';

/** A write of an object, as far as stores that fail at writes care. */
export interface ObjectWrite {
  readonly method: 'putObject' | 'putManifest' | 'putLink' | 'copyObject' | 'deleteObject';
  readonly context: B.CallContext;
  /** For a copy, the target. */
  readonly ref: B.ObjectRef;
  readonly guard: B.Guard | undefined;
  readonly precondition: B.DeletePrecondition | undefined;
  /** Undefined for a deletion, which has none. */
  readonly writeClass: B.WriteClass | undefined;
}

/** The part of a write that a decorator may change on the way to the store. */
export type WriteConditions = Pick<ObjectWrite, 'guard' | 'precondition'>;

/** A backend in front of another one whose writes of objects pass through {@link aroundWrite}. */
export abstract class DecoratedWrites extends DecoratedBackend {
  /** @param proceed makes the write, under the conditions that it is given */
  protected abstract aroundWrite<T extends { readonly outcome: string }>(
    write: ObjectWrite,
    proceed: (conditions: WriteConditions) => Promise<T>,
  ): Promise<T | { readonly outcome: 'stale' }>;

  override putObject(
    context: B.CallContext,
    ref: B.ObjectRef,
    input: B.PutObjectInput,
    precondition?: B.WritePrecondition,
  ): Promise<B.PutOutcome> {
    const { guard, writeClass } = input;
    return this.aroundWrite(
      { method: 'putObject', context, ref, guard, precondition, writeClass },
      (left) => super.putObject(context, ref, { ...input, guard: left.guard }, ofWrite(left)),
    );
  }

  override putManifest(
    context: B.CallContext,
    ref: B.ObjectRef,
    input: B.ManifestInput,
    precondition?: B.WritePrecondition,
  ): Promise<B.PutOutcome> {
    const { guard, writeClass } = input;
    return this.aroundWrite(
      { method: 'putManifest', context, ref, guard, precondition, writeClass },
      (left) => super.putManifest(context, ref, { ...input, guard: left.guard }, ofWrite(left)),
    );
  }

  override putLink(
    context: B.CallContext,
    ref: B.ObjectRef,
    input: B.LinkInput,
    precondition?: B.WritePrecondition,
  ): Promise<B.PutOutcome> {
    const { guard, writeClass } = input;
    return this.aroundWrite(
      { method: 'putLink', context, ref, guard, precondition, writeClass },
      (left) => super.putLink(context, ref, { ...input, guard: left.guard }, ofWrite(left)),
    );
  }

  override copyObject(
    context: B.CallContext,
    from: B.ObjectRef,
    to: B.ObjectRef,
    input: B.CopyInput,
    precondition?: B.WritePrecondition,
  ): Promise<B.CopyOutcome> {
    const { guard, writeClass } = input;
    return this.aroundWrite(
      { method: 'copyObject', context, ref: to, guard, precondition, writeClass },
      (left) => super.copyObject(context, from, to, { ...input, guard: left.guard }, ofWrite(left)),
    );
  }

  override deleteObject(
    context: B.CallContext,
    ref: B.ObjectRef,
    precondition?: B.DeletePrecondition,
    options: B.DeleteOptions = {},
  ): Promise<B.DeleteOutcome> {
    const { guard } = options;
    return this.aroundWrite(
      { method: 'deleteObject', context, ref, guard, precondition, writeClass: undefined },
      (left) =>
        super.deleteObject(context, ref, left.precondition, { ...options, guard: left.guard }),
    );
  }
}

/** @throws Error for a precondition that only a deletion may have */
function ofWrite({ precondition }: WriteConditions): B.WritePrecondition | undefined {
  if (precondition !== undefined && 'present' in precondition) {
    throw new Error('a write has the precondition of a deletion');
  }
  return precondition;
}
