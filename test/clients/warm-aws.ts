import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { findProgram, type ProgramOptions, type ProgramResult } from '../support/programs.js';

const SERVER = join(process.cwd(), 'test/clients/python/warm_aws.py');

/** The program of a package: a script of Python, and no bundle or stand-in. */
const SCRIPT = /^#!\s*(?<python>\S*python\S*)[^]*^import awscli\.clidriver$/m;

/** A folder, and a whole environment. */
export interface Place {
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * aws cli whose commands share one start: each runs in a process that forks from one which has read
 * the modules and the model of S3. That takes a second of processor time, and a command some
 * hundredths.
 */
export class WarmAwsCli {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #waiting: ((result: ProgramResult) => void)[] = [];

  private constructor(python: string, { cwd, env }: ProgramOptions) {
    this.#child = spawn(python, [SERVER], {
      cwd,
      env: {
        ...{ PATH: process.env.PATH, LANG: 'C.UTF-8', LC_ALL: 'C.UTF-8' },
        ...env,
        PYTHONDONTWRITEBYTECODE: '1',
      },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    createInterface({ input: this.#child.stdout }).on('line', (line) => {
      this.#waiting.shift()?.(JSON.parse(line) as ProgramResult);
    });
    this.#child.once('exit', (code) => {
      for (const settle of this.#waiting.splice(0)) {
        settle({ code: code ?? -1, stdout: '', stderr: 'the warm aws cli has ended' });
      }
    });
  }

  /** @returns undefined where the installed aws cli is no script of Python */
  static start(options: ProgramOptions): WarmAwsCli | undefined {
    const path = findProgram('aws');
    const { python } =
      SCRIPT.exec(path === undefined ? '' : readFileSync(path, 'latin1'))?.groups ?? {};
    return python === undefined ? undefined : new WarmAwsCli(python, options);
  }

  /**
   * Runs a command to its end, whatever its exit code, with nothing on its stdin.
   * @param place where it runs; without it, where this was started
   */
  run(args: readonly string[], place?: Place): Promise<ProgramResult> {
    const command = place === undefined ? args : { ...place, arguments: args };
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#child.stdin.write(`${JSON.stringify(command)}\n`);
    });
  }

  end(): void {
    this.#child.stdin.end();
  }
}
