import { fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { type FilledOptions, storeDirectory } from '../src/config/options.js';
import type {
  CommandFailed,
  CommandFailure,
  JanitorCommandInit,
  JanitorMode,
  RepairCommandInit,
} from '../src/processes/janitor-command-protocol.js';
import { NO_CREDENTIAL } from './child.js';
import { Failure, REASON_OF_START, type ExitReason } from './exit-codes.js';
import type { Settings } from './settings.js';
import { warn } from './warn.js';

const EXIT_REASON: Readonly<Record<CommandFailure, ExitReason>> = {
  ...REASON_OF_START,
  busy: 'locked',
  'no-bucket': 'noInput',
  incomplete: 'incomplete',
  output: 'output',
};

/**
 * `ringway janitor`. The data directory's lock is not asked for: the store may be shared, and leases
 * keep janitors apart.
 *
 * @param entry - path of the program
 * @throws Failure as a start's, `locked`, `incomplete`, `output`
 */
export function runJanitor(
  settings: Settings,
  mode: JanitorMode,
  entry: string,
): Promise<ExitReason> {
  return runBeside<JanitorCommandInit>(settings, { mode }, entry);
}

/**
 * `ringway repair`, beside a service as well: all that it changes it commits as requests do.
 *
 * @param entry - path of the program
 * @throws Failure as a start's, `noInput`, `incomplete`, `output`
 */
export function runRepair(
  settings: Settings,
  what: Omit<RepairCommandInit, 'options' | 'credentials'>,
  entry: string,
): Promise<ExitReason> {
  return runBeside<RepairCommandInit>(settings, what, entry);
}

/** Starts the process that does it, and waits. */
async function runBeside<Init extends Pick<JanitorCommandInit, 'options' | 'credentials'>>(
  { options, credentials, warnings }: Settings,
  what: Omit<Init, 'options' | 'credentials'>,
  entry: string,
): Promise<ExitReason> {
  for (const line of warnings) warn(line);
  if (!isStoreThere(options)) {
    throw new Failure('dataDirectory', `there is no store in ${storeDirectory(options)} yet`);
  }
  if (credentials === undefined) {
    const { credentialsFile } = options;
    throw new Failure('config', `${credentialsFile}: expected a file with credentials`);
  }
  const init = { ...what, options, credentials: credentials.roster };
  const { code, failed } = await runToEnd(entry, init);
  if (failed !== undefined) throw new Failure(EXIT_REASON[failed.failure], failed.message);
  if (code !== 0) throw new Failure('internal', 'the process of the command ended unexpectedly');
  return 'ok';
}

/**
 * Whether the embedded store exists. Opening it would create it, but the command needs an existing
 * one.
 */
function isStoreThere(options: FilledOptions): boolean {
  return options.backend !== 'embedded' || existsSync(storeDirectory(options));
}

interface Ended {
  /** Null when a signal ended it. */
  readonly code: number | null;
  readonly failed: CommandFailed | undefined;
}

function runToEnd(entry: string, init: object): Promise<Ended> {
  const child = fork(entry, [], {
    env: { ...process.env, ...NO_CREDENTIAL },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
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
