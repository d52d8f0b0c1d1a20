import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { PROFILE_SIGNAL, PROFILES_VARIABLE } from './constants.js';

const POLL_MS = 20;
const WAIT_MS_MAX = 30_000;

/**
 * The folder for the samples of profiled listeners. A module that Node loads before the listener's
 * own program starts and stops sampling at a signal: see preload.ts.
 */
export class ProfileFolder {
  constructor(readonly path: string) {
    mkdirSync(path, { recursive: true });
  }

  /**
   * Environment for the service: every process loads the module, but only listeners react to the
   * signal.
   */
  get environment(): Record<string, string> {
    const preload = new URL('./preload.js', import.meta.url).href;
    return { NODE_OPTIONS: `--import=${preload}`, [PROFILES_VARIABLE]: this.path };
  }

  start(pids: readonly number[]): void {
    for (const pid of pids) process.kill(pid, PROFILE_SIGNAL);
  }

  /**
   * Ends what `start` began.
   * @returns a profile of each process, as V8 writes them
   */
  async stop(pids: readonly number[]): Promise<readonly string[]> {
    const before = new Set(readdirSync(this.path));
    for (const pid of pids) process.kill(pid, PROFILE_SIGNAL);
    return Promise.all(pids.map((pid) => this.#await(pid, before)));
  }

  async #await(pid: number, before: ReadonlySet<string>): Promise<string> {
    const giveUpAt = Date.now() + WAIT_MS_MAX;
    while (Date.now() < giveUpAt) {
      const found = readdirSync(this.path).find(
        (name) => name.startsWith(`${pid}-`) && name.endsWith('.cpuprofile') && !before.has(name),
      );
      if (found !== undefined && existsSync(join(this.path, found))) {
        return readFileSync(join(this.path, found), 'utf8');
      }
      await delay(POLL_MS);
    }
    throw new Error(`process ${pid} wrote no profile`);
  }
}
