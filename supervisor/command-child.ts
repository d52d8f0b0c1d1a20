import { fork } from 'node:child_process';
import type { CommandFailed, CommandFailure } from '../src/processes/janitor-command-protocol.js';
import { NO_CREDENTIAL } from './child.js';
import { Failure, REASON_OF_START, type ExitReason } from './exit-codes.js';

const EXIT_REASON: Readonly<Record<CommandFailure, ExitReason>> = {
  ...REASON_OF_START,
  busy: 'locked',
  'no-bucket': 'noInput',
  export: 'noInput',
  incomplete: 'incomplete',
  damaged: 'drainTimeout',
  output: 'output',
};

/**
 * Runs the process of a command to its end; it reads the stdin and writes to the stdout and stderr of
 * this one.
 * @throws Failure as the process says
 */
export async function runCommandChild(entry: string, init: object): Promise<ExitReason> {
  const { code, failed } = await runToEnd(entry, init);
  if (failed !== undefined) throw new Failure(EXIT_REASON[failed.failure], failed.message);
  if (code !== 0) throw new Failure('internal', 'the process of the command ended unexpectedly');
  return 'ok';
}

interface Ended {
  /** Null when a signal ended it. */
  readonly code: number | null;
  readonly failed: CommandFailed | undefined;
}

function runToEnd(entry: string, init: object): Promise<Ended> {
  const child = fork(entry, [], {
    env: { ...process.env, ...NO_CREDENTIAL },
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
  // It ends in order, and lets go of its lease; then this process ends as well. The signals stay
  // handled until that: by default they would hide its exit code.
  for (const signal of STOP_SIGNALS) process.on(signal, () => child.kill(signal));
  return new Promise((resolve, reject) => {
    let failed: CommandFailed | undefined;
    child.once('message', (message) => (failed = message as CommandFailed));
    child.once('error', reject);
    child.once('close', (code) => {
      resolve({ code, failed });
    });
    child.send(init, (error) => {
      if (error !== null) reject(error);
    });
  });
}

const STOP_SIGNALS = ['SIGINT', 'SIGTERM'] as const;
