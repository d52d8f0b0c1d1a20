import { Readable } from 'node:stream';
import type { Logger } from '../../../src/telemetry/logger.js';
import type { RunJournal } from './run-journal.js';

/**
 * A result that is JSON already, in UTF-8: one of megabytes takes longer to write than an event loop
 * may, so that a thread writes it.
 */
export class JsonResult {
  constructor(readonly bytes: Uint8Array) {}
}

/** Thrown by a run that has not succeeded, or was cut, and has a result all the same. */
export class UnsuccessfulRun extends Error {
  /** @param cause - the error that is told of */
  constructor(
    readonly result: unknown,
    cause: unknown,
  ) {
    super('a run has not succeeded', { cause });
  }
}

/** Results of runs that are over: on the disk, but for the last one that could not be written. */
export class RunResults {
  #unkept: { readonly id: string; readonly bytes: Uint8Array } | undefined;

  constructor(private readonly logger: Pick<Logger, 'error'>) {}

  /** Never rejects: a result that cannot be written stays in memory. */
  async keep(journal: RunJournal, id: string, result: unknown): Promise<void> {
    let bytes: Uint8Array | undefined;
    try {
      bytes = result instanceof JsonResult ? result.bytes : Buffer.from(JSON.stringify(result));
      await journal.keepResult(id, bytes);
    } catch (error) {
      this.logger.error({ err: error, id }, 'the result of a run cannot be written');
      if (bytes !== undefined) this.#unkept = { id, bytes };
    }
  }

  /** Parses a result: for small ones. @returns null where there is none */
  async read(journal: RunJournal, id: string): Promise<unknown> {
    if (this.#unkept?.id !== id) return journal.result(id);
    return JSON.parse(Buffer.from(this.#unkept.bytes).toString('utf8')) as unknown;
  }

  /** A result as JSON, in UTF-8; nothing where there is none. @throws system errors */
  async *bytes(journal: RunJournal, id: string): AsyncGenerator<Uint8Array, void, undefined> {
    if (this.#unkept?.id === id) yield this.#unkept.bytes;
    else yield* journal.resultBytes(id);
  }
}

/**
 * A run as JSON, with a result that is JSON already.
 * @param result - in pieces, `null` for none of them
 */
export function wholeRunJson(view: object, result: AsyncIterable<Uint8Array> | null): Readable {
  const head = JSON.stringify(view).slice(0, -1);
  return Readable.from(piecesOf(head, result), { objectMode: false });
}

async function* piecesOf(
  head: string,
  result: AsyncIterable<Uint8Array> | null,
): AsyncGenerator<Uint8Array, void, undefined> {
  yield Buffer.from(`${head},"result":`);
  let isThere = false;
  for await (const bytes of result ?? []) {
    isThere = true;
    yield bytes;
  }
  yield Buffer.from(isThere ? '}' : 'null}');
}
