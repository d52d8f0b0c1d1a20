import path from 'node:path';
import {
  currentFile,
  digestOf,
  DROP_ACTION,
  linesOf,
  NOTHING_BEFORE,
  parseRecord,
  rotatedFiles,
} from './audit-files.js';

export interface AuditVerdict {
  readonly ok: boolean;
  readonly files: number;
  readonly records: number;
  readonly first_unix_s: number | null;
  readonly last_unix_s: number | null;
  /** The digest of the last line: kept elsewhere, it shows later whether lines were cut off. */
  readonly head_sha256: string;
  readonly problem?: AuditProblem;
}

/**
 * - `unreadable`: a line is no record
 * - `altered`: a line does not follow from the one before: either was changed, or some are gone
 * - `beginning_missing`: the first line follows from one that the log did not let go itself
 * - `end_missing`: the last line is not the one that was written last
 */
export interface AuditProblem {
  readonly kind: 'unreadable' | 'altered' | 'beginning_missing' | 'end_missing';
  readonly file: string;
  /** The line, from 1. */
  readonly line: number;
}

export interface VerifyOptions {
  /** The digest of the last line written, as the writer remembers it; undefined when unknown. */
  readonly head?: string | undefined;
  /** How much of the current file counts: the rest is being written. */
  readonly currentBytes?: number | undefined;
}

/**
 * Whether each line names the digest of the one before, from the first file to the last.
 * @throws system errors when a file cannot be read
 */
export async function verifyAudit(
  directory: string,
  { head, currentBytes }: VerifyOptions = {},
): Promise<AuditVerdict> {
  const walk = new ChainWalk();
  const rotated = await rotatedFiles(directory);
  for (const file of rotated) {
    await walk.through(file);
    if (walk.problem !== undefined) break;
  }
  if (walk.problem === undefined) await walk.through(currentFile(directory), currentBytes);
  return walk.verdict(rotated.length + 1, head);
}

class ChainWalk {
  problem: AuditProblem | undefined;
  #place = { file: '', line: 0 };
  #records = 0;
  #beginning: { readonly follows: string; readonly file: string } | undefined;
  #head = NOTHING_BEFORE;
  #firstS: number | null = null;
  #lastS: number | null = null;
  readonly #dropped = new Set([NOTHING_BEFORE]);

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

  verdict(files: number, head: string | undefined): AuditVerdict {
    const { follows, file } = this.#beginning ?? { follows: NOTHING_BEFORE, file: '' };
    if (this.problem === undefined && !this.#dropped.has(follows)) {
      this.problem = { kind: 'beginning_missing', file, line: 1 };
    }
    if (this.problem === undefined && head !== undefined && head !== this.#head) {
      this.#report('end_missing');
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
    const record = parseRecord(line);
    if (record === undefined) {
      this.#report('unreadable');
      return;
    }
    this.#beginning ??= { follows: record.prev_sha256, file: this.#place.file };
    if (this.#records > 0 && record.prev_sha256 !== this.#head) {
      this.#report('altered');
      return;
    }
    if (record.action === DROP_ACTION) this.#dropped.add(record.target.split(' ')[1] ?? '');
    this.#records += 1;
    this.#firstS ??= record.unix_s;
    this.#lastS = record.unix_s;
    this.#head = digestOf(line);
  }

  #report(kind: AuditProblem['kind']): void {
    this.problem = { kind, ...this.#place };
  }
}
