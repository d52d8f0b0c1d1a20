import type {
  CallContext,
  Guard,
  ObjectRef,
  PutObjectInput,
  PutOutcome,
  RemovedManifest,
  WritePrecondition,
} from '../backend.js';
import { throwIfAborted } from '../call-context.js';
import { BackendError } from '../errors.js';
import type { ObjectHeads } from './object-heads.js';
import { timeOfPut } from './put-answer.js';

/** A write that created its object. */
interface Written {
  readonly headers: ReadonlyMap<string, string>;
  /** The ETag that later reads return. */
  readonly etag: string;
  readonly replacedManifest: RemovedManifest | undefined;
}

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
   * The last look before a write, when everything else that it needs is there. A creation replaces
   * nothing, and a write with a place among those of its object what its caller has seen.
   * @returns the manifest of the large object that the write will replace
   * @throws BackendError GuardMissing; the abort reason
   */
  async beforePut(
    context: CallContext,
    ref: ObjectRef,
    { guard, order }: Pick<PutObjectInput, 'guard' | 'order'>,
    creation?: WritePrecondition,
  ): Promise<RemovedManifest | undefined> {
    const mayReplace = order === undefined && creation === undefined;
    const looked = mayReplace ? this.objectHeads.manifest(context, ref) : undefined;
    const [manifest] =
      guard === undefined
        ? [await looked]
        : await Promise.all([looked, this.check(context, guard)]);
    throwIfAborted(context);
    return manifest;
  }

  /**
   * As {@link beforePut}, for a write that does not look at what it replaces.
   * @throws BackendError GuardMissing; the abort reason
   */
  async beforeBlindPut(
    context: CallContext,
    guard: Guard | undefined,
  ): Promise<Pick<Written, 'replacedManifest'>> {
    await this.check(context, guard);
    throwIfAborted(context);
    return { replacedManifest: undefined };
  }

  /** Consumes the guard of a write that created its object. @returns the outcome of the write */
  async afterPut(
    context: CallContext,
    ref: ObjectRef,
    guard: Guard | undefined,
    { headers, etag, replacedManifest }: Written,
  ): Promise<PutOutcome> {
    const lastModified = await timeOfPut(this.objectHeads, context, ref, headers);
    await this.consume(context, guard, ref);
    const created = { outcome: 'created', etag, lastModified } as const;
    return replacedManifest === undefined ? created : { ...created, replacedManifest };
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
