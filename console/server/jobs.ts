import { randomUUID } from 'node:crypto';
import { within } from '../../src/lib/promises.js';
import { ApiError, errorBody } from './api-error.js';
import type { Events } from './events.js';
import type { Session } from './sessions.js';

/** Long work as the browser sees it. */
export interface JobView {
  readonly id: string;
  readonly kind: string;
  readonly state: 'queued' | 'running' | 'done' | 'failed' | 'cancelled';
  readonly done: number;
  /** Null while it is not known. */
  readonly total: number | null;
  readonly started_unix_s: number;
  readonly ended_unix_s: number | null;
  readonly result?: unknown;
  readonly error?: { readonly code: string; readonly message: string };
}

export interface JobControl {
  /** Aborted by the user, or with the session. */
  readonly signal: AbortSignal;
  progress(done: number, total: number | null): void;
}

type Work = (control: JobControl) => Promise<unknown>;
/** Called when work never begins: it was cancelled, or its session ended, while it waited. */
type OnDropped = () => Promise<void>;

interface Job {
  view: JobView;
  readonly session: Session;
  readonly abort: AbortController;
  /** The work until it begins: it holds all names that the job is about. */
  work: Work | undefined;
  readonly onDropped: OnDropped;
}

export interface JobsOptions {
  readonly events: Pick<Events, 'publish'>;
  readonly now: () => number;
  /** Describes an error for the browser and the log. */
  readonly describe: (error: unknown) => ApiError;
}

const RUNNING_PER_SESSION = 2;
/** Each may hold ten thousand names. */
const WAITING_PER_SESSION = 10;
const JOBS_PER_SESSION = 100;
/** A job of a million objects need not say so a million times. */
const PUBLISH_EVERY_MS = 250;
/** The time that aborted jobs have to end before the console does. */
const CLOSE_MS = 5000;

/** Work that outlives its request: two at a time for each session, the others wait. */
export class Jobs {
  /** The jobs of sessions that have not ended, by their ids. */
  readonly #jobs = new Map<Session, Map<string, Job>>();
  readonly #running = new Set<Promise<void>>();

  constructor(private readonly options: JobsOptions) {}

  /**
   * Waits until jobs that are cut have written down what became of them; those whose sessions have
   * ended are cut. It waits no longer than `limitMs`: a store may keep one.
   */
  async close(limitMs = CLOSE_MS): Promise<void> {
    await within(Promise.all(this.#running), limitMs);
  }

  /** @throws ApiError busy; unauthenticated when the session has ended; `onDropped` is not told */
  start(
    session: Session,
    kind: string,
    work: Work,
    onDropped: OnDropped = () => Promise.resolve(),
  ): JobView {
    if (session.ended.signal.aborted) {
      throw new ApiError('unauthenticated', 'Your session has ended. Log in again.');
    }
    const own = this.#of(session);
    const waiting = own.filter((job) => job.view.state === 'queued').length;
    if (waiting >= WAITING_PER_SESSION) throw tooMany();
    if (own.length >= JOBS_PER_SESSION) this.#forgetOldest(own);
    const view: JobView = {
      id: randomUUID(),
      kind,
      state: 'queued',
      done: 0,
      total: null,
      started_unix_s: Math.floor(this.options.now() / 1000),
      ended_unix_s: null,
    };
    const job: Job = { view, session, abort: new AbortController(), work, onDropped };
    this.#add(job);
    this.#next(session);
    return job.view;
  }

  list(session: Session): readonly JobView[] {
    return this.#of(session).map((job) => job.view);
  }

  /** @throws ApiError not_found for those of others, too */
  get(session: Session, id: string): JobView {
    return this.#find(session, id).view;
  }

  cancel(session: Session, id: string): JobView {
    const job = this.#find(session, id);
    job.abort.abort();
    if (job.view.state === 'queued') {
      this.#drop(job);
      this.#end(job, { state: 'cancelled' });
    }
    return job.view;
  }

  #of(session: Session): Job[] {
    return [...(this.#jobs.get(session)?.values() ?? [])];
  }

  #find(session: Session, id: string): Job {
    const job = this.#jobs.get(session)?.get(id);
    if (job === undefined) throw new ApiError('not_found', 'Job not found.');
    return job;
  }

  #forgetOldest(own: readonly Job[]): void {
    const ended = own.find((job) => job.view.ended_unix_s !== null);
    if (ended === undefined) throw tooMany();
    this.#jobs.get(ended.session)?.delete(ended.view.id);
  }

  #add(job: Job): void {
    const { session, view } = job;
    const own = this.#jobs.get(session);
    if (own !== undefined) {
      own.set(view.id, job);
      return;
    }
    this.#jobs.set(session, new Map([[view.id, job]]));
    const forget = () => {
      this.#forget(session);
    };
    session.ended.signal.addEventListener('abort', forget, { once: true });
  }

  /** Ends all jobs of a session that has ended. */
  #forget(session: Session): void {
    const own = this.#of(session);
    this.#jobs.delete(session);
    for (const job of own) {
      job.abort.abort();
      this.#drop(job);
    }
  }

  #next(session: Session): void {
    const own = this.#of(session);
    const running = own.filter((job) => job.view.state === 'running').length;
    const next = own.find((job) => job.view.state === 'queued');
    if (next !== undefined && running < RUNNING_PER_SESSION) this.#keep(this.#run(next));
  }

  #keep(work: Promise<void>): void {
    const kept = work.finally(() => this.#running.delete(kept));
    this.#running.add(kept);
  }

  async #run(job: Job): Promise<void> {
    const { work } = job;
    if (work === undefined) return;
    job.work = undefined;
    let publishedMs = 0;
    this.#change(job, { state: 'running' });
    const progress = (done: number, total: number | null) => {
      job.view = { ...job.view, done, total };
      if (this.options.now() - publishedMs < PUBLISH_EVERY_MS) return;
      publishedMs = this.options.now();
      this.#change(job, {});
    };
    try {
      const result = await work({ signal: job.abort.signal, progress });
      this.#end(job, { state: job.abort.signal.aborted ? 'cancelled' : 'done', result });
    } catch (error) {
      if (job.abort.signal.aborted) this.#end(job, { state: 'cancelled' });
      else {
        const { code, message } = errorBody(this.options.describe(error), job.view.id).error;
        this.#end(job, { state: 'failed', error: { code, message } });
      }
    }
    this.#next(job.session);
  }

  /** Does nothing for a job that has begun. */
  #drop(job: Job): void {
    if (job.work === undefined) return;
    job.work = undefined;
    // Only the log can get this error.
    this.#keep(job.onDropped().catch((error: unknown) => void this.options.describe(error)));
  }

  #end(job: Job, change: Partial<JobView>): void {
    job.work = undefined;
    this.#change(job, { ...change, ended_unix_s: Math.floor(this.options.now() / 1000) });
  }

  #change(job: Job, change: Partial<JobView>): void {
    job.view = { ...job.view, ...change };
    // A result can be long: it is there for who asks.
    const view: JobView = { ...job.view, result: undefined };
    this.options.events.publish('jobs', view, job.session);
  }
}

function tooMany(): ApiError {
  return new ApiError('busy', 'The job queue is full. Try again later.', undefined, 30);
}
