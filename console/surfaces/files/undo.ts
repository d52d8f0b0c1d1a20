import { ApiError } from '../../server/api-error.js';
import type { Session } from '../../server/sessions.js';
import type { Place } from './copy-object.js';

/**
 * The effect of a job on one object, and the data needed to take it back:
 *
 *     moved      from a name to another one
 *     trashed    into the trash, as the entry `trashName`
 *     deleted    where the container keeps versions; `as` is the S3 version that was current
 *     restored   out of the trash, or from a version
 *
 * `as` tells what the job left under a name. An object that has changed since then is another's,
 * and stays.
 */
export type Done =
  | { readonly was: 'moved'; readonly from: Place; readonly to: Place; readonly as: string }
  | { readonly was: 'trashed'; readonly name: string; readonly trashName: string }
  | { readonly was: 'deleted'; readonly name: string; readonly as: string | undefined }
  | { readonly was: 'restored'; readonly name: string; readonly as: string };

/** Held in memory, with names of up to a kilobyte. */
const DONE_MAX = 10_000;
const JOBS_MAX = 5;

/** The work of a job that can be taken back: all of it, or nothing where it is too much. */
export class UndoLog {
  #done: Done[] = [];
  #isTooMuch = false;

  constructor(
    /** The name of the action in the audit log. */
    readonly action: string,
    readonly container: string,
  ) {}

  get done(): readonly Done[] {
    return this.#done;
  }

  /** False once the job is too large to be undone: then its objects need not be looked at. */
  get takes(): boolean {
    return !this.#isTooMuch;
  }

  add(done: Done): void {
    if (this.#isTooMuch) return;
    if (this.#done.length < DONE_MAX) this.#done.push(done);
    else {
      this.#isTooMuch = true;
      this.#done = [];
    }
  }

  /** For the result of its job; left out where nothing can be taken back. */
  get result(): { readonly undoable?: number } {
    return this.#done.length === 0 ? {} : { undoable: this.#done.length };
  }
}

/** The latest jobs of each session that can be taken back, by the ids of the jobs. */
export class Undos {
  readonly #logs = new WeakMap<Session, Map<string, UndoLog>>();

  keep(session: Session, jobId: string, log: UndoLog): void {
    const own = this.#logs.get(session) ?? new Map<string, UndoLog>();
    this.#logs.set(session, own);
    own.set(jobId, log);
    const [oldest] = own.keys();
    if (own.size > JOBS_MAX && oldest !== undefined) own.delete(oldest);
  }

  /**
   * Takes a log, so that no job is taken back twice.
   * @throws ApiError not_found also for jobs of others
   */
  take(session: Session, jobId: string): UndoLog {
    const log = this.#logs.get(session)?.get(jobId);
    if (log === undefined || log.done.length === 0) {
      throw new ApiError('not_found', 'This can no longer be undone.');
    }
    this.#logs.get(session)?.delete(jobId);
    return log;
  }
}
