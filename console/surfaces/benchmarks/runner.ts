import { spawn } from 'node:child_process';
import process from 'node:process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { isAlive, markOf, type ProcessMark } from '../../nodes/processes.js';
import { HELPER_ENVIRONMENT } from '../../server/helper-program.js';

export interface RunnerStart {
  readonly program: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly onLine: (line: string) => void;
  /** How long it may take to end when it is asked to. */
  readonly graceMs?: number;
}

/** How a runner ended. */
export interface RunnerEnd {
  readonly code: number | null;
  /** It never ran. */
  readonly failed: boolean;
}

const LINE_LENGTH_MAX = 500;
/** Less than what the console has to end in: nothing would kill it later. */
const GRACE_MS = 4000;

/** The benchmark program with all that it starts: a group of processes of its own. */
export class Runner {
  readonly ended: Promise<RunnerEnd>;
  readonly mark: ProcessMark | undefined;
  readonly #outputs: readonly Readable[];
  readonly #graceMs: number;
  #hasEnded = false;

  constructor({ program, args, environment, onLine, graceMs = GRACE_MS }: RunnerStart) {
    const child = spawn(program, args, {
      env: { ...HELPER_ENVIRONMENT, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    this.#graceMs = graceMs;
    this.#outputs = [child.stdout, child.stderr];
    for (const input of this.#outputs) {
      // Without a limit, a line without an end would grow for ever.
      let length = 0;
      input.on('data', (chunk: Buffer) => {
        const end = chunk.lastIndexOf(10);
        length = end === -1 ? length + chunk.length : chunk.length - end;
        if (length > 1024 * 1024) input.destroy();
      });
      const lines = createInterface({ input, crlfDelay: Infinity });
      lines.on('line', (line) => {
        onLine(visible(line).slice(0, LINE_LENGTH_MAX));
      });
    }
    this.mark = child.pid === undefined ? undefined : markOf(child.pid);
    this.ended = new Promise((resolve) => {
      const end = (result: RunnerEnd): void => {
        this.#hasEnded = true;
        resolve(result);
      };
      child.once('error', () => {
        end({ code: null, failed: true });
      });
      child.once('close', (code) => {
        end({ code, failed: false });
      });
    });
  }

  /** Asks the whole group to end, and kills it when it does not. */
  async stop(): Promise<void> {
    const { mark } = this;
    if (mark === undefined || this.#hasEnded) return;
    signalGroup(mark.pid, 'SIGTERM');
    const timer = setTimeout(() => {
      signalGroup(mark.pid, 'SIGKILL');
      // A process that left the group may hold them open: the end would not be seen.
      for (const output of this.#outputs) output.destroy();
    }, this.#graceMs);
    await this.ended;
    clearTimeout(timer);
    // The processes that it started may not have heard the signal.
    signalGroup(mark.pid, 'SIGKILL');
  }
}

/** Kills the group of a runner that a former console has left behind. */
export function killLeftOver(mark: ProcessMark): void {
  if (isAlive(mark)) signalGroup(mark.pid, 'SIGKILL');
}

function signalGroup(pid: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // All of it has ended.
  }
}

/** Terminals' colours and carriage returns are no text. */
function visible(line: string): string {
  const text = line.slice(0, 4 * LINE_LENGTH_MAX);
  // oxlint-disable-next-line no-control-regex -- these are what is taken out
  return text.replace(/\u001b\[[0-9;?]*[A-Za-z]|[\u0000-\u0008\u000b-\u001f\u007f]/g, '');
}
