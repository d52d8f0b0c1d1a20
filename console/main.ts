#!/usr/bin/env node
import { ConfigError } from '../src/config/problem.js';
import { OutputError, ResultOutput } from '../src/lib/result-output.js';
import { EXIT_CODES, type ExitReason } from '../supervisor/exit-codes.js';
import { loadConsoleConfig, type ConsoleOptions } from './config/load.js';
import { verifyAudit } from '../src/lib/audit/audit-log.js';
import { startConsole, type RunningConsole } from './server/start.js';
import { SURFACES } from './surfaces/registry.js';

const USAGE = 'usage: node dist/console/main.js console.json [--verify-audit]';
const VERIFY = '--verify-audit';

/** `node dist/console/main.js console.json`: serves the console until SIGTERM or SIGINT. */
async function main(args: readonly string[]): Promise<void> {
  const [file, command, ...rest] = args;
  if (file === undefined || rest.length > 0 || (command ?? VERIFY) !== VERIFY) {
    fail('usage', USAGE);
    return;
  }
  try {
    const options = loadConsoleConfig(file, process.cwd());
    await (command === VERIFY ? verify(options) : serve(options));
  } catch (error) {
    if (error instanceof ConfigError) fail('config', error.message);
    else fail(reasonOf(error), `console: ${(error as Error).message}`);
  }
}

async function serve(options: ConsoleOptions): Promise<void> {
  const running = await startConsole(options, SURFACES);
  process.stdout.write(`console: listening on port ${running.port}\n`);
  stopOnSignals(running);
}

/** Checks the chain of the audit log, also of a console that runs. */
async function verify({ stateDir }: ConsoleOptions): Promise<void> {
  const verdict = await verifyAudit(stateDir);
  const output = new ResultOutput();
  output.write(`${JSON.stringify(verdict)}\n`);
  const { problem } = verdict;
  if (problem === undefined) return output.flushed();
  fail('altered', `console: audit log: ${problem.kind} at ${problem.file}, line ${problem.line}`);
}

/** The time that work under way may take to finish. */
const DRAIN_TIMEOUT_MS = 30_000;
/** Ctrl-C reaches a process of npm's twice at once. */
const SAME_WISH_MS = 500;

/** The first signal lets requests finish, for a while; another one cuts them. */
function stopOnSignals(running: RunningConsole): void {
  let since: number | undefined;
  let isEnding = false;
  const end = (reason: ExitReason) => {
    // Requests that were cut are over as well, and were not drained.
    if (isEnding) return;
    isEnding = true;
    void running.close().then(() => process.exit(EXIT_CODES[reason].code));
  };
  const stop = () => {
    if (since !== undefined) {
      if (performance.now() - since > SAME_WISH_MS) end('drainTimeout');
      return;
    }
    since = performance.now();
    setTimeout(end, DRAIN_TIMEOUT_MS, 'drainTimeout');
    void running.drain().then(() => {
      end('ok');
    });
  };
  process.on('SIGTERM', stop).on('SIGINT', stop);
}

/** Why a start failed, by the code of the system's error. */
function reasonOf(error: unknown): ExitReason {
  if (error instanceof OutputError) return 'output';
  const { code = '', syscall = '' } = error as NodeJS.ErrnoException;
  if (syscall === 'listen' || code.startsWith('EADDR')) return 'listen';
  if (code === 'ENOSPC') return 'full';
  return code === '' ? 'internal' : 'dataDirectory';
}

function fail(reason: ExitReason, message: string): void {
  process.stderr.write(`${message}\n`);
  process.exitCode = EXIT_CODES[reason].code;
}

await main(process.argv.slice(2));
