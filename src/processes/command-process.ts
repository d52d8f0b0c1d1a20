import { OutputError, ResultOutput } from '../lib/result-output.js';
import { StartError } from './child.js';
import type { CommandFailed, CommandFailure } from './janitor-command-protocol.js';

/** Common parts of the processes of `ringway janitor`, `ringway repair` and `ringway store`. */

/** Why a command could not do all that it was to do. */
export class CommandError extends Error {
  constructor(
    readonly failure: CommandFailure,
    message: string,
  ) {
    super(message);
  }
}

/**
 * Runs a command with what its parent sends it, and ends the process.
 *
 * @param main - given a signal that SIGINT and SIGTERM abort
 */
export function runCommand(main: (init: never, signal: AbortSignal) => Promise<void>): void {
  const stop = new AbortController();
  process.once('message', (message) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.on(signal, () => {
        stop.abort(new CommandError('incomplete', `stopped by ${signal}`));
      });
    }
    main(message as never, stop.signal).then(
      () => process.exit(0),
      (error: unknown) => {
        process.send?.(describe(error), undefined, undefined, () => process.exit(1));
      },
    );
  });
}

/** The output of a command on stdout: lines of JSON, the last one a summary. */
export class CommandReport {
  readonly output = new ResultOutput();

  line(fields: object): void {
    this.output.write(`${JSON.stringify(fields)}\n`);
  }

  summary(summary: object): void {
    this.line({ summary });
  }
}

/** One that counts actions by how they ended. */
export class ActionReport extends CommandReport {
  failed = 0;
  protected readonly counts: Record<string, Record<string, number>> = {};

  protected count(action: string, outcome: string): void {
    const outcomes = (this.counts[action] ??= {});
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    if (outcome === 'failed') this.failed += 1;
  }
}

function describe(error: unknown): CommandFailed {
  const message = withCauses(error);
  if (error instanceof CommandError) return { failure: error.failure, message };
  if (error instanceof OutputError) return { failure: 'output', message: error.message };
  return { failure: error instanceof StartError ? error.failure : 'incomplete', message };
}

/** More of them tell an operator nothing, and a cycle would never end. */
const CAUSES_MAX = 8;

/**
 * A failure and its reasons in one line: the messages of an error and of its causes. A cause that
 * the message before it already tells is left out.
 */
export function withCauses(error: unknown): string {
  const told: string[] = [];
  let at: unknown = error;
  for (let depth = 0; depth < CAUSES_MAX && at !== undefined; depth++) {
    const text = at instanceof Error ? at.message : JSON.stringify(at);
    if (text !== '' && told.at(-1)?.includes(text) !== true) told.push(text);
    at = at instanceof Error ? at.cause : undefined;
  }
  return told.join(': ');
}
