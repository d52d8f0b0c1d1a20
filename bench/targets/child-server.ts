import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { TargetError } from './target.js';

const START_LIMIT_MS = 60_000;
const POLL_MS = 20;
const SHOWN_CHARACTERS = 2000;

/** A peer's own server, in a process group that ends with us. */
export class ChildServer {
  #output = '';
  readonly #process: ChildProcess;
  readonly #killOnExit = (): void => {
    this.#kill('SIGKILL');
  };

  constructor(
    private readonly program: string,
    args: readonly string[],
    cwd: string,
    env: NodeJS.ProcessEnv = {},
  ) {
    this.#process = spawn(program, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    for (const stream of [this.#process.stdout, this.#process.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#output = (this.#output + text).slice(-SHOWN_CHARACTERS);
      });
    }
    this.#process.once('error', (error) => (this.#output += error.message));
    process.once('exit', this.#killOnExit);
  }

  get pid(): number {
    return this.#process.pid ?? 0;
  }

  /** @throws TargetError with the server's output, when no server accepts on the port */
  async accepts(port: number): Promise<void> {
    const giveUpAt = Date.now() + START_LIMIT_MS;
    while (!(await canConnect(port))) {
      const isOver = this.#process.exitCode !== null || this.#process.pid === undefined;
      if (isOver || Date.now() > giveUpAt) {
        await this.stop();
        throw new TargetError(`${this.program} does not start: ${this.#output.trim()}`);
      }
      await delay(POLL_MS);
    }
  }

  async stop(): Promise<void> {
    process.off('exit', this.#killOnExit);
    if (this.#process.pid === undefined) return;
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const ended = once(this.#process, 'exit');
    this.#kill('SIGTERM');
    await ended;
  }

  /** The whole group: a server's workers are not left behind. */
  #kill(signal: NodeJS.Signals): void {
    if (this.#process.pid === undefined) return;
    try {
      process.kill(-this.#process.pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

function canConnect(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => {
      resolve(false);
    });
  });
}
