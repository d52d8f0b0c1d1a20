import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readdir, type FileHandle } from 'node:fs/promises';
import path from 'node:path';

export interface AuditEvent {
  readonly actor: string;
  readonly role: string;
  readonly ip: string;
  /** What was done, such as `login` or `files.purge`. */
  readonly action: string;
  readonly target: string;
  /**
   * An action of some length has two records with the same request: one before it is done, and one
   * of its outcome. `partial` is some of many names.
   */
  readonly result: AuditResult;
  readonly request_id: string;
  /** The account whose containers it is about; empty before a login, and for other events. */
  readonly account?: string;
  /** How it was done, and to how many; bounded by who writes it. */
  readonly details?: AuditDetails;
}

export const AUDIT_RESULTS = ['begun', 'ok', 'partial', 'denied', 'failed'] as const;
export type AuditResult = (typeof AUDIT_RESULTS)[number];

export type AuditDetails = Readonly<
  Record<string, string | number | boolean | null | readonly string[]>
>;

export interface AuditRecord extends AuditEvent {
  readonly unix_s: number;
  /** Digest of the line before; of the first one ever, zeros. */
  readonly prev_sha256: string;
}

export const NOTHING_BEFORE = '0'.repeat(64);
/** Its target names a file that was let go, and the digest of that file's last line. */
export const DROP_ACTION = 'audit.drop';

const CURRENT = 'audit.jsonl';
const ROTATED = /^audit-(\d{8})\.jsonl$/;

export function currentFile(directory: string): string {
  return path.join(directory, CURRENT);
}

/** Files that are full, oldest first. */
export async function rotatedFiles(directory: string): Promise<string[]> {
  const names = (await readdir(directory)).filter((name) => ROTATED.test(name)).sort();
  return names.map((name) => path.join(directory, name));
}

/** The name that comes after those that are there. */
export function nextRotated(directory: string, rotated: readonly string[]): string {
  const [, digits = '0'] = ROTATED.exec(path.basename(rotated.at(-1) ?? '')) ?? [];
  return path.join(directory, `audit-${String(Number(digits) + 1).padStart(8, '0')}.jsonl`);
}

export function digestOf(line: string): string {
  return createHash('sha256').update(line).digest('hex');
}

/** @returns undefined for what is no record */
export function parseRecord(line: string): AuditRecord | undefined {
  try {
    const record = JSON.parse(line) as Partial<AuditRecord> | null;
    const isRecord = typeof record?.prev_sha256 === 'string' && typeof record.unix_s === 'number';
    return isRecord ? (record as AuditRecord) : undefined;
  } catch {
    return undefined;
  }
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

/** Targets are bounded, and so is all else of a record. */
const LINE_LENGTH_MAX = 64 * 1024;
const TAIL_BYTES = 2 * LINE_LENGTH_MAX;

export interface Tail {
  /** The last whole line; undefined for none. */
  readonly line: string | undefined;
  readonly size: number;
  /** What a crash has cut, at the end. */
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
