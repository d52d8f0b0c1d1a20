import type * as B from '../backend.js';
import { BackendError } from '../errors.js';
import { guardOf, isCode, startedAttribute, type Visible, type WriteTimes } from './write-times.js';

/**
 * Writes as stock Swift does them.
 *
 *   started ── checked ─────────────── guarded ────── removing
 *   its time   {absent}, stale?  body   guard there?   commit, then the guard
 *
 * As Swift's object servers do, a put looks once, before its body, whether the name is free and
 * whether something newer is there; it commits when all bytes have come, and nothing is looked at in
 * between. So several racing creators are all told `created`. Which write stays is decided by when
 * it *started*: one that is older than what is there by then changes nothing, and is told `created`
 * all the same. A delete leaves its time, and is stale itself when something newer is there.
 */

/** Where a write can be held. `removing`: it is done, and its guard is to be removed. */
export type WritePhase = 'started' | 'checked' | 'guarded' | 'removing';

/** A write as it was asked for. */
export interface WeakWrite {
  readonly context: B.CallContext;
  readonly ref: B.ObjectRef;
  readonly precondition: B.DeletePrecondition | undefined;
  readonly guard: B.Guard | undefined;
}

export interface StartedWrite extends WeakWrite {
  /** Microseconds since the epoch, as Swift's timestamps. */
  readonly startedAt: number;
}

export interface WeakOptions {
  /** Awaited when a write has come to a phase, so that tests can hold it there. */
  readonly pause?: ((phase: WritePhase, write: StartedWrite) => Promise<void> | void) | undefined;
  /** The time at which a write starts, in microseconds since the epoch. Default: this machine's. */
  readonly now?: (() => number) | undefined;
}

/** What the decorator adds to the input of a write. */
export type Ours = (input: { readonly listingAttributes?: B.Metadata | undefined }) => {
  readonly listingAttributes: B.Metadata;
  readonly guard: B.Guard;
};

/** A put with all its bytes. */
export interface ReadyPut<Outcome> {
  /** To answer with when it changes nothing; undefined where only the store could tell. */
  readonly etag: string | undefined;
  /** Repeated when somebody else wrote meanwhile. */
  readonly commit: (ours: Ours) => Promise<Outcome>;
}

export class WeakWrites {
  readonly #now: () => number;

  constructor(
    private readonly times: WriteTimes,
    private readonly options: WeakOptions,
  ) {
    this.#now = options.now ?? microsecondClock;
  }

  async put<Outcome extends B.CopyOutcome>(
    asked: WeakWrite,
    prepare: () => Promise<ReadyPut<Outcome>> | ReadyPut<Outcome>,
  ): Promise<Outcome | B.PutOutcome> {
    refuseEtag(asked);
    const write = await this.#start(asked);
    const { exists, startedAt } = await this.times.visible(write.context, write.ref);
    if (exists && write.precondition !== undefined) return { outcome: 'precondition_failed' };
    if (startedAt >= write.startedAt) return { outcome: 'stale' };
    const ready = await prepare();
    await this.#pause('checked', write);
    await this.#checkGuard(write);
    const outcome = await this.#commit(write, ready);
    if (outcome.outcome === 'created') await this.#removeGuard(write);
    return outcome;
  }

  async #commit<Outcome>(
    { context, ref, startedAt }: StartedWrite,
    { etag, commit }: ReadyPut<Outcome>,
  ): Promise<Outcome | B.PutOutcome> {
    for (;;) {
      const ticket = await this.times.take(context, ref);
      const there = await this.times.visible(context, ref, ticket);
      if (there.startedAt >= startedAt) return lost(startedAt, etag);
      const ours: Ours = ({ listingAttributes }) => ({
        listingAttributes: { ...listingAttributes, ...startedAttribute(startedAt) },
        guard: guardOf(ticket),
      });
      try {
        return await commit(ours);
      } catch (error) {
        if (!isCode(error, 'GuardMissing')) throw error;
      }
    }
  }

  /** @param manifest of the object that is there */
  async remove(
    asked: WeakWrite,
    manifest: () => Promise<B.RemovedManifest | undefined>,
  ): Promise<B.DeleteOutcome> {
    refuseEtag(asked);
    const write = await this.#start(asked);
    await this.#checkGuard(write);
    const outcome = await this.#bury(write, manifest);
    if (outcome.outcome === 'deleted') await this.#removeGuard(write);
    return outcome;
  }

  async #bury(
    { context, ref, precondition, startedAt }: StartedWrite,
    manifest: () => Promise<B.RemovedManifest | undefined>,
  ): Promise<B.DeleteOutcome> {
    for (;;) {
      const ticket = await this.times.take(context, ref);
      const there = await this.times.visible(context, ref, ticket);
      if (there.exists && precondition !== undefined) return { outcome: 'precondition_failed' };
      if (there.exists && there.startedAt >= startedAt) return { outcome: 'stale' };
      const removedManifest = there.exists ? await manifest() : undefined;
      const buried = { ref, exists: there.exists, startedAt: Math.max(startedAt, there.startedAt) };
      if (!(await this.times.bury(context, buried, ticket))) continue;
      if (!there.exists) throw noSuchObject(ref);
      return { outcome: 'deleted', ...(removedManifest && { removedManifest }) };
    }
  }

  async #start(asked: WeakWrite): Promise<StartedWrite> {
    const write = { ...asked, startedAt: this.#now() };
    await this.#pause('started', write);
    return write;
  }

  /** @throws BackendError GuardMissing */
  async #checkGuard(write: StartedWrite): Promise<void> {
    const { context, guard } = write;
    if (guard !== undefined) {
      const found = await this.#find(context, guard.ref);
      const { container, object } = guard.ref;
      if (!found?.exists) throw new BackendError('GuardMissing', `no ${container}/${object}`);
      if (guard.etag !== undefined && guard.etag !== found.etag) {
        throw new BackendError('GuardMissing', `${container}/${object} has another ETag`);
      }
    }
    await this.#pause('guarded', write);
  }

  async #find(context: B.CallContext, ref: B.ObjectRef): Promise<Visible | undefined> {
    try {
      return await this.times.peek(context, ref);
    } catch (error) {
      if (isCode(error, 'NoSuchContainer')) return undefined;
      throw error;
    }
  }

  /** A delete like any other: nothing tells whether it is still the same object. */
  async #removeGuard(write: StartedWrite): Promise<void> {
    const { context, guard, ref } = write;
    if (guard?.consumed !== true || isSame(guard.ref, ref)) return;
    await this.#pause('removing', write);
    const removal = { context, ref: guard.ref, precondition: undefined, guard: undefined };
    try {
      await this.remove(removal, () => Promise.resolve(undefined));
    } catch (error) {
      if (!isCode(error, 'NoSuchObject', 'NoSuchContainer')) throw error;
    }
  }

  async #pause(phase: WritePhase, write: StartedWrite): Promise<void> {
    await this.options.pause?.(phase, write);
  }
}

/** Swift would ignore it, and change what it should not. @throws BackendError Unsupported */
function refuseEtag({ ref, precondition }: WeakWrite): void {
  if (precondition === undefined || 'absent' in precondition) return;
  const detail = `a write of ${ref.container}/${ref.object} depends on an ETag`;
  throw new BackendError('Unsupported', `${detail}, against capabilities.conditionalReplace`);
}

/** Swift answers 201 all the same; 202 only where a put finds out before its body. */
function lost(startedAt: number, etag: string | undefined): B.PutOutcome {
  if (etag === undefined) return { outcome: 'stale' };
  return { outcome: 'created', etag, lastModified: Math.floor(startedAt / 1000) };
}

function noSuchObject({ container, object }: B.ObjectRef): BackendError {
  return new BackendError('NoSuchObject', `no object ${container}/${object}`);
}

function isSame(one: B.ObjectRef, other: B.ObjectRef): boolean {
  return one.object === other.object && one.container === other.container;
}

/** What {@link microsecondClock} told last, to whomever of this process. */
let lastTold = 0;

/**
 * Never the same twice in one process, whoever asks, and never less than before, also when the clock
 * is set back; in step with other processes of this machine: the part below a millisecond is from a
 * clock that runs freely since the process began.
 */
function microsecondClock(): number {
  const wall = Date.now();
  const fine = performance.timeOrigin + performance.now();
  const now = Math.floor(Math.min(Math.max(fine, wall), wall + 0.999) * 1000);
  lastTold = Math.max(now, lastTold + 1);
  return lastTold;
}
