import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import type { ConsoleOptions } from '../../../config/load.js';
import type { Revert } from './fault.js';
import { withLock } from './plans-lock.js';

/** What reverts need of the configuration: a dead-man has no other. */
export interface PlanTools {
  readonly nodeDriver: ConsoleOptions['nodeDriver'];
  readonly clusterNodes: ConsoleOptions['clusterNodes'];
  readonly nodeRoot: string;
}

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
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    const file = this.fileOf(plan.id);
    const half = `${file}.new`;
    try {
      const handle = await open(half, 'w', 0o600);
      try {
        await handle.writeFile(JSON.stringify(plan));
        await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(half, file);
      await this.#syncFolder();
    } catch (error) {
      await rm(half, { force: true }).catch(() => undefined);
      await rm(file, { force: true }).catch(() => undefined);
      throw error;
    }
  }

  /** @returns undefined where there is none: it was taken back, or never armed */
  async read(id: string): Promise<Plan | undefined> {
    try {
      const plan = JSON.parse(await readFile(this.fileOf(id), 'utf8')) as unknown;
      PLAN.parse(plan);
      return plan as Plan;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }

  async remove(id: string): Promise<void> {
    await rm(this.fileOf(id), { force: true });
    await this.#syncFolder();
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

  async #syncFolder(): Promise<void> {
    const handle = await open(this.folder, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  }
}
