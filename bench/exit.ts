import { OutputError } from '../src/lib/result-output.js';
import { UsageError } from './options/options.js';
import { TargetError } from './targets/target.js';

/** Exit codes as in BSD's sysexits.h and in Ringway; an error of measured operations is 1. */
export const EXIT = {
  ok: 0,
  errors: 1,
  usage: 64,
  unavailable: 69,
  internal: 70,
  output: 80,
} as const;

/**
 * Tells what ended a run.
 * @param help where all flags are shown
 * @returns the exit code
 */
export function explain(error: unknown, help: string): number {
  if (error instanceof UsageError) {
    for (const problem of error.problems) process.stderr.write(`bench: ${problem}\n`);
    process.stderr.write(`bench: ${help} shows all flags\n`);
    return EXIT.usage;
  }
  if (error instanceof TargetError) {
    process.stderr.write(`bench: ${error.message}\n`);
    return EXIT.unavailable;
  }
  if (error instanceof OutputError) {
    process.stderr.write(`bench: ${error.message}\n`);
    return EXIT.output;
  }
  process.stderr.write(`bench: ${error instanceof Error ? (error.stack ?? '') : String(error)}\n`);
  return EXIT.internal;
}
