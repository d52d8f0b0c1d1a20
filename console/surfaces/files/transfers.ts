import { randomUUID } from 'node:crypto';
import { ApiError } from '../../server/api-error.js';
import type { JobControl } from '../../server/jobs.js';
import { hasRight } from '../../server/rights.js';
import type { Session } from '../../server/sessions.js';
import { SwiftStatusError } from '../../swift/errors.js';
import { copyObject, type Place } from './copy-object.js';
import { TAKEN } from './exists.js';
import { fresh } from './fresh.js';
import type { Tally } from './many.js';
import { kindOf } from './names.js';
import {
  expectAsLeft,
  expectNoS3Version,
  objectInfo,
  removeAsCopied,
  type ObjectInfo,
} from './object-info.js';
import { onlyOver, s3BucketOf, type S3Bucket, type S3Current } from './s3/s3-bucket.js';
import { copyIntoS3, deleteInS3 } from './s3/s3-objects.js';
import { keyOf, type Step, type Transfer } from './transfer-plan.js';
import type { UndoLog } from './undo.js';
import { expectMayReplace, isOvertaken, lookAtTarget, type Target } from './write-effect.js';

/** The action where a target is taken. */
export type OnTaken = 'fail' | 'rename' | 'replace';

/** A job that copies, moves or restores objects of one container into one container. */
export interface TransferJob {
  readonly container: string;
  readonly to_container: string;
  /** Whether the sources go. */
  readonly removes: boolean;
  readonly onTaken: OnTaken;
  /** Another name, where the target is taken and the job renames. @param attempt from 1 */
  readonly rename?: (object: string, attempt: number) => string;
  /** The refusal of a target that is taken. */
  readonly taken?: () => ApiError;
  /** Headers of copies inside Swift. */
  readonly headers?: (info: ObjectInfo) => Readonly<Record<string, string>>;
}

interface Manner extends Pick<TransferJob, 'removes' | 'onTaken'> {
  /** The objects its group has written, which no job replaces: other groups have other names. */
  readonly written: Set<string>;
  /** Ends what is under way; not while something is under a temporary name. */
  readonly signal: AbortSignal | undefined;
}

type BucketOf = () => Promise<S3Bucket | undefined>;

/** A source as it was copied. */
type Copied =
  | { readonly bucket: S3Bucket; readonly current: S3Current }
  | { readonly bucket: undefined; readonly info: ObjectInfo };

/** Where a source was written, and whether that has replaced something. */
interface Written {
  readonly to: Place;
  readonly hasReplaced: boolean;
}

/** Targets that change again and again are left, and so are names that are all taken. */
const ATTEMPTS_MAX = 20;

/**
 * Carries out what `planTransfers` has planned. Where nothing may be replaced nothing is, also
 * of what comes meanwhile: the store decides that with the write, where it can. A source goes only
 * as it was copied. What was replaced is told.
 */
export class Transfers {
  readonly #source: BucketOf;
  readonly #target: BucketOf;
  /** By target: how many names of it were taken. */
  readonly #names = new Map<string, number>();

  constructor(
    private readonly session: Pick<Session, 'store' | 's3' | 'user'>,
    private readonly job: TransferJob,
    private readonly tally: Tally,
    now: () => number,
    private readonly undo?: UndoLog,
  ) {
    this.#source = fresh(now, () => s3BucketOf(session, job.container));
    this.#target = fresh(now, () => s3BucketOf(session, job.to_container));
  }

  /** The steps of one group, in order; each failure is told. */
  async run(steps: readonly Step[], { signal }: Pick<JobControl, 'signal'>): Promise<void> {
    /** How many transfers have yet to read what is under a name. */
    const readers = new Map<string, number>();
    const parked = new Map<Transfer, Place>();
    const { removes, onTaken } = this.job;
    let how: Manner = { removes, onTaken, written: new Set(), signal };
    for (const { kind, transfer } of steps) {
      if (kind !== 'unpark') count(readers, transfer.from, 1);
    }
    for (const { kind, transfer } of steps) {
      // A begun transfer ends: nothing keeps a temporary name because a job was cancelled.
      if (signal.aborted && parked.size === 0) return;
      const { name, from, to } = transfer;
      if (kind === 'park') {
        const aside = { ...to, object: `.moving-${randomUUID()}` };
        try {
          await this.#park(transfer, aside, how);
          parked.set(transfer, aside);
          how = { ...how, signal: undefined };
          count(readers, from, -1);
        } catch (error) {
          this.tally.fail(name, error);
        }
        continue;
      }
      const aside = parked.get(transfer);
      if (kind === 'unpark' && aside === undefined) continue;
      const isDone = await this.tally.attempt(name, async () => {
        if (keyOf(from) === keyOf(to)) return;
        const isBlocked = (readers.get(keyOf(to)) ?? 0) > 0;
        if (aside === undefined && isBlocked) throw inTheWay();
        const written =
          aside === undefined
            ? await this.#move(transfer, how, this.#source)
            : await this.#unpark(transfer, aside, how, isBlocked);
        await this.#note(from, written);
      });
      parked.delete(transfer);
      if (isDone && kind === 'whole') count(readers, from, -1);
    }
  }

  /** @throws ApiError, with the name of the copy, if it had to stay aside */
  async #park(transfer: Transfer, aside: Place, how: Manner): Promise<void> {
    const { from } = transfer;
    const { copied } = await this.#copy({ ...transfer, to: aside }, how, this.#source);
    if (!how.removes) return;
    try {
      await this.#remove(from, copied);
    } catch (error) {
      const { code, message } = this.tally.describe(error);
      // After any other failure the copy may be all that there is.
      const isChanged = code === 'conflict';
      if (isChanged && (await this.#discard(aside).catch(() => false)))
        throw new ApiError(code, 'Someone has changed it since then. It was left as it is.');
      throw new ApiError(code, `${message} A copy is kept as “${aside.object}”.`);
    }
  }

  async #discard(aside: Place): Promise<true> {
    await this.#remove(aside, await this.#lookAt(aside, await this.#target(), true));
    return true;
  }

  /** @throws ApiError, with the name under which the object is now, if that is not its old one */
  async #unpark(
    { name, from, to }: Transfer,
    aside: Place,
    how: Manner,
    isBlocked: boolean,
  ): Promise<Written> {
    try {
      if (isBlocked) throw inTheWay();
      const parked = { name, from: aside, to };
      return await this.#move(parked, { ...how, removes: true }, this.#target);
    } catch (error) {
      const { code, message } = this.tally.describe(error);
      const isBack = await this.#putBack(aside, from, how).catch(() => false);
      throw new ApiError(code, isBack ? message : `${message} It is kept as “${aside.object}”.`);
    }
  }

  /** @returns whether what is aside has its old name again; nothing is replaced for that */
  async #putBack(aside: Place, from: Place, how: Manner): Promise<boolean> {
    if (how.removes) {
      const back = { name: '', from: aside, to: from };
      await this.#move(back, { ...how, onTaken: 'fail' }, this.#target);
      return true;
    }
    if (how.written.has(keyOf(from))) return false;
    return this.#discard(aside);
  }

  async #move(transfer: Transfer, how: Manner, sourceOf: BucketOf): Promise<Written> {
    const { copied, written } = await this.#copy(transfer, how, sourceOf);
    if (how.removes) await this.#remove(transfer.from, copied);
    return written;
  }

  /** Notes how this is taken back, where nothing was lost by it: what was replaced would not be. */
  async #note(from: Place, { to, hasReplaced }: Written): Promise<void> {
    const { undo, job } = this;
    if (undo?.takes !== true || hasReplaced) return;
    const left = await this.#lookAt(to, await this.#target(), false).catch(() => undefined);
    if (left === undefined) return;
    const as = markOf(left);
    const isOfTrash = kindOf(job.container) === 'trash';
    undo.add(isOfTrash ? { was: 'restored', name: to.object, as } : { was: 'moved', from, to, as });
  }

  async #remove(from: Place, copied: Copied): Promise<void> {
    if (copied.bucket === undefined) await removeAsCopied(this.session.store, from, copied.info);
    else await deleteInS3(copied.bucket, from.object, this.#mayDestroy, copied.current);
  }

  get #mayDestroy(): boolean {
    return hasRight(this.session.user.role, 'manage');
  }

  /** @throws ApiError exists, forbidden, conflict; the errors of the stores */
  async #copy(
    { from, to: wanted, as }: Transfer,
    how: Manner,
    sourceOf: BucketOf,
  ): Promise<{ readonly copied: Copied; readonly written: Written }> {
    const { job, session } = this;
    const { removes, onTaken, written, signal } = how;
    for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
      const bucket = await this.#target();
      const copied = await this.#lookAt(from, await sourceOf(), removes);
      expectAsLeft(markOf(copied), as);
      const to = { ...wanted, object: this.#nameFor(wanted) };
      const target = await lookAtTarget(session, to, bucket);
      if (target.etag !== undefined) {
        if (onTaken === 'rename') {
          this.#names.set(keyOf(wanted), (this.#names.get(keyOf(wanted)) ?? 0) + 1);
          continue;
        }
        if (onTaken === 'fail') throw job.taken?.() ?? new ApiError('exists', TAKEN);
        if (written.has(keyOf(to))) throw twice();
      }
      expectMayReplace(session, target);
      try {
        await this.#write(from, copied, to, bucket, target, signal);
      } catch (error) {
        // The source, or the target, is not what it was: both are looked at again.
        if (isOvertaken(error)) continue;
        throw error;
      }
      written.add(keyOf(to));
      const hasReplaced = target.etag !== undefined;
      if (hasReplaced) this.tally.replace(to.object);
      return { copied, written: { to, hasReplaced } };
    }
    throw new ApiError('conflict', 'Others keep changing it: it was left.');
  }

  #nameFor(wanted: Place): string {
    const taken = this.#names.get(keyOf(wanted)) ?? 0;
    return taken === 0 ? wanted.object : (this.job.rename?.(wanted.object, taken) ?? wanted.object);
  }

  async #lookAt(
    { container, object }: Place,
    bucket: S3Bucket | undefined,
    removes: boolean,
  ): Promise<Copied> {
    if (bucket !== undefined) {
      const current = await bucket.current(object);
      if (current === undefined) throw missing();
      return { bucket, current };
    }
    const info = await objectInfo(this.session.store, container, object);
    if (removes) expectNoS3Version(info);
    return { bucket, info };
  }

  async #write(
    from: Place,
    copied: Copied,
    to: Place,
    bucket: S3Bucket | undefined,
    { etag }: Target,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const { store } = this.session;
    if (copied.bucket !== undefined) {
      // Swift replaces nothing on condition where there are no versions.
      const condition = bucket === undefined && etag !== undefined ? {} : onlyOver(etag);
      const version = { key: from.object, versionId: copied.current.id };
      await copied.bucket.copyTo(to, version, condition);
      return;
    }
    const { info } = copied;
    if (bucket !== undefined) {
      await copyIntoS3(store, from, info, bucket, to.object, onlyOver(etag));
      return;
    }
    const headers = {
      ...this.job.headers?.(info),
      ...(etag === undefined ? { overwrite: 'F' } : {}),
    };
    await copyObject(store, from, to, info, headers, signal).catch((error: unknown) => {
      // A write that began later is there: Swift keeps that one.
      if (error instanceof SwiftStatusError && error.status === 202)
        throw new SwiftStatusError(412, '');
      throw error;
    });
  }
}

/** Tells an object from what is written under its name later. */
function markOf(copied: Copied): string {
  return copied.bucket === undefined ? copied.info.timestamp : copied.current.id;
}

function count(counts: Map<string, number>, place: Place, change: number): void {
  counts.set(keyOf(place), (counts.get(keyOf(place)) ?? 0) + change);
}

function missing(): ApiError {
  return new ApiError('no_such_object', 'The object does not exist.');
}

function inTheWay(): ApiError {
  const message = 'The object that has this name now could not be copied or moved before.';
  return new ApiError('conflict', message);
}

function twice(): ApiError {
  return new ApiError('conflict', 'Another object of this job has got this name.');
}
