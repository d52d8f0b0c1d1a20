import { mkdir, open, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { syncFolder } from '../durable-file.js';
import { SerialQueues } from '../promises.js';
import {
  ChainFiles,
  digestOf,
  lastDigest,
  linesOf,
  NOTHING_BEFORE,
  parseLine,
  readTail,
  type Chained,
  type ChainFormat,
} from './chain-files.js';
import { verifyChain, type ChainVerdict } from './verify-chain.js';

export interface ChainedLogOptions<Entry> {
  readonly now?: () => number;
  /** The limit of all files together. */
  readonly bytesMax?: number;
  /** Entries that each new file begins with, so that letting go of older files loses none of them. */
  readonly carried?: () => readonly Entry[];
}

const BYTES_MAX = 64 * 1024 * 1024;
/** One file at a time is let go: a small part of the log. */
const FILES = 8;

/**
 * A log of JSON lines, each of which has the digest of the one before: one that is changed or
 * removed breaks the chain. An entry is on the disk when it is acknowledged. A full file is renamed,
 * and the next one continues the chain; the oldest is deleted when all are too large, and an entry
 * says where the rest begins. One process at a time may write it.
 */
export class ChainedLog<Entry extends object> {
  readonly #queue = new SerialQueues();

  private constructor(
    private readonly format: ChainFormat<Entry>,
    private readonly files: ChainFiles,
    private readonly options: Required<ChainedLogOptions<Entry>>,
    private file: FileHandle,
    private size: number,
    private head: string,
    /** The bytes of a line that a crash had cut when the log was opened: they were let go. */
    readonly tornBytes: number,
  ) {}

  /** @throws system errors when the files cannot be read and written */
  static async open<Entry extends object>(
    directory: string,
    format: ChainFormat<Entry>,
    options: ChainedLogOptions<Entry> = {},
  ): Promise<ChainedLog<Entry>> {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const { now = Date.now, bytesMax = BYTES_MAX, carried = () => [] } = options;
    const files = new ChainFiles(directory, format.name);
    const file = await open(files.current, 'a+', 0o600);
    const { line, size, tornBytes } = await readTail(file);
    // A line that a crash cut was never acknowledged.
    if (tornBytes > 0) await file.truncate(size - tornBytes);
    const before = (await files.full()).at(-1);
    const head =
      line === undefined
        ? before === undefined
          ? undefined
          : await lastDigest(before)
        : digestOf(line);
    const filled = { now, bytesMax, carried };
    const rest = [size - tornBytes, head ?? NOTHING_BEFORE, tornBytes] as const;
    return new ChainedLog(format, files, filled, file, ...rest);
  }

  /** Resolves when the line is on the disk. @throws system errors; then there is nothing of it */
  write(entry: Entry): Promise<void> {
    return this.#queue.run('', async () => {
      if (this.size >= this.options.bytesMax / FILES) await this.#rotate();
      await this.#append(entry);
    });
  }

  /** All entries, oldest first; lines that are none are left out. @throws system errors */
  async *entries(): AsyncGenerator<Entry & Chained> {
    for (const file of [...(await this.files.full()), this.files.current]) {
      for await (const line of linesOf(file)) {
        const entry = parseLine(line) as (Entry & Chained) | undefined;
        if (entry !== undefined) yield entry;
      }
    }
  }

  /** The latest entries of its own that are accepted, newest first. */
  latest(accepts: (entry: Entry & Chained) => boolean, max: number): Promise<(Entry & Chained)[]> {
    return latestIn(this.files, accepts, max, this.size);
  }

  /** The number of bytes behind its own last line: another program has added them. */
  foreignBytes(): Promise<number> {
    return this.#queue.run('', async () => (await this.#sizeThere()) - this.size);
  }

  /** Whether all files are as they were written, down to the last line, and nothing is behind it. */
  verify(): Promise<ChainVerdict> {
    return this.#queue.run('', async () => {
      const { head, size: currentBytes } = this;
      const isLonger = (await this.#sizeThere()) > currentBytes;
      return verifyChain(this.files.directory, this.format, { head, currentBytes, isLonger });
    });
  }

  /** The file that has the name by now: others could have put another one in its place. */
  async #sizeThere(): Promise<number> {
    const found = await stat(this.files.current).catch(ignoreAbsent);
    return found === false ? 0 : found.size;
  }

  async close(): Promise<void> {
    await this.#queue.run('', () => this.file.close());
  }

  async #append(entry: Entry): Promise<void> {
    const line = JSON.stringify({
      unix_s: Math.floor(this.options.now() / 1000),
      ...this.format.bounded(entry),
      prev_sha256: this.head,
    });
    const bytes = Buffer.from(`${line}\n`);
    try {
      // Half a line of an append that failed would spoil the next one.
      const { size } = await this.file.stat();
      if (size > this.size) await this.file.truncate(this.size);
      await this.file.appendFile(bytes);
      await this.file.datasync();
    } catch (error) {
      await this.file.truncate(this.size).catch(() => undefined);
      throw error;
    }
    this.size += bytes.length;
    this.head = digestOf(line);
  }

  async #rotate(): Promise<void> {
    const full = await this.files.full();
    const to = this.files.next(full);
    // The file may be gone already, if the last attempt got no further.
    const isRenamed = await rename(this.files.current, to).then(() => true, ignoreAbsent);
    const file = await open(this.files.current, 'a+', 0o600);
    await this.file.close();
    this.file = file;
    this.size = 0;
    await syncFolder(this.files.directory);
    for (const entry of this.options.carried()) await this.#append(entry);
    await this.#dropOldest(isRenamed ? [...full, to] : full);
  }

  /** The entry comes first: a file that is gone without one is missing. */
  async #dropOldest(full: readonly string[]): Promise<void> {
    const sizes = await Promise.all(full.map(async (file) => (await stat(file)).size));
    let bytes = sizes.reduce((sum, size) => sum + size, 0);
    const room = this.options.bytesMax - this.options.bytesMax / FILES;
    for (const [index, oldest] of full.entries()) {
      if (bytes <= room) return;
      bytes -= sizes[index] ?? 0;
      const digest = (await lastDigest(oldest)) ?? NOTHING_BEFORE;
      await this.#append(this.format.dropEntry(path.basename(oldest), digest));
      await rm(oldest);
    }
  }
}

/**
 * The latest entries of a log that are accepted, newest first. Nothing is written, so it may be called
 * beside the process that writes; to open a log is to cut what that is writing.
 * @throws system errors, also where there is no such folder
 */
export function readLatest<Entry extends object>(
  directory: string,
  { name }: ChainFormat<Entry>,
  accepts: (entry: Entry & Chained) => boolean,
  max: number,
): Promise<(Entry & Chained)[]> {
  return latestIn(new ChainFiles(directory, name), accepts, max);
}

async function latestIn<Entry>(
  files: ChainFiles,
  accepts: (entry: Entry & Chained) => boolean,
  max: number,
  currentBytes?: number,
): Promise<(Entry & Chained)[]> {
  const found: (Entry & Chained)[] = [];
  for (const file of [...(await files.full()), files.current].reverse()) {
    const rest = max - found.length;
    if (rest <= 0) break;
    const bytes = file === files.current ? currentBytes : undefined;
    found.push(...(await latestOf(file, accepts, rest, bytes)));
  }
  return found;
}

async function latestOf<Entry>(
  file: string,
  accepts: (entry: Entry & Chained) => boolean,
  max: number,
  bytes: number | undefined,
): Promise<(Entry & Chained)[]> {
  let found: (Entry & Chained)[] = [];
  try {
    for await (const line of linesOf(file, bytes)) {
      const entry = parseLine(line) as (Entry & Chained) | undefined;
      if (entry === undefined || !accepts(entry)) continue;
      found.push(entry);
      if (found.length >= 2 * max) found = found.slice(-max);
    }
  } catch (error) {
    // Let go, or cut, while it was read; whether it is whole is what `verify` is for.
    const isGone = (error as NodeJS.ErrnoException).code === 'ENOENT';
    if (!isGone && !(error instanceof RangeError)) throw error;
  }
  return found.slice(-max).reverse();
}

/** @returns false for a file that is not there */
function ignoreAbsent(error: NodeJS.ErrnoException): false {
  if (error.code !== 'ENOENT') throw error;
  return false;
}
