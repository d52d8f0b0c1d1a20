import { createReadStream } from 'node:fs';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Chained, ChainFormat } from '../../../src/lib/chained-log/chain-files.js';
import { ChainedLog } from '../../../src/lib/chained-log/chained-log.js';
import { verifyChain, type ChainVerdict } from '../../../src/lib/chained-log/verify-chain.js';
import { writeDurably } from '../../../src/lib/durable-file.js';
import { ApiError } from '../api-error.js';
import type { RunEntry } from './run.js';

/** A file of the journal was let go; `target` is its name and the digest of its last line. */
interface DropEntry {
  readonly v: 1;
  readonly kind: 'journal.drop';
  readonly target: string;
}

/** A change of users on a thousand proxies has 220 KiB. */
const FACTS_LENGTH_MAX = 256 * 1024;
const TEXT_LENGTH_MAX = 2048;
const JOURNAL_BYTES_MAX = 8 * 1024 * 1024;
const RESULT_BYTES_MAX = 32 * 1024 * 1024;
const READ_BYTES = 256 * 1024;
const RESULT = /^([0-9a-f-]{36})\.json(\..*)?$/;

const JOURNAL: ChainFormat<RunEntry | DropEntry> = {
  name: 'journal',
  bounded: (entry) => ({ ...entry, target: entry.target.slice(0, TEXT_LENGTH_MAX) }),
  dropEntry: (file, digest) => ({ v: 1, kind: 'journal.drop', target: `${file} ${digest}` }),
  droppedDigest: (entry) => (isDrop(entry) ? (entry.target.split(' ')[1] ?? '') : undefined),
};

/** The files of runs: the journal, and the result of each run that is over. */
export class RunJournal {
  private constructor(
    private readonly folder: string,
    private readonly log: ChainedLog<RunEntry | DropEntry>,
    /** Runs as they were at last, oldest first. */
    readonly former: readonly RunEntry[],
  ) {}

  /**
   * @param carried the runs that are not over: each new file of the journal begins with them
   * @throws system errors when the files cannot be read and written
   */
  static async open(
    stateDir: string,
    now: () => number,
    carried: () => readonly RunEntry[],
  ): Promise<RunJournal> {
    const folder = path.join(stateDir, 'runs');
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const log = await ChainedLog.open(folder, JOURNAL, {
      now,
      bytesMax: JOURNAL_BYTES_MAX,
      carried,
    });
    const runs = new Map<string, RunEntry>();
    for await (const line of log.entries()) {
      if (!isDrop(line)) runs.set(line.id, entryOf(line));
    }
    return new RunJournal(folder, log, [...runs.values()]);
  }

  /** The bytes of a line that a crash had cut. */
  get tornBytes(): number {
    return this.log.tornBytes;
  }

  /**
   * Resolves when it is on the disk.
   * @throws ApiError too_large for parameters or evidence that are too long; system errors
   */
  async write(entry: RunEntry): Promise<void> {
    const length = JSON.stringify([entry.params, entry.evidence]).length;
    if (length > FACTS_LENGTH_MAX)
      throw new ApiError('too_large', "The run's parameters and evidence are too large to record.");
    await this.log.write(entry);
  }

  verify(): Promise<ChainVerdict> {
    return this.log.verify();
  }

  /** @param json in UTF-8 @throws ApiError too_large; system errors */
  async keepResult(id: string, json: Uint8Array): Promise<void> {
    if (json.length > RESULT_BYTES_MAX) throw new ApiError('too_large', 'The result is too large.');
    await writeDurably(this.#resultFile(id), json);
  }

  /** @returns null where there is none */
  async result(id: string): Promise<unknown> {
    try {
      return JSON.parse(await readFile(this.#resultFile(id), 'utf8')) as unknown;
    } catch {
      return null;
    }
  }

  /** A result as it stands on the disk; nothing where there is none. @throws system errors */
  async *resultBytes(id: string): AsyncGenerator<Buffer, void, undefined> {
    try {
      yield* createReadStream(this.#resultFile(id), {
        highWaterMark: READ_BYTES,
      }) as AsyncIterable<Buffer>;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }

  async dropResult(id: string): Promise<void> {
    await rm(this.#resultFile(id), { force: true });
  }

  /** Removes the results of all other runs, and halves that a crash has left. */
  async dropResultsBut(known: { has(id: string): boolean }): Promise<void> {
    for (const name of await readdir(this.folder)) {
      const [, id, half] = RESULT.exec(name) ?? [];
      if (id === undefined || (known.has(id) && half === undefined)) continue;
      await rm(path.join(this.folder, name), { force: true });
    }
  }

  close(): Promise<void> {
    return this.log.close();
  }

  #resultFile(id: string): string {
    return path.join(this.folder, `${id}.json`);
  }
}

/** Checks that a journal is as it was written, for programs that do not write it. @throws system errors */
export function verifyJournal(stateDir: string): Promise<ChainVerdict> {
  return verifyChain(path.join(stateDir, 'runs'), JOURNAL);
}

/** A line without what belongs to its place in the chain. */
function entryOf(line: RunEntry & Chained): RunEntry {
  const entry: RunEntry & { unix_s?: number; prev_sha256?: string } = { ...line };
  delete entry.unix_s;
  delete entry.prev_sha256;
  return entry;
}

function isDrop<Line extends RunEntry | DropEntry>(entry: Line): entry is Line & DropEntry {
  return entry.kind === 'journal.drop';
}
