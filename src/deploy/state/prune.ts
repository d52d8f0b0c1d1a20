import { readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { NOTHING_APPLIED, type Applied } from '../plan/make-plan.js';
import { etagOf } from '../spec/canonical.js';
import type { Layout } from './layout.js';

/** Runs and ramps that are kept however old they are, and held in memory: the history shows fewer. */
export const RUNS_KEPT = 128;
export const RAMPS_KEPT = 100;

export interface PruneRequest {
  readonly nowS: number;
  /** Younger files stay. Longer than a plan is valid. */
  readonly keepS: number;
}

/** How many files went, by folder. */
export type Pruned = Readonly<Record<'runs' | 'ramps' | 'plans' | 'specs' | 'blobs', number>>;

/** Entries of the journals, as far as they say what has to stay. */
interface Journal {
  readonly plan_id?: string;
  readonly spec_etag: string;
  readonly ended_unix_s: number | null;
}

/**
 * Deletes what is older than `keepS` and nothing needs: of runs and ramps, those before the latest; of
 * plans, specifications and contents, those that neither a run or ramp that stays, nor what is in force,
 * names. So each entry of the history can be planned again, and its files be read.
 *
 * Only for the thread that plans: a plan may take up an old content, which is new then (see Blobs).
 */
export function pruneState(places: Layout, { nowS, keepS }: PruneRequest): Pruned {
  const isOld = (file: string): boolean => statSync(file).mtimeMs / 1000 < nowS - keepS;
  const removeOld = (files: readonly string[], isNeeded: (name: string) => boolean): number => {
    const doomed = files.filter((file) => !isNeeded(path.basename(file)) && isOld(file));
    for (const file of doomed) rmSync(file, { force: true });
    return doomed.length;
  };

  const runs = journalsOf(places.runs);
  const ramps = journalsOf(places.ramps);
  const latest = new Set([...runs.slice(-RUNS_KEPT), ...ramps.slice(-RAMPS_KEPT)].map(baseName));
  // One that goes on is among the latest, or is young.
  const counts = {
    runs: removeOld(runs, (name) => latest.has(name)),
    ramps: removeOld(ramps, (name) => latest.has(name)),
  };

  const planIds = new Set<string>();
  const specs = new Set<string>();
  for (const file of [...journalsOf(places.runs), ...journalsOf(places.ramps)]) {
    const { plan_id: planId, spec_etag: etag } = readJson(file) as Journal;
    if (planId !== undefined) planIds.add(planId);
    specs.add(`${etag}.json`);
  }
  const applied = inForce(places.applied);
  if (applied.spec !== null) specs.add(`${etagOf(applied.spec)}.json`);
  const { etag = '' } = (readIfThere(places.spec) as { etag: string } | undefined) ?? {};
  specs.add(`${etag}.json`);

  const plans = removeOld(filesIn(places.plans), (name) => planIds.has(name.split('.')[0] ?? ''));
  const hashes = new Set<string>();
  addHashes(hashes, applied);
  for (const file of filesIn(places.plans)) {
    if (file.endsWith('.next.json')) addHashes(hashes, (readJson(file) as { next: Applied }).next);
    else specs.add(`${(readJson(file) as Journal).spec_etag}.json`);
  }
  return {
    ...counts,
    plans,
    specs: removeOld(filesIn(places.specs), (name) => specs.has(name)),
    blobs: foldersIn(places.blobs)
      .map((folder) => removeOld(filesIn(folder), (name) => hashes.has(name)))
      .reduce((sum, count) => sum + count, 0),
  };
}

/** The ids begin with the time: the latest come last. */
function journalsOf(folder: string): string[] {
  return filesIn(folder).filter((file) => file.endsWith('.json'));
}

function filesIn(folder: string): string[] {
  return entriesIn(folder)
    .filter((entry) => entry.isFile())
    .map(({ name }) => path.join(folder, name));
}

function foldersIn(folder: string): string[] {
  return entriesIn(folder)
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => path.join(folder, name));
}

function entriesIn(folder: string) {
  return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
}

function addHashes(hashes: Set<string>, { builders, files }: Applied): void {
  for (const hash of Object.values(builders)) hashes.add(hash);
  for (const own of Object.values(files)) {
    for (const { sha256 } of Object.values(own)) hashes.add(sha256);
  }
}

function inForce(file: string): Applied {
  return (readIfThere(file) as { applied: Applied } | undefined)?.applied ?? NOTHING_APPLIED;
}

function readIfThere(file: string): unknown {
  return statSync(file, { throwIfNoEntry: false }) === undefined ? undefined : readJson(file);
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(file, 'utf8'));
}

const baseName = (file: string): string => path.basename(file);
