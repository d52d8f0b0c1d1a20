import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Logger } from '../../../../src/telemetry/logger.js';
import { ApiError } from '../../../server/api-error.js';
import type { LabCompute } from '../compute/compute.js';
import type { GenomeOptions, GenomeProgress, GenomeResult } from './search.js';

/** A search as all operators see it. */
export interface GenomeRun {
  readonly id: string;
  readonly ring: string;
  /** The MD5 of the ring that was searched: the ring may be another one by now. */
  readonly ring_md5: string;
  readonly actor: string;
  readonly state: 'running' | 'done' | 'failed' | 'cancelled';
  readonly started_unix_s: number;
  readonly ended_unix_s: number | null;
  readonly options: GenomeOptions;
  readonly progress: GenomeProgress | null;
  readonly result: GenomeResult | null;
  readonly error: string | null;
}

/** A run in a list: without its results. */
export type GenomeRunRow = Omit<GenomeRun, 'result' | 'progress'>;

interface Running {
  view: GenomeRun;
  readonly abort: AbortController;
}

export interface GenomeRunsOptions {
  readonly stateDir: string;
  readonly compute: LabCompute;
  readonly now: () => number;
  readonly logger: Pick<Logger, 'error'>;
}

/** Results that are kept on the disk. */
const KEPT_MAX = 20;
const FILE = /^([0-9a-f-]{36})\.json$/;

/**
 * Searches for weights: one at a time, their results kept as files. A search that is running when
 * the console ends is lost, which changes nothing: it only computes.
 */
export class GenomeRuns {
  readonly #folder: string;
  #running: Running | undefined;
  /** The latest run while its file is not there. */
  #unkept: GenomeRun | undefined;

  constructor(private readonly options: GenomeRunsOptions) {
    this.#folder = path.join(options.stateDir, 'lab', 'genome');
  }

  /** @throws ApiError conflict while another search runs */
  start(
    ring: { readonly name: string; readonly file: string; readonly md5: string },
    genome: GenomeOptions,
    actor: string,
  ): GenomeRun {
    if (this.#running !== undefined) {
      throw new ApiError('conflict', 'Another search is running.', {
        id: this.#running.view.id,
        actor: this.#running.view.actor,
      });
    }
    const running: Running = {
      abort: new AbortController(),
      view: {
        id: randomUUID(),
        ring: ring.name,
        ring_md5: ring.md5,
        actor,
        state: 'running',
        started_unix_s: this.#nowS(),
        ended_unix_s: null,
        options: genome,
        progress: null,
        result: null,
        error: null,
      },
    };
    this.#running = running;
    void this.#run(running, ring.file, genome);
    return running.view;
  }

  /** The runs, the newest first. */
  async list(): Promise<GenomeRunRow[]> {
    const kept = await Promise.all((await this.#ids()).map((id) => this.#read(id)));
    const all = [...kept, this.#unkept, this.#running?.view].filter((run) => run !== undefined);
    // A file may be there already of what has just ended.
    const runs = [...new Map(all.map((run) => [run.id, run])).values()];
    return runs.sort((a, b) => b.started_unix_s - a.started_unix_s).map(rowOf);
  }

  /** @throws ApiError not_found */
  async get(id: string): Promise<GenomeRun> {
    const here = [this.#running?.view, this.#unkept].find((one) => one?.id === id);
    if (here !== undefined) return here;
    const run = (await this.#ids()).includes(id) ? await this.#read(id) : undefined;
    if (run === undefined) throw new ApiError('not_found', 'There is no such search.');
    return run;
  }

  /** @throws ApiError not_found for a search that is not running */
  cancel(id: string): void {
    if (this.#running?.view.id !== id) {
      throw new ApiError('not_found', 'There is no such search that is running.');
    }
    this.#running.abort.abort();
  }

  async #run(running: Running, file: string, genome: GenomeOptions): Promise<void> {
    const { compute, logger } = this.options;
    const { signal } = running.abort;
    const onProgress = (progress: GenomeProgress): void => {
      running.view = { ...running.view, progress };
    };
    const end = (change: Partial<GenomeRun>): void => {
      running.view = { ...running.view, ...change, ended_unix_s: this.#nowS() };
    };
    try {
      const result = await compute.search(file, genome, onProgress, signal);
      end({ state: 'done', result });
    } catch (error) {
      if (signal.aborted) end({ state: 'cancelled' });
      else
        end({ state: 'failed', error: error instanceof ApiError ? error.message : 'It failed.' });
    }
    // Where it cannot be written, it stays as the latest run until the next one ends.
    const ended = running.view;
    this.#unkept = ended;
    this.#running = undefined;
    try {
      await this.#keep(ended);
      if (this.#unkept === ended) this.#unkept = undefined;
    } catch (error) {
      logger.error({ err: error, id: ended.id }, 'the result of a search cannot be written');
    }
  }

  async #keep(run: GenomeRun): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const file = path.join(this.#folder, `${run.id}.json`);
    await writeFile(`${file}.new`, JSON.stringify(run), { mode: 0o600 });
    await rename(`${file}.new`, file);
    const kept = await Promise.all((await this.#ids()).map((id) => this.#read(id)));
    const oldest = kept
      .filter((one) => one !== undefined)
      .sort((a, b) => b.started_unix_s - a.started_unix_s)
      .slice(KEPT_MAX);
    for (const { id } of oldest) await rm(path.join(this.#folder, `${id}.json`), { force: true });
  }

  async #ids(): Promise<string[]> {
    const files = await readdir(this.#folder).catch(() => []);
    return files.flatMap((file) => FILE.exec(file)?.[1] ?? []);
  }

  /** @returns undefined for a file that is none of ours any more */
  async #read(id: string): Promise<GenomeRun | undefined> {
    try {
      const text = await readFile(path.join(this.#folder, `${id}.json`), 'utf8');
      return JSON.parse(text) as GenomeRun;
    } catch {
      return undefined;
    }
  }

  #nowS(): number {
    return Math.floor(this.options.now() / 1000);
  }
}

function rowOf(run: GenomeRun): GenomeRunRow {
  const { id, ring, ring_md5, actor, state, started_unix_s, ended_unix_s, options, error } = run;
  return { id, ring, ring_md5, actor, state, started_unix_s, ended_unix_s, options, error };
}
