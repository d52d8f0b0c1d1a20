import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { makeFolder, writeDurably } from '../../../src/lib/durable-file.js';
import type { Logger } from '../../../src/telemetry/logger.js';
import type { ConsoleOptions } from '../../config/load.js';
import { ApiError } from '../../server/api-error.js';
import type { ProcessMark } from '../../nodes/processes.js';
import type { Events } from '../../server/events.js';
import type { SurfaceService } from '../../server/surface.js';
import { checkProgram } from '../../server/helper-program.js';
import { Profiles, type BenchmarkProfile } from './profiles.js';
import { readResult, RESULT_FILE, type BenchmarkRow } from './results.js';
import { killLeftOver, Runner } from './runner.js';

/** A run as all operators see it. */
export interface BenchmarkRun {
  readonly id: string;
  readonly profile: string;
  readonly title: string;
  readonly actor: string;
  /** `interrupted`: the console ended before it. */
  readonly state: 'running' | 'done' | 'failed' | 'cancelled' | 'interrupted';
  readonly started_unix_s: number;
  readonly ended_unix_s: number | null;
  /** Why it failed, for people. */
  readonly error: string | null;
  readonly rows: readonly BenchmarkRow[];
  /** The last lines that it printed. */
  readonly lines: readonly string[];
  /** All lines that it printed. */
  readonly lines_total: number;
}

/** A run in a list. */
export type BenchmarkRunRow = Omit<BenchmarkRun, 'lines'>;

/** A run as it is on the disk. */
interface KeptRun extends BenchmarkRun {
  readonly process?: ProcessMark | undefined;
}

/** The event of topic `benchmarks`: pages ask for what is new. */
export interface BenchmarkNews {
  readonly id: string;
  readonly state: BenchmarkRun['state'];
  readonly lines_total: number;
}

export interface BenchmarkRunsOptions {
  readonly options: Pick<ConsoleOptions, 'benchmarkBin' | 'benchmarkHome' | 'stateDir'>;
  readonly events: Pick<Events, 'publish'>;
  readonly now: () => number;
  readonly logger: Pick<Logger, 'error'>;
}

interface Running {
  view: BenchmarkRun;
  readonly runner: Runner;
  readonly lines: string[];
  why: { readonly state: BenchmarkRun['state']; readonly error: string | null } | undefined;
}

const LIMIT_MS = 30 * 60_000;
const LINES_MAX = 1000;
const KEPT_MAX = 50;
const NEWS_EVERY_MS = 250;
const ID = /^[0-9a-f-]{36}$/;

/** Benchmarks: one at a time, by the program of the configuration; the last 50 are kept. */
export class BenchmarkRuns implements SurfaceService {
  readonly profiles: Profiles;
  readonly #folder: string;
  #running: Running | undefined;
  #settled: Promise<void> = Promise.resolve();
  /** Set while a run is prepared, so that two requests at once do not start two. */
  #isStarting = false;
  #isClosed = false;
  /** Runs that this process has started: no former console has left them. */
  readonly #own = new Set<string>();
  #newsAtMs = 0;

  constructor(private readonly given: BenchmarkRunsOptions) {
    this.profiles = new Profiles(given.options.benchmarkHome);
    this.#folder = path.join(given.options.stateDir, 'benchmarks');
  }

  /** One that a former process has started is that process's to end. */
  async begin(turn: () => Promise<boolean>): Promise<void> {
    try {
      if (await turn()) await this.recover();
    } catch (error) {
      this.given.logger.error({ err: error }, 'an unfinished benchmark is left');
    }
  }

  /**
   * Ends what a former console has left running, and says so; what cannot be written is logged. To
   * call once that console is gone: it ends its run by itself.
   */
  async recover(): Promise<void> {
    for (const run of await this.#kept()) {
      if (run.state !== 'running' || this.#own.has(run.id)) continue;
      if (run.process !== undefined) killLeftOver(run.process);
      const ended = {
        ...run,
        state: 'interrupted',
        ended_unix_s: this.#nowS(),
        error: 'The console stopped before the benchmark finished.',
      } as const;
      try {
        await this.#keep(ended);
      } catch (error) {
        this.given.logger.error({ err: error, id: run.id }, 'a benchmark cannot be kept');
      }
    }
  }

  /**
   * @param environment for the runner: never in its arguments, which all users of the host see
   * @throws ApiError conflict while another one runs; unsupported_here for a program that may not run
   */
  async start(
    profile: BenchmarkProfile & { readonly file: string },
    actor: string,
    environment: Readonly<Record<string, string>>,
  ): Promise<BenchmarkRun> {
    if (this.#running !== undefined || this.#isStarting) {
      throw new ApiError('conflict', 'Another benchmark is running.', {
        actor: this.#running?.view.actor,
      });
    }
    this.#isStarting = true;
    try {
      const { benchmarkBin: program } = this.given.options;
      await checkProgram(program);
      const id = randomUUID();
      const out = path.join(this.#folder, id);
      await mkdir(out, { recursive: true, mode: 0o700 });
      const args = ['--profile', profile.file, '--out', out];
      const view: BenchmarkRun = {
        ...{ id, profile: profile.name, title: profile.title, actor },
        ...{ state: 'running', started_unix_s: this.#nowS(), ended_unix_s: null, error: null },
        ...{ rows: [], lines: [], lines_total: 0 },
      };
      const lines: string[] = [];
      const onLine = (line: string): void => {
        this.#onLine(line);
      };
      // The console may have ended since the request came: nothing would stop the program then.
      if (this.#isClosed) throw new ApiError('busy', 'The console is shutting down.');
      this.#own.add(id);
      const runner = new Runner({ program, args, environment, onLine });
      const running: Running = { view, runner, lines, why: undefined };
      this.#running = running;
      this.#settled = this.#follow(running);
      return view;
    } finally {
      this.#isStarting = false;
    }
  }

  /** The runs, the newest first. */
  async list(): Promise<BenchmarkRunRow[]> {
    const runs = new Map((await this.#kept()).map((run) => [run.id, run as BenchmarkRun]));
    if (this.#running !== undefined) runs.set(this.#running.view.id, this.#running.view);
    return [...runs.values()].sort((a, b) => b.started_unix_s - a.started_unix_s).map(rowOf);
  }

  /** @throws ApiError not_found */
  async get(id: string): Promise<BenchmarkRun> {
    const running = this.#running;
    if (running?.view.id === id) return { ...running.view, lines: [...running.lines] };
    const run = ID.test(id) ? await this.#read(id) : undefined;
    if (run === undefined) throw new ApiError('not_found', 'Benchmark not found.');
    return { ...rowOf(run), lines: run.lines };
  }

  /** Ends the run, and waits for it. @throws ApiError not_found for one that is not running */
  async cancel(id: string): Promise<void> {
    const running = this.#running;
    if (running?.view.id !== id) {
      throw new ApiError('not_found', 'This benchmark is not running.');
    }
    running.why ??= { state: 'cancelled', error: null };
    await running.runner.stop();
    await this.#settled;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const running = this.#running;
    if (running !== undefined) {
      running.why ??= {
        state: 'interrupted',
        error: 'The console stopped before the benchmark finished.',
      };
      await running.runner.stop();
    }
    await this.#settled;
  }

  async #follow(running: Running): Promise<void> {
    const { runner, view } = running;
    const timer = setTimeout(() => {
      running.why ??= { state: 'failed', error: 'It took longer than 30 minutes.' };
      void runner.stop();
    }, LIMIT_MS);
    try {
      await this.#keep({ ...view, process: runner.mark });
      this.#tell(running, true);
    } catch (error) {
      this.given.logger.error({ err: error }, 'a benchmark cannot be written down');
      running.why ??= { state: 'failed', error: 'It cannot be written down.' };
      await runner.stop();
    }
    const { code, failed } = await runner.ended;
    clearTimeout(timer);
    const rows = await readResult(path.join(this.#folder, view.id, RESULT_FILE));
    const { state, error } = running.why ?? endOf(code, failed, rows);
    const ended = {
      ...running.view,
      ...{ state, error, ended_unix_s: this.#nowS(), rows: rows ?? [], lines: running.lines },
    };
    try {
      await this.#keep(ended);
      await this.#forgetOldest();
    } catch (problem) {
      this.given.logger.error({ err: problem, id: view.id }, 'a benchmark cannot be kept');
    }
    this.#running = undefined;
    running.view = ended;
    this.#tell(running, true);
  }

  #onLine(line: string): void {
    const running = this.#running;
    if (running === undefined) return;
    running.lines.push(line);
    if (running.lines.length > LINES_MAX) running.lines.shift();
    running.view = { ...running.view, lines_total: running.view.lines_total + 1 };
    this.#tell(running, false);
  }

  /** A program that prints much is told of four times a second. */
  #tell({ view: { id, state, lines_total } }: Running, always: boolean): void {
    const nowMs = performance.now();
    if (!always && nowMs - this.#newsAtMs < NEWS_EVERY_MS) return;
    this.#newsAtMs = nowMs;
    this.given.events.publish('benchmarks', { id, state, lines_total } satisfies BenchmarkNews);
  }

  async #keep(run: KeptRun): Promise<void> {
    await makeFolder(path.join(this.#folder, run.id));
    await writeDurably(path.join(this.#folder, run.id, 'run.json'), JSON.stringify(run));
  }

  async #forgetOldest(): Promise<void> {
    const runs = (await this.#kept()).sort((a, b) => b.started_unix_s - a.started_unix_s);
    for (const { id } of runs.slice(KEPT_MAX)) {
      await rm(path.join(this.#folder, id), { recursive: true, force: true });
    }
  }

  async #kept(): Promise<KeptRun[]> {
    const names = await readdir(this.#folder).catch(() => []);
    const runs = await Promise.all(
      names.filter((name) => ID.test(name)).map((id) => this.#read(id)),
    );
    return runs.filter((run) => run !== undefined);
  }

  async #read(id: string): Promise<KeptRun | undefined> {
    try {
      return JSON.parse(await readFile(path.join(this.#folder, id, 'run.json'), 'utf8')) as KeptRun;
    } catch {
      return undefined;
    }
  }

  #nowS(): number {
    return Math.floor(this.given.now() / 1000);
  }
}

function endOf(code: number | null, failed: boolean, rows: readonly BenchmarkRow[] | undefined) {
  if (failed) return { state: 'failed', error: 'Could not start the benchmark program.' } as const;
  if (code !== 0) {
    const error =
      code === null
        ? 'The benchmark program was killed.'
        : `The benchmark program exited with code ${code}.`;
    return { state: 'failed', error } as const;
  }
  if (rows === undefined) {
    return { state: 'failed', error: 'The benchmark program produced no results.' } as const;
  }
  return { state: 'done', error: null } as const;
}

function rowOf(run: BenchmarkRun): BenchmarkRunRow {
  const { id, profile, title, actor, state, started_unix_s, ended_unix_s, error, rows } = run;
  const { lines_total } = run;
  return {
    ...{ id, profile, title, actor, state, started_unix_s, ended_unix_s, error },
    ...{ rows, lines_total },
  };
}
