import { spawn } from 'node:child_process';
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
const AGAIN_MS = 5000;
const PROGRAM = fileURLToPath(
  new URL('../console/surfaces/lab/net/dead-man-program.js', import.meta.url),
);

export interface FaultWatchOptions {
  /** `state_dir` of the console. */
  readonly stateDir: string;
  readonly log: Pick<Logger, 'error' | 'warn'>;
}

/**
 * Takes back the Lab's faults whose time is over, when neither the console nor a dead-man has: all of
 * them may have been killed, and another console takes its time to start. It is done by a process of
 * its own, which goes on without the supervisor.
 */
export class FaultWatch {
  readonly #plans: Plans;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(private readonly options: FaultWatchOptions) {
    this.#plans = new Plans(path.join(options.stateDir, 'lab', 'net'));
  }

  start(): void {
    this.#lookLater(INTERVAL_MS);
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #lookLater(ms: number): void {
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => {
      void this.#look();
    }, ms).unref();
  }

  async #look(): Promise<void> {
    try {
      for (const id of await this.#plans.ids()) {
        const plan = await this.#plans.read(id);
        if (plan === undefined || Date.now() / 1000 < plan.deadline_unix_s + LATE_S) continue;
        this.options.log.warn({ id, target: plan.target }, 'the supervisor takes a fault back');
        // It tells its end: the next look is not to start a second one beside it.
        this.#takeBack(this.#plans.fileOf(id));
        return;
      }
    } catch (error) {
      this.options.log.error({ err: error }, 'a plan of a fault cannot be read');
      this.#lookLater(AGAIN_MS);
      return;
    }
    this.#lookLater(INTERVAL_MS);
  }

  #takeBack(planFile: string): void {
    const child = spawn(process.execPath, [PROGRAM, planFile, 'supervisor'], {
      cwd: '/',
      detached: true,
      env: NODE_ENVIRONMENT,
      stdio: 'ignore',
    });
    child.once('error', (error) => {
      this.options.log.error({ err: error }, 'a fault cannot be taken back');
      this.#lookLater(AGAIN_MS);
    });
    child.once('exit', (code) => {
      this.#lookLater(code === 0 ? INTERVAL_MS : AGAIN_MS);
    });
    child.unref();
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
