import path from 'node:path';
import {
  ChainFiles,
  digestOf,
  linesOf,
  NOTHING_BEFORE,
  parseLine,
  type Chained,
  type ChainFormat,
} from './chain-files.js';

export interface ChainVerdict {
  readonly ok: boolean;
  readonly files: number;
  readonly records: number;
  readonly first_unix_s: number | null;
  readonly last_unix_s: number | null;
  /** The digest of the last line: kept elsewhere, it shows later whether lines were cut off. */
  readonly head_sha256: string;
  readonly problem?: ChainProblem;
}

/**
 * - `unreadable`: a line is no record
 * - `altered`: a line does not follow from the one before: either was changed, or some are gone
 * - `beginning_missing`: the first line follows from one that the log did not let go itself
 * - `end_missing`: the last line is not the one that was written last
 * - `added`: the line is behind the one that was written last
 */
export interface ChainProblem {
  readonly kind: 'unreadable' | 'altered' | 'beginning_missing' | 'end_missing' | 'added';
  readonly file: string;
  /** The line, from 1. */
  readonly line: number;
}

export interface VerifyOptions {
  /** The digest of the last line written, as the writer remembers it; undefined when unknown. */
  readonly head?: string | undefined;
  /** How much of the current file counts: the rest is being written. */
  readonly currentBytes?: number | undefined;
  /** Whether the current file is longer, though nothing is being written. */
  readonly isLonger?: boolean;
}

/**
 * Whether each line names the digest of the one before, from the first file to the last.
 * @throws system errors when a file cannot be read
 */
export async function verifyChain<Entry>(
  directory: string,
  format: Pick<ChainFormat<Entry>, 'name' | 'droppedDigest'>,
  { head, currentBytes, isLonger = false }: VerifyOptions = {},
): Promise<ChainVerdict> {
  const files = new ChainFiles(directory, format.name);
  const walk = new ChainWalk(format.droppedDigest);
  const full = await files.full();
  for (const file of full) {
    await walk.through(file);
    if (walk.problem !== undefined) break;
  }
  if (walk.problem === undefined) await walk.through(files.current, currentBytes);
  return walk.verdict(full.length + 1, head, isLonger);
}

class ChainWalk<Entry> {
  problem: ChainProblem | undefined;
  #place = { file: '', line: 0 };
  #records = 0;
  #beginning: { readonly follows: string; readonly file: string } | undefined;
  #head = NOTHING_BEFORE;
  #firstS: number | null = null;
  #lastS: number | null = null;
  readonly #dropped = new Set([NOTHING_BEFORE]);

  constructor(private readonly droppedDigest: (entry: Entry & Chained) => string | undefined) {}

  async through(file: string, bytes?: number): Promise<void> {
    this.#place = { file: path.basename(file), line: 0 };
    try {
      for await (const line of linesOf(file, bytes)) {
        this.#place.line += 1;
        this.#read(line);
        if (this.problem !== undefined) return;
      }
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      this.#report('unreadable');
    }
  }

  verdict(files: number, head: string | undefined, isLonger: boolean): ChainVerdict {
    const { follows, file } = this.#beginning ?? { follows: NOTHING_BEFORE, file: '' };
    if (this.problem === undefined && !this.#dropped.has(follows)) {
      this.problem = { kind: 'beginning_missing', file, line: 1 };
    }
    if (this.problem === undefined && head !== undefined && head !== this.#head) {
      this.#report('end_missing');
    }
    if (this.problem === undefined && isLonger) {
      this.#place.line += 1;
      this.#report('added');
    }
    return {
      ok: this.problem === undefined,
      files,
      records: this.#records,
      first_unix_s: this.#firstS,
      last_unix_s: this.#lastS,
      head_sha256: this.#head,
      ...(this.problem === undefined ? {} : { problem: this.problem }),
    };
  }

  #read(line: string): void {
    const record = parseLine(line) as (Entry & Chained) | undefined;
    if (record === undefined) {
      this.#report('unreadable');
      return;
    }
    this.#beginning ??= { follows: record.prev_sha256, file: this.#place.file };
    if (this.#records > 0 && record.prev_sha256 !== this.#head) {
      this.#report('altered');
      return;
    }
    const dropped = this.droppedDigest(record);
    if (dropped !== undefined) this.#dropped.add(dropped);
    this.#records += 1;
    this.#firstS ??= record.unix_s;
    this.#lastS = record.unix_s;
    this.#head = digestOf(line);
  }

  #report(kind: ChainProblem['kind']): void {
    this.problem = { kind, ...this.#place };
  }
}
