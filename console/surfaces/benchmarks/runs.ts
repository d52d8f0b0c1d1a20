import { rm } from 'node:fs/promises';
import path from 'node:path';
import { makeFolder } from '../../../src/lib/durable-file.js';
import type { Logger } from '../../../src/telemetry/logger.js';
import type { ConsoleOptions } from '../../config/load.js';
import type { ProcessMark } from '../../nodes/processes.js';
import { ApiError } from '../../server/api-error.js';
import { checkProgram } from '../../server/helper-program.js';
import { RunCollection } from '../../server/runs/run-collection.js';
import { UnsuccessfulRun } from '../../server/runs/run-result.js';
import type { RunActor, RunControl, RunKind, RunView, WholeRun } from '../../server/runs/run.js';
import type { Runs } from '../../server/runs/runs.js';
import type { SurfaceService } from '../../server/surface.js';
import { foldersLeft, formerRun, formerRuns } from './former-runs.js';
import { Profiles, type BenchmarkProfile } from './profiles.js';
import { readResult, RESULT_FILE, type BenchmarkRow } from './results.js';
import { killLeftOver, Runner } from './runner.js';

export type BenchmarkParams = Readonly<{
  /** The name of the profile. */
  profile: string;
  title: string;
}>;

/** The lines that a program has printed. */
export interface BenchmarkOutput {
  /** The last of them. */
  readonly lines: readonly string[];
  /** The number of all of them. */
  readonly lines_total: number;
}

/** A benchmark that is over, also one that has failed or was cancelled. */
export interface BenchmarkResult extends BenchmarkOutput {
  readonly rows: readonly BenchmarkRow[];
}

/** A benchmark in a list: with the rows that it is compared by. */
export interface BenchmarkRunRow extends RunView<BenchmarkParams> {
  readonly rows: readonly BenchmarkRow[];
}

export type BenchmarkRun = WholeRun<BenchmarkParams, BenchmarkResult, BenchmarkOutput>;

type Started = BenchmarkProfile & { readonly file: string };

/** The values that stand in no journal: the environment has secrets. */
interface Means {
  readonly file: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** On the disk as soon as the program runs: the next console ends what a killed one has left. */
type Evidence = Readonly<{ process: ProcessMark | undefined }>;

const KIND = 'benchmarks.run';
const LIMIT_S = 30 * 60;
const LINES_MAX = 1000;

/** Benchmarks: one at a time, by the program of the configuration; the last 50 are kept. */
export class BenchmarkRuns
  extends RunCollection<BenchmarkParams, BenchmarkResult, BenchmarkOutput>
  implements SurfaceService
{
  readonly profiles: Profiles;
  readonly #program: string;
  readonly #folder: string;

  constructor(
    runs: Runs,
    options: Pick<ConsoleOptions, 'benchmarkBin' | 'benchmarkHome' | 'stateDir'>,
    private readonly logger: Pick<Logger, 'error'>,
  ) {
    super(runs, KIND, 'Benchmark');
    this.profiles = new Profiles(options.benchmarkHome);
    this.#program = options.benchmarkBin;
    this.#folder = path.join(options.stateDir, 'benchmarks');
    const kind: RunKind<BenchmarkParams, BenchmarkResult, Means> = {
      name: KIND,
      access: 'operate',
      kept: 50,
      resumes: false,
      run: (control) => this.#run(control),
      abandon: ({ evidence }) => {
        const left = evidence as Evidence | null;
        if (left?.process !== undefined) killLeftOver(left.process);
      },
    };
    runs.register(kind);
  }

  /** Removes what the programs of a killed console have written. Never rejects: it may do so later. */
  async begin(turn: () => Promise<boolean>): Promise<void> {
    try {
      if (await turn()) await this.#removeLeft();
    } catch (error) {
      this.logger.error({ err: error }, 'files of an unfinished benchmark are left');
    }
  }

  async #removeLeft(): Promise<void> {
    const left = await foldersLeft(this.#folder);
    const all = await this.list();
    const own = new Set(all.filter((run) => run.ended_unix_s === null).map(({ id }) => id));
    for (const id of left.filter((one) => !own.has(one))) {
      await rm(path.join(this.#folder, id), { recursive: true, force: true });
    }
  }

  /**
   * @param environment for the program: never in its arguments, which all users of the host see
   * @throws ApiError locked while another one runs; unsupported_here for a program that may not run
   */
  async start(
    { name: profile, title, file }: Started,
    environment: Readonly<Record<string, string>>,
    by: RunActor,
  ): Promise<RunView<BenchmarkParams>> {
    await checkProgram(this.#program);
    const params: BenchmarkParams = { profile, title };
    const means: Means = { file, environment };
    const request = { params, means, target: profile, lock: KIND, ttlS: LIMIT_S };
    return this.runs.start(KIND, request, by);
  }

  /** With their results, the newest first. */
  async rows(): Promise<BenchmarkRunRow[]> {
    const runs = await Promise.all(
      (await this.list()).map(async (run) => {
        const result = run.ended_unix_s === null ? null : await this.#resultOf(run.id);
        return { ...run, rows: result?.rows ?? [] };
      }),
    );
    const former = await formerRuns(this.#folder);
    return [...runs, ...former.map(({ result, ...run }) => ({ ...run, rows: result?.rows ?? [] }))];
  }

  /** @returns null for one that was let go meanwhile, too: another has ended */
  async #resultOf(id: string): Promise<BenchmarkResult | null> {
    try {
      return (await this.get(id)).result;
    } catch (error) {
      if (error instanceof ApiError && error.code === 'not_found') return null;
      throw error;
    }
  }

  /** A benchmark that a release before 1.0 has kept. */
  former(id: string): Promise<BenchmarkRun | undefined> {
    return formerRun(this.#folder, id);
  }

  async #run({ id, means, signal, progress, note }: RunControl<BenchmarkParams, Means>) {
    if (means === undefined) throw new Error('a benchmark does not go on in another console');
    const lines: string[] = [];
    let total = 0;
    const onLine = (line: string): void => {
      lines.push(line);
      if (lines.length > LINES_MAX) lines.shift();
      total += 1;
      progress(total, null, { lines, lines_total: total } satisfies BenchmarkOutput);
    };
    const out = path.join(this.#folder, id);
    await makeFolder(out);
    try {
      signal.throwIfAborted();
      const args = ['--profile', means.file, '--out', out];
      const { environment } = means;
      const runner = new Runner({ program: this.#program, args, environment, onLine });
      const error = await endOf(runner, signal, note);
      const rows = await readResult(path.join(out, RESULT_FILE));
      const result: BenchmarkResult = { rows: rows ?? [], lines, lines_total: total };
      const why = error ?? (rows === undefined ? failure('produced no results') : undefined);
      if (why !== undefined) throw new UnsuccessfulRun(result, why);
      return result;
    } finally {
      await rm(out, { recursive: true, force: true });
    }
  }
}

/** @returns why it has not succeeded */
async function endOf(
  runner: Runner,
  signal: AbortSignal,
  note: (evidence: Evidence) => Promise<void>,
): Promise<unknown> {
  let stopping: Promise<void> | undefined;
  const stop = (): void => {
    stopping ??= runner.stop();
  };
  signal.addEventListener('abort', stop);
  try {
    await note({ process: runner.mark });
    if (signal.aborted) stop();
    const { code, failed } = await runner.ended;
    if (signal.aborted) return signal.reason;
    if (failed) return new ApiError('driver_failed', 'Could not start the benchmark program.');
    if (code === null) return failure('was killed');
    return code === 0 ? undefined : failure(`exited with code ${code}`);
  } catch (error) {
    stop();
    return error;
  } finally {
    signal.removeEventListener('abort', stop);
    await stopping;
  }
}

function failure(text: string): ApiError {
  return new ApiError('driver_failed', `The benchmark program ${text}.`);
}
