import { spawn } from 'node:child_process';
import { uptime } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { deriveConsole } from '../console/config/derive.js';
import { NODE_ENVIRONMENT } from '../console/nodes/shell.js';
import { Plans } from '../console/surfaces/lab/net/plans.js';
import type { Logger } from '../src/telemetry/logger.js';
import type { GenerationOptions } from './generation.js';

/** After the deadline of a fault: the console and its dead-men had their chance. */
const LATE_S = 5;
const INTERVAL_MS = 1000;
/** Before what could not be taken back is tried again. */
const AGAIN_S = 5;
const PROGRAM = fileURLToPath(
  new URL('../console/surfaces/lab/net/dead-man-program.js', import.meta.url),
);

export interface FaultWatchOptions {
  /** `state_dir` of the console. */
  readonly stateDir: string;
  readonly log: Pick<Logger, 'error' | 'warn'>;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/**
 * Takes back the Lab's faults whose time is over, when neither the console nor a dead-man has: all of
 * them may have been killed, and another console takes its time to start. It is done by a process of
 * its own, which goes on without the supervisor.
 */
export class FaultWatch {
  readonly #plans: Plans;
  /** When each plan is looked at next, in seconds since the machine was started. */
  readonly #nextS = new Map<string, number>();
  readonly #unreadable = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(private readonly options: FaultWatchOptions) {
    this.#plans = new Plans(path.join(options.stateDir, 'lab', 'net'));
  }

  start(): void {
    this.#lookLater();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #lookLater(): void {
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => {
      void this.#look();
    }, INTERVAL_MS).unref();
  }

  async #look(): Promise<void> {
    const ids = await this.#plans.ids();
    for (const id of this.#nextS.keys()) if (!ids.includes(id)) this.#nextS.delete(id);
    for (const id of ids) if (!this.#nextS.has(id)) await this.#read(id);
    const late = [...this.#nextS].filter(([, nextS]) => uptime() >= nextS);
    // One that cannot be taken back keeps no other waiting.
    const [next] = late.toSorted(([, a], [, b]) => a - b);
    const isSpawned = next !== undefined && !this.#isClosed && (await this.#takeBack(next[0]));
    // A process tells its end: the next look is not to start a second one beside it.
    if (!isSpawned) this.#lookLater();
  }

  /**
   * Sets when a plan is late, at its first sight: the clock may be set while its fault is held, and a
   * fault that is in order is not taken back for that.
   */
  async #read(id: string): Promise<void> {
    const { log, now = Date.now } = this.options;
    try {
      const plan = await this.#plans.read(id);
      this.#unreadable.delete(id);
      if (plan === undefined) return;
      this.#nextS.set(id, uptime() + plan.deadline_unix_s + LATE_S - now() / 1000);
    } catch (error) {
      if (!this.#unreadable.has(id)) {
        log.error({ err: error, id }, 'a plan of a fault cannot be read');
      }
      this.#unreadable.add(id);
    }
  }

  /** @returns false where nothing was started */
  async #takeBack(id: string): Promise<boolean> {
    const { log } = this.options;
    this.#nextS.set(id, uptime() + AGAIN_S);
    try {
      const plan = await this.#plans.read(id);
      if (plan === undefined) return false;
      log.warn({ id, target: plan.target }, 'the supervisor takes a fault back');
      const child = spawn(process.execPath, [PROGRAM, this.#plans.fileOf(id), 'supervisor'], {
        cwd: '/',
        detached: true,
        env: NODE_ENVIRONMENT,
        stdio: 'ignore',
      });
      child.once('error', (error) => {
        log.error({ err: error, id }, 'a fault cannot be taken back');
        this.#lookLater();
      });
      child.once('exit', () => {
        this.#lookLater();
      });
      child.unref();
      return true;
    } catch (error) {
      log.error({ err: error, id }, 'a fault cannot be taken back');
      return false;
    }
  }
}

/** The watch over the console of a generation; undefined where there is none. */
export function faultWatchOf({
  options,
  credentials,
  consoleConfig,
  log,
}: GenerationOptions): FaultWatch | undefined {
  if (options.consoleListen === '') return undefined;
  const derived = deriveConsole(options, credentials, consoleConfig);
  if ('absent' in derived) return undefined;
  return new FaultWatch({ stateDir: derived.options.stateDir, log });
}
