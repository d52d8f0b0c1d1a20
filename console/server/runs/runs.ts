import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { AuditEvent } from '../../../src/lib/audit/audit-log.js';
import type { Logger } from '../../../src/telemetry/logger.js';
import { ApiError } from '../api-error.js';
import type { Events } from '../events.js';
import { OpenRun } from './open-run.js';
import {
  isOver,
  lockedBy,
  viewOf,
  type RunActor,
  type RunEntry,
  type RunFacts,
  type RunKind,
  type RunRequest,
  type RunView,
  type WholeRun,
} from './run.js';
import { RunJournal } from './run-journal.js';
import { RunNews } from './run-news.js';
import { RunResults, wholeRunJson } from './run-result.js';

export interface RunsOptions {
  readonly stateDir: string;
  readonly events: Pick<Events, 'publish'>;
  /** One process at a time has the audit log, and with it the journal. */
  readonly audit: {
    turn(): Promise<boolean>;
    write(event: AuditEvent): Promise<void>;
  };
  readonly now: () => number;
  readonly logger: Pick<Logger, 'error' | 'info'>;
  /** Describes an error for the browser and the log. */
  readonly describe: (error: unknown) => ApiError;
  /** Between tries to write the end of a run on a full disk. */
  readonly retryMs?: number;
}

const OPEN_MAX = 32;
/** Timers of Node.js wait for no more than 24 days. */
const TTL_S_MAX = 7 * 86_400;
/** The time that aborted runs have to end before the console does. */
const CLOSE_MS = 5000;

/**
 * Work that outlives the session that started it, and the console: each run is in a journal before
 * it begins, is seen by all operators, and is done again or taken back when the console ended before
 * it had.
 */
export class Runs {
  readonly #kinds = new Map<string, RunKind>();
  readonly #open = new Map<string, OpenRun>();
  /** Runs that are over, or of a kind that this console does not have; oldest first. */
  readonly #others = new Map<string, RunEntry>();
  /** The runs that act or are being taken back, by their ids. */
  readonly #acting = new Map<string, Promise<void>>();
  readonly #news: RunNews;
  readonly #ending = new AbortController();
  readonly #results: RunResults;
  #opening: Promise<RunJournal> | undefined;

  constructor(private readonly options: RunsOptions) {
    this.#results = new RunResults(options.logger);
    this.#news = new RunNews(options.events, options.now);
  }

  /** To call before `recover`: a former run of a kind that is not registered stays as it is. */
  register<Params extends RunFacts, Result, Means>(kind: RunKind<Params, Result, Means>): void {
    this.#kinds.set(kind.name, kind);
  }

  /**
   * Starts a run once its intent is on the disk.
   * @throws ApiError locked, with who holds the lock; busy; too_large; system errors when it cannot
   *   be written down: then nothing is done
   */
  async start<Params extends RunFacts>(
    name: string,
    { params, target, lock, ttlS, means }: RunRequest<Params>,
    by: RunActor,
  ): Promise<RunView<Params>> {
    const kind = this.#kinds.get(name);
    if (kind === undefined) throw new Error(`no such kind of run: ${name}`);
    if (ttlS !== undefined && ttlS > TTL_S_MAX) {
      throw new ApiError('invalid_argument', 'A run can last one week at most.');
    }
    const journal = await this.#journal();
    const holder = lock === null ? undefined : this.holder(lock);
    if (holder !== undefined) throw lockedBy(holder);
    if (this.#open.size >= OPEN_MAX)
      throw new ApiError('busy', 'Too many runs are in progress.', undefined, 30);
    const now = Math.floor(this.options.now() / 1000);
    const entry: RunEntry = {
      v: 1,
      id: randomUUID(),
      kind: name,
      target,
      lock,
      params,
      evidence: null,
      state: 'intent',
      started_unix_s: now,
      ended_unix_s: null,
      deadline_unix_s: ttlS === undefined ? null : now + ttlS,
      error: null,
      ...by,
    };
    const run = this.#openRun(entry, kind, journal, false);
    try {
      await this.#record(entry, 'begun', {});
      await journal.write(entry);
    } catch (error) {
      this.#open.delete(entry.id);
      throw error;
    }
    this.#follow(run, run.act(means));
    return viewOf(run.entry, null) as RunView<Params>;
  }

  /** The run that holds a lock. */
  holder(lock: string): RunView | undefined {
    const open = [...this.#open.values()].map(({ entry }) => entry);
    const others = [...this.#others.values()].filter(({ state }) => !isOver(state));
    const entry = [...open, ...others].find((one) => one.lock === lock);
    return entry === undefined ? undefined : viewOf(entry, null);
  }

  /** The runs, newest first. @param kind only those of this kind */
  async list(kind?: string): Promise<RunView[]> {
    await this.#journal();
    const open = [...this.#open.values()].map((run) => viewOf(run.entry, run.progress));
    const others = [...this.#others.values()].map((entry) => viewOf(entry, null));
    return [...others, ...open]
      .filter((run) => kind === undefined || run.kind === kind)
      .reverse()
      .sort((a, b) => b.started_unix_s - a.started_unix_s);
  }

  /** A run without its result. @throws ApiError not_found */
  async view(id: string): Promise<Omit<WholeRun, 'result'>> {
    await this.#journal();
    const run = this.#open.get(id);
    if (run !== undefined) return { ...viewOf(run.entry, run.progress), detail: run.detail };
    const entry = this.#others.get(id);
    if (entry === undefined) throw new ApiError('not_found', 'Run not found.');
    return { ...viewOf(entry, null), detail: null };
  }

  /** A run of a kind whose results are small: this parses them. @throws ApiError not_found */
  async get(id: string): Promise<WholeRun> {
    const view = await this.view(id);
    if (!isOver(view.state)) return { ...view, result: null };
    return { ...view, result: await this.#results.read(await this.#journal(), id) };
  }

  /**
   * The same as `get`, as JSON, with the result as it is on the disk, however large it is.
   * @throws ApiError not_found
   */
  async json(id: string): Promise<Readable> {
    const view = await this.view(id);
    return wholeRunJson(view, isOver(view.state) ? await this.resultBytes(id) : null);
  }

  /** A result as JSON, in UTF-8; nothing for a run that has none. */
  async resultBytes(id: string): Promise<AsyncIterable<Uint8Array>> {
    return this.#results.bytes(await this.#journal(), id);
  }

  /** The right that it takes to cancel a run. @throws ApiError not_found */
  async kindOf(id: string): Promise<RunKind> {
    const { kind } = await this.view(id);
    const known = this.#kinds.get(kind);
    if (known === undefined) throw new ApiError('not_found', 'Unknown kind of run.');
    return known;
  }

  /**
   * Ends a run, or tries once more to take back one that is stuck; what becomes of it is told later.
   * @throws ApiError not_found for one that is over
   */
  async cancel(id: string): Promise<RunView> {
    await this.#journal();
    const run = this.#open.get(id);
    if (run === undefined)
      throw new ApiError('not_found', 'Run not found, or it has already finished.');
    if (run.entry.state === 'stuck') this.#follow(run, run.takeBack(run.entry.error));
    else run.cut('cancelled');
    return viewOf(run.entry, run.progress);
  }

  /**
   * Waits until a run is over, stuck, or left to the next console.
   * @throws ApiError not_found
   */
  async ended(id: string): Promise<RunView> {
    await this.#acting.get(id);
    return this.view(id);
  }

  /**
   * Goes on with what a former console has left, once that is gone. Never rejects: what cannot be
   * read is logged, and no run is started then.
   */
  async recover(): Promise<void> {
    try {
      await this.#journal();
    } catch (error) {
      if (!this.#ending.signal.aborted) {
        this.options.logger.error({ err: error }, 'the journal of runs cannot be opened');
      }
    }
  }

  /** Ends the work of all runs; the next console goes on with those that are not over. */
  async close(): Promise<void> {
    this.#ending.abort();
    for (const run of this.#open.values()) run.cut('console_ends');
    const giveUp = new AbortController();
    const { signal } = giveUp;
    const all = Promise.allSettled(this.#acting.values());
    await Promise.race([all, delay(CLOSE_MS, undefined, { signal }).catch(() => undefined)]);
    giveUp.abort();
    this.#news.close();
    const journal = await this.#opening?.catch(() => undefined);
    await journal?.close();
  }

  #journal(): Promise<RunJournal> {
    if (this.#opening !== undefined) return this.#opening;
    const opening = this.#openJournal();
    this.#opening = opening;
    // Another try, at the next request: a disk may be back by then.
    opening.catch(() => {
      if (this.#opening === opening) this.#opening = undefined;
    });
    return opening;
  }

  async #openJournal(): Promise<RunJournal> {
    const { audit, stateDir, now, logger } = this.options;
    const isOurs = await audit.turn();
    if (!isOurs || this.#ending.signal.aborted) {
      throw new ApiError('busy', 'The console is shutting down.');
    }
    const carried = (): readonly RunEntry[] => [
      ...[...this.#open.values()].map(({ entry }) => entry),
      ...[...this.#others.values()].filter(({ state }) => !isOver(state)),
    ];
    const journal = await RunJournal.open(stateDir, now, carried);
    const { tornBytes, former } = journal;
    if (tornBytes > 0) logger.info({ tornBytes }, 'the journal of runs ended in half a line');
    for (const entry of former) this.#others.set(entry.id, entry);
    for (const name of this.#kinds.keys()) this.#forgetOldest(name, journal);
    await journal.dropResultsBut(this.#others);
    for (const entry of former) this.#goOn(entry, journal);
    return journal;
  }

  /** A run that a former console has left. */
  #goOn(entry: RunEntry, journal: RunJournal): void {
    if (isOver(entry.state)) return;
    const { id, kind: name, state } = entry;
    const kind = this.#kinds.get(name);
    if (kind === undefined) {
      this.options.logger.error({ id, name }, 'a run is left whose surface is switched off');
      return;
    }
    const isLate = 1000 * (entry.deadline_unix_s ?? Infinity) <= this.options.now();
    const mayResume = kind.resumes && !isLate && (state === 'intent' || state === 'active');
    this.#others.delete(id);
    const run = this.#openRun(entry, kind, journal, true);
    if (!mayResume) kind.abandon?.(entry);
    const error = entry.error ?? { code: 'interrupted', message: 'The console was stopped.' };
    this.#follow(run, mayResume ? run.act() : run.takeBack(error));
  }

  #openRun(entry: RunEntry, kind: RunKind, journal: RunJournal, isResumed: boolean): OpenRun {
    const { now, describe } = this.options;
    const onChange = (changed: OpenRun): void => {
      if (kind.isQuiet !== true) this.#news.changed(changed);
    };
    const run = new OpenRun({ entry, kind, journal, isResumed, now, onChange, describe });
    this.#open.set(entry.id, run);
    return run;
  }

  #follow(run: OpenRun, work: Promise<unknown>): void {
    const following = work
      .then(async (result) => {
        if (run.over !== undefined) await this.#end(run, run.over, result);
        else if (run.entry.state === 'stuck') await this.#recordOutcome(run.entry);
      })
      .catch((error: unknown) => {
        this.options.logger.error({ err: error, id: run.entry.id }, 'a run is left as it is');
      })
      .finally(() => {
        // Another try to take it back may have begun.
        if (this.#acting.get(run.entry.id) === following) this.#acting.delete(run.entry.id);
      });
    this.#acting.set(run.entry.id, following);
  }

  /** Its lock is free when its end is on the disk. */
  async #end(run: OpenRun, entry: RunEntry, result: unknown): Promise<void> {
    const journal = await this.#journal();
    const { id } = entry;
    if (result !== undefined && result !== null) await this.#results.keep(journal, id, result);
    const { retryMs = 5000 } = this.options;
    for (let isLogged = false; ; isLogged = true) {
      try {
        await journal.write(entry);
        break;
      } catch (failure) {
        if (!isLogged) this.options.logger.error({ err: failure, id }, 'a run cannot be ended');
        const { signal } = this.#ending;
        const goesOn = await delay(retryMs, true, { signal, ref: false }).catch(() => false);
        if (!goesOn) return;
      }
    }
    this.#open.delete(id);
    this.#others.set(id, entry);
    this.#forgetOldest(entry.kind, journal);
    if (this.#kinds.get(entry.kind)?.isQuiet !== true) this.#news.over(run, entry);
    await this.#recordOutcome(entry);
  }

  /** Records a run that is over, or stuck: each time that it cannot be taken back. */
  #recordOutcome(entry: RunEntry): Promise<void> {
    const { state, error } = entry;
    const kind = this.#kinds.get(entry.kind);
    const isEnded = state === 'reverted' && error === null && kind?.isTemporary === true;
    const code = error === null ? {} : { code: error.code };
    const details = { state, ...code, ...kind?.outcome?.(entry) };
    return this.#record(entry, state === 'done' || isEnded ? 'ok' : 'failed', details);
  }

  #forgetOldest(name: string, journal: RunJournal): void {
    const kept = this.#kinds.get(name)?.kept ?? Infinity;
    const ended = [...this.#others.values()].filter(
      (entry) => entry.kind === name && isOver(entry.state),
    );
    for (const { id } of ended.slice(0, Math.max(0, ended.length - kept))) {
      this.#others.delete(id);
      journal.dropResult(id).catch(this.options.describe);
    }
  }

  #record(
    { id, kind, target, actor, role, ip, request_id, account }: RunEntry,
    result: AuditEvent['result'],
    details: Readonly<Record<string, string>>,
  ): Promise<void> {
    const by = { actor, role, ip, request_id, ...(account === undefined ? {} : { account }) };
    return this.options.audit.write({
      ...by,
      action: kind,
      target,
      result,
      details: { run: id, ...details },
    });
  }
}
