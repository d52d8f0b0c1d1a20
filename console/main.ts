#!/usr/bin/env node
import { ConfigError } from '../src/config/problem.js';
import { EXIT_CODES, type ExitReason } from '../supervisor/exit-codes.js';
import { loadConsoleConfig } from './config/load.js';
import { startConsole } from './server/start.js';

/** `node dist/console/main.js console.json`: serves the console until SIGTERM or SIGINT. */
async function main(args: readonly string[]): Promise<void> {
  const [file, ...rest] = args;
  if (file === undefined || rest.length > 0) {
    fail('usage', 'usage: node dist/console/main.js console.json');
    return;
  }
  try {
    const running = await startConsole(loadConsoleConfig(file, process.cwd()));
    process.stdout.write(`console: listening on port ${running.port}\n`);
    const stop = () => void running.close().then(() => process.exit(EXIT_CODES.ok.code));
    process.once('SIGTERM', stop).once('SIGINT', stop);
  } catch (error) {
    if (error instanceof ConfigError) fail('config', error.message);
    else fail(reasonOf(error), `console: ${(error as Error).message}`);
  }
}

/** Why a start failed, by the code of the system's error. */
function reasonOf(error: unknown): ExitReason {
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
