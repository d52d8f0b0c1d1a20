import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import {
  makeFolder,
  readJson,
  removeDurably,
  writeDurably,
} from '../../../../src/lib/durable-file.js';
import type { ConsoleOptions } from '../../../config/load.js';
import type { Revert } from './fault.js';
import { withLock } from './plans-lock.js';

/** The part of the configuration that reverts need: a dead-man has no other. */
export type PlanTools = Pick<ConsoleOptions, 'nodeDriver' | 'clusterNodes' | 'nodeRoot'>;

/** How to take a fault back: it is on the disk for as long as something may be broken. */
export interface Plan {
  readonly v: 1;
  readonly id: string;
  readonly kind: string;
  readonly target: string;
  readonly actor: string;
  readonly deadline_unix_s: number;
  readonly reverts: readonly Revert[];
  readonly tools: PlanTools;
}

const PLAN = z.object({ v: z.literal(1), id: z.uuid(), reverts: z.array(z.unknown()) });
const SUFFIX = '.plan.json';

/** The plans of faults that are not taken back, in `state_dir/lab/net`. */
export class Plans {
  constructor(readonly folder: string) {}

  fileOf(id: string): string {
    return path.join(this.folder, `${id}${SUFFIX}`);
  }

  /** Resolves when it is on the disk. @throws system errors; then there is no plan */
  async write(plan: Plan): Promise<void> {
    await makeFolder(this.folder);
    const file = this.fileOf(plan.id);
    try {
      await writeDurably(file, JSON.stringify(plan));
    } catch (error) {
      // The plan may be in place, where only its folder could not be synced.
      await rm(file, { force: true }).catch(() => undefined);
      throw error;
    }
  }

  /** @returns undefined where there is none: it was taken back, or never armed */
  async read(id: string): Promise<Plan | undefined> {
    const plan = await readJson<unknown>(this.fileOf(id));
    if (plan === undefined) return undefined;
    PLAN.parse(plan);
    return plan as Plan;
  }

  remove(id: string): Promise<void> {
    return removeDurably(this.fileOf(id));
  }

  /** The ids of all plans. */
  async ids(): Promise<string[]> {
    const names = await readdir(this.folder).catch(() => []);
    return names
      .filter((name) => name.endsWith(SUFFIX))
      .map((name) => name.slice(0, -SUFFIX.length));
  }

  /**
   * One process at a time takes back, and writes the journal.
   * @param work - is told which process has ended with the lock, before it was done
   */
  locked<T>(work: (lostBy: number | undefined) => Promise<T>): Promise<T> {
    return withLock(path.join(this.folder, 'lock'), work);
  }
}
