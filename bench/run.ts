import { randomBytes } from 'node:crypto';
import { openDialect } from './dialects/open.js';
import { Generators } from './load/generators.js';
import { rowNamed } from './rows/table.js';
import type { Row } from './rows/row.js';
import { machine } from './measure/machine.js';
import { RowRun, type Runner } from './measure/row-run.js';
import type { Options } from './options/options.js';
import { RESULTS_SCHEMA, type Results, type RowResult } from './output/results.js';
import type { Progress } from './output/progress.js';
import type { ProfileFolder } from './profile/folder.js';
import { selfTimes } from './profile/self-time.js';
import { TargetError, type Target } from './targets/target.js';

const PROFILE_LINES = 20;

/** A run over targets that are up: buckets, objects, rows in turn, and the cleaning up. */
export class Run {
  readonly #runners: readonly Runner[];
  readonly #generators: Generators;
  readonly #loaded = new Set<string>();
  /** Why a target keeps no versions. */
  readonly #noVersions = new Map<string, string>();

  constructor(
    private readonly options: Options,
    private readonly targets: readonly Target[],
    private readonly profiles: ProfileFolder | undefined,
    private readonly progress: Progress,
  ) {
    const bucket = options.bucket ?? `ringway-bench-${randomBytes(4).toString('hex')}`;
    const { listKeys } = options;
    this.#generators = new Generators(options.workers);
    this.#runners = targets.map((target) => ({
      target,
      settings: { name: target.name, dialect: target.dialect, bucket, listKeys },
    }));
  }

  /** @throws TargetError when a target cannot be used; errors of operations are in the results */
  async results(): Promise<Results> {
    const startedAt = new Date();
    try {
      await this.#createBuckets();
      const rows: RowResult[] = [];
      for (const [done, { row, concurrency }] of this.options.rows.entries()) {
        this.progress.at(done / this.options.rows.length);
        rows.push(...(await this.#row(rowNamed(row), concurrency)));
      }
      const warnings = await this.#purge();
      return this.#document(startedAt, rows, warnings);
    } finally {
      await this.#generators.close();
    }
  }

  /** All before any object is written: targets may have the same store. */
  async #createBuckets(): Promise<void> {
    const needsVersions = this.options.rows.some(({ row }) =>
      rowNamed(row).needs.includes('versions'),
    );
    for (const { target, settings } of this.#runners) {
      this.progress.phase(`${settings.name}: creating buckets`);
      try {
        await this.#generators.createBucket(settings);
      } catch (error) {
        throw new TargetError(`${settings.name}: ${(error as Error).message}`);
      }
      const { features } = openDialect(target.dialect);
      if (!needsVersions || !features.has('versions')) continue;
      const lack = await this.#generators.createVersionedBucket(settings);
      if (lack !== undefined) this.#noVersions.set(settings.name, lack);
    }
  }

  async #row(row: Row, concurrency: number): Promise<RowResult[]> {
    const results: RowResult[] = [];
    const runs: RowRun[] = [];
    for (const runner of this.#runners) {
      const run = new RowRun(row, concurrency, runner, this.#generators);
      const lack = this.#lackOf(runner.target, row);
      if (lack === undefined) runs.push(run);
      else results.push({ ...run.result(), skipped: lack });
    }
    for (const run of runs) await run.guard(() => this.#load(run));
    await this.#slices(runs);
    for (const run of runs) results.push(await this.#finish(run));
    const order = this.targets.map(({ name }) => name);
    results.sort((a, b) => order.indexOf(a.target) - order.indexOf(b.target));
    for (const result of results) this.progress.row(result);
    return results;
  }

  /** Runs in turn, and in reverse order each second time, so that drift affects all rows alike. */
  async #slices(runs: readonly RowRun[]): Promise<void> {
    for (const run of runs) {
      if (run.hasFailed) continue;
      this.progress.phase(`${describe(run)}: warm-up`);
      await run.warmUp(this.options.seconds, this.options.warmUpSecondsMin);
    }
    for (let slice = 0; slice < this.options.slices; slice++) {
      for (const run of slice % 2 === 0 ? runs : runs.toReversed()) {
        if (run.hasFailed) continue;
        this.progress.phase(`${describe(run)}: slice ${slice + 1} of ${this.options.slices}`);
        await run.slice(this.options.seconds);
      }
    }
  }

  /** A profile is taken in a slice that does not count: sampling costs the server time. */
  async #finish(run: RowRun): Promise<RowResult> {
    const { profiles } = this;
    const { profiled = [] } = run.runner.target;
    if (profiles === undefined || profiled.length === 0 || run.hasFailed) return run.result();
    this.progress.phase(`${describe(run)}: profile`);
    profiles.start(profiled);
    const cpuMs = await run.uncounted(this.options.seconds);
    const profile = selfTimes(await profiles.stop(profiled), cpuMs, PROFILE_LINES);
    return { ...run.result(), profile };
  }

  #lackOf(target: Target, row: Row): string | undefined {
    const { features } = openDialect(target.dialect);
    const lacking = row.needs.find((feature) => !features.has(feature));
    if (lacking !== undefined) return `has no ${lacking}`;
    return row.needs.includes('versions') ? this.#noVersions.get(target.name) : undefined;
  }

  async #load({ row, runner: { settings } }: RowRun): Promise<void> {
    for (const fixture of row.fixtures) {
      const name = `${settings.name}/${fixture}`;
      if (this.#loaded.has(name)) continue;
      this.progress.phase(`${settings.name}: writing the objects of ${fixture}`);
      await this.#generators.load(settings, fixture);
      this.#loaded.add(name);
    }
  }

  /** @returns what could not be deleted: no reason to lose the figures */
  async #purge(): Promise<string[]> {
    const warnings: string[] = [];
    for (const { target, settings } of this.#runners) {
      if (!target.keepsData) continue;
      this.progress.phase(`${target.name}: deleting what was stored`);
      try {
        await this.#generators.purge(settings);
      } catch (error) {
        const why = (error as Error).message;
        warnings.push(`${target.name}: bucket ${settings.bucket} is left behind: ${why}`);
      }
    }
    return warnings;
  }

  #document(startedAt: Date, rows: RowResult[], warnings: string[]): Results {
    const { slices, seconds, warmUpSecondsMin, listKeys, workers } = this.options;
    return {
      schema: RESULTS_SCHEMA,
      startedAt: startedAt.toISOString(),
      seconds: (Date.now() - startedAt.getTime()) / 1000,
      machine: machine(),
      settings: {
        slices,
        sliceSeconds: seconds,
        warmUpSecondsMin,
        listKeys,
        generators: workers,
      },
      targets: this.targets.map(({ name, description }) => ({ name, description })),
      rows,
      warnings,
    };
  }
}

function describe({ row, concurrency, runner }: RowRun): string {
  return `${row.name} c=${concurrency} ${runner.target.name}`;
}
