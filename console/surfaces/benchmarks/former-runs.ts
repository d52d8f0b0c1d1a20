import { access, readdir } from 'node:fs/promises';
import path from 'node:path';
import { readJson } from '../../../src/lib/durable-file.js';
import type { BenchmarkResult, BenchmarkRun } from './runs.js';

/** A benchmark as releases before 1.0 kept it: `benchmarks/<id>/run.json` in the folder of the state. */
interface FormerRun extends BenchmarkResult {
  readonly id: string;
  readonly profile: string;
  readonly title: string;
  readonly actor: string;
  readonly state: 'running' | 'done' | 'failed' | 'cancelled' | 'interrupted';
  readonly started_unix_s: number;
  readonly ended_unix_s: number | null;
  readonly error: string | null;
}

const ID = /^[0-9a-f-]{36}$/;

/** @returns what can be read of all of them, the newest first */
export async function formerRuns(folder: string): Promise<BenchmarkRun[]> {
  const names = await readdir(folder).catch(() => []);
  const runs = await Promise.all(names.map((id) => formerRun(folder, id)));
  return runs
    .filter((run) => run !== undefined)
    .sort((a, b) => b.started_unix_s - a.started_unix_s);
}

/** @returns the names of folders without a run: a program has written there */
export async function foldersLeft(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  const isLeft = await Promise.all(
    names.map(async (id) => ID.test(id) && !(await hasFile(path.join(folder, id, 'run.json')))),
  );
  return names.filter((_, at) => isLeft[at]);
}

/** @returns undefined where there is none, or none that can be read */
export async function formerRun(folder: string, id: string): Promise<BenchmarkRun | undefined> {
  if (!ID.test(id)) return undefined;
  const file = path.join(folder, id, 'run.json');
  const run = await readJson<FormerRun>(file).catch(() => undefined);
  return run === undefined ? undefined : asRun(run);
}

function asRun({ error, profile, title, state, rows, lines, lines_total, ...run }: FormerRun) {
  const message = error ?? 'The console stopped before the benchmark finished.';
  const isCut = state === 'running' || state === 'interrupted';
  return {
    id: run.id,
    kind: 'benchmarks.run',
    target: profile,
    lock: null,
    actor: run.actor,
    params: { profile, title },
    evidence: null,
    state: isCut ? 'failed' : state,
    started_unix_s: run.started_unix_s,
    ended_unix_s: run.ended_unix_s ?? run.started_unix_s,
    deadline_unix_s: null,
    error: isCut || error !== null ? { code: 'driver_failed', message } : null,
    progress: null,
    detail: null,
    result: { rows, lines, lines_total },
  } satisfies BenchmarkRun;
}

async function hasFile(file: string): Promise<boolean> {
  try {
    await access(file);
    return true;
  } catch {
    return false;
  }
}
