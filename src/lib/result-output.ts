import { fstatSync, writeSync } from 'node:fs';

const STDOUT_FD = 1;

/** The result of a command did not reach the target of stdout. */
export class OutputError extends Error {
  override readonly name = 'OutputError';

  constructor(cause: Error) {
    super(`the result cannot be written to stdout: ${cause.message}`, { cause });
  }
}

/**
 * stdout, for the result of a command: a user who redirects it into a file has all of it there, or
 * gets an error. A failed write does not stop the command; {@link flushed} says so at its end.
 */
export class ResultOutput {
  #failure: Error | undefined;
  readonly #isFile = fstatSync(STDOUT_FD).isFile();

  constructor() {
    // It is told by the callbacks.
    process.stdout.on('error', () => undefined);
  }

  get isTTY(): boolean {
    return process.stdout.isTTY;
  }

  /** The width of the terminal now. */
  get columns(): number | undefined {
    return process.stdout.isTTY ? process.stdout.columns : undefined;
  }

  /** Text behind a failed write is left out: no result has holes. */
  write(text: string): void {
    if (this.#failure !== undefined) return;
    if (!this.#isFile) {
      process.stdout.write(text, (error) => {
        this.#failure ??= error ?? undefined;
      });
      return;
    }
    try {
      writeWhole(Buffer.from(text));
    } catch (error) {
      this.#failure = error as Error;
    }
  }

  /** Resolves when all is written. @throws OutputError when not all could be */
  async flushed(): Promise<void> {
    if (!this.#isFile) {
      await new Promise<void>((resolve) => {
        process.stdout.write('', () => {
          resolve();
        });
      });
    }
    if (this.#failure !== undefined) throw new OutputError(this.#failure);
  }
}

/** Node's own stream takes what a device that gets full has taken last, a part, for the whole. */
function writeWhole(bytes: Buffer): void {
  let written = 0;
  while (written < bytes.length) written += writeSync(STDOUT_FD, bytes, written);
}
