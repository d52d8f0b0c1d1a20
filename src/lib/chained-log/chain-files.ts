import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readdir, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { parseJson } from '../parse-json.js';

/** The fields of every line of a chained log. */
export interface Chained {
  readonly unix_s: number;
  /** Digest of the line before; of the first one ever, zeros. */
  readonly prev_sha256: string;
}

/** The entries of a log, and the names of its files. */
export interface ChainFormat<Entry> {
  /** `audit` is written to `audit.jsonl`, and full files become `audit-00000001.jsonl`. */
  readonly name: string;
  /** The length of each line is bounded: makes an entry as short as it has to be. */
  readonly bounded: (entry: Entry) => Entry;
  /** The entry that says which file was let go: its name and the digest of its last line. */
  readonly dropEntry: (file: string, digest: string) => Entry;
  /** The digest that such an entry names; undefined for any other. */
  readonly droppedDigest: (entry: Entry & Chained) => string | undefined;
}

export const NOTHING_BEFORE = '0'.repeat(64);

/** The files of a log in its folder. */
export class ChainFiles {
  readonly current: string;
  readonly #full: RegExp;

  constructor(
    readonly directory: string,
    private readonly name: string,
  ) {
    this.current = path.join(directory, `${name}.jsonl`);
    this.#full = new RegExp(String.raw`^${name}-(\d{8})\.jsonl$`);
  }

  /** Files that are full, oldest first. */
  async full(): Promise<string[]> {
    const names = (await readdir(this.directory)).filter((name) => this.#full.test(name)).sort();
    return names.map((name) => path.join(this.directory, name));
  }

  /** The name that comes after those that are there. */
  next(full: readonly string[]): string {
    const [, digits = '0'] = this.#full.exec(path.basename(full.at(-1) ?? '')) ?? [];
    const number = String(Number(digits) + 1).padStart(8, '0');
    return path.join(this.directory, `${this.name}-${number}.jsonl`);
  }
}

export function digestOf(line: string): string {
  return createHash('sha256').update(line).digest('hex');
}

/** @returns undefined for what is no line of a chained log */
export function parseLine(line: string): Chained | undefined {
  const entry = parseJson(line) as Partial<Chained> | null | undefined;
  const isEntry = typeof entry?.prev_sha256 === 'string' && typeof entry.unix_s === 'number';
  return isEntry ? (entry as Chained) : undefined;
}

/**
 * The whole lines of a file, in its order; what stands behind the last line end is being written.
 * @throws system errors; RangeError for a line that this console cannot have written
 */
export async function* linesOf(file: string, bytes = Infinity): AsyncGenerator<string> {
  if (bytes === 0) return;
  let rest = '';
  const stream = createReadStream(file, { encoding: 'utf8', end: bytes - 1 });
  for await (const chunk of stream as AsyncIterable<string>) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > LINE_LENGTH_MAX) throw new RangeError('a line is too long');
    yield* lines;
  }
}

/** A format bounds its entries to less. */
const LINE_LENGTH_MAX = 64 * 1024;
const TAIL_BYTES = 2 * LINE_LENGTH_MAX;

export interface Tail {
  /** The last whole line; undefined for none. */
  readonly line: string | undefined;
  readonly size: number;
  /** The bytes of a line that a crash has cut, at the end. */
  readonly tornBytes: number;
}

export async function readTail(file: FileHandle): Promise<Tail> {
  const { size } = await file.stat();
  const start = Math.max(0, size - TAIL_BYTES);
  const buffer = Buffer.alloc(size - start);
  const { bytesRead } = await file.read(buffer, 0, buffer.length, start);
  const bytes = buffer.subarray(0, bytesRead);
  const end = bytes.lastIndexOf(0x0a);
  if (end === -1) return { line: undefined, size, tornBytes: bytes.length };
  const begin = bytes.lastIndexOf(0x0a, end - 1) + 1;
  const line = bytes.toString('utf8', end === 0 ? 0 : begin, end);
  return { line, size, tornBytes: bytes.length - end - 1 };
}

/** Digest of a file's last line; undefined where it has none. */
export async function lastDigest(file: string): Promise<string | undefined> {
  const handle = await open(file, 'r');
  try {
    const { line } = await readTail(handle);
    return line === undefined ? undefined : digestOf(line);
  } finally {
    await handle.close();
  }
}
