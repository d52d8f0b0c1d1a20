import { mkdir, open, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { SerialQueues } from '../promises.js';
import {
  currentFile,
  digestOf,
  DROP_ACTION,
  lastDigest,
  linesOf,
  nextRotated,
  NOTHING_BEFORE,
  parseRecord,
  readTail,
  rotatedFiles,
  type AuditDetails,
  type AuditEvent,
  type AuditRecord,
} from './audit-files.js';
import { verifyAudit, type AuditVerdict } from './audit-verify.js';

export interface AuditLogOptions {
  readonly now?: () => number;
  /** The limit of all files together. */
  readonly bytesMax?: number;
}

const BYTES_MAX = 64 * 1024 * 1024;
/** What is let go at a time is one file: a small part of what there is. */
const FILES = 8;
const TEXT_LENGTH_MAX = 2048;
/** The length as JSON. */
const DETAILS_LENGTH_MAX = 24 * 1024;

/**
 * A log with a line for each action and its user. The lines are chained: one that is changed or
 * removed breaks the chain. A full file is renamed, and the next one continues the chain; the
 * oldest is deleted when all are too large, and a record says where the rest begins.
 */
export class AuditLog {
  readonly #queue = new SerialQueues();

  private constructor(
    private readonly directory: string,
    private readonly options: Required<AuditLogOptions>,
    private file: FileHandle,
    private size: number,
    private head: string,
  ) {}

  /** @throws system errors when the files cannot be read and written */
  static async open(directory: string, options: AuditLogOptions = {}): Promise<AuditLog> {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const { now = Date.now, bytesMax = BYTES_MAX } = options;
    const file = await open(currentFile(directory), 'a+', 0o600);
    const { line, size, tornBytes } = await readTail(file);
    // What a crash cut was never acknowledged.
    if (tornBytes > 0) await file.truncate(size - tornBytes);
    const before = (await rotatedFiles(directory)).at(-1);
    const head =
      line === undefined
        ? before === undefined
          ? undefined
          : await lastDigest(before)
        : digestOf(line);
    const filled = { now, bytesMax };
    return new AuditLog(directory, filled, file, size - tornBytes, head ?? NOTHING_BEFORE);
  }

  /** Resolves when the line is on the disk. @throws system errors; then there is nothing of it */
  write(event: AuditEvent): Promise<void> {
    return this.#queue.run('', async () => {
      if (this.size >= this.options.bytesMax / FILES) await this.#rotate();
      await this.#append(event);
    });
  }

  /** The latest records that are accepted, newest first. */
  async latest(accepts: (record: AuditRecord) => boolean, max: number): Promise<AuditRecord[]> {
    const files = [...(await rotatedFiles(this.directory)), currentFile(this.directory)];
    const found: AuditRecord[] = [];
    for (const file of files.reverse()) {
      const rest = max - found.length;
      if (rest <= 0) break;
      found.push(...(await latestOf(file, accepts, rest)));
    }
    return found;
  }

  /** Whether all files are as they were written, down to the last line. */
  verify(): Promise<AuditVerdict> {
    return this.#queue.run('', () =>
      verifyAudit(this.directory, { head: this.head, currentBytes: this.size }),
    );
  }

  async close(): Promise<void> {
    await this.#queue.run('', () => this.file.close());
  }

  async #append(event: AuditEvent): Promise<void> {
    const record: AuditRecord = {
      unix_s: Math.floor(this.options.now() / 1000),
      ...event,
      actor: event.actor.slice(0, TEXT_LENGTH_MAX),
      target: event.target.slice(0, TEXT_LENGTH_MAX),
      ...(event.details === undefined ? {} : { details: bounded(event.details) }),
      prev_sha256: this.head,
    };
    const line = JSON.stringify(record);
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
    const rotated = await rotatedFiles(this.directory);
    const to = nextRotated(this.directory, rotated);
    // The file may be gone already, if the last attempt got no further.
    await rename(currentFile(this.directory), to).catch(ignoreAbsent);
    const file = await open(currentFile(this.directory), 'a+', 0o600);
    await this.file.close();
    this.file = file;
    this.size = 0;
    await syncDirectory(this.directory);
    await this.#dropOldest([...rotated, to]);
  }

  /** The record comes first: a file that is gone without one is missing. */
  async #dropOldest(rotated: readonly string[]): Promise<void> {
    const sizes = await Promise.all(rotated.map(async (file) => (await stat(file)).size));
    let bytes = sizes.reduce((sum, size) => sum + size, 0);
    const room = this.options.bytesMax - this.options.bytesMax / FILES;
    for (const [index, oldest] of rotated.entries()) {
      if (bytes <= room) return;
      bytes -= sizes[index] ?? 0;
      const target = `${path.basename(oldest)} ${(await lastDigest(oldest)) ?? NOTHING_BEFORE}`;
      const console = { actor: 'console', role: '', ip: '', request_id: '' };
      await this.#append({ ...console, action: DROP_ACTION, target, result: 'ok' });
      await rm(oldest);
    }
  }
}

/** A line has to be one that is read back. */
function bounded(details: AuditDetails): AuditDetails {
  return JSON.stringify(details).length <= DETAILS_LENGTH_MAX ? details : { too_long: true };
}

async function latestOf(
  file: string,
  accepts: (record: AuditRecord) => boolean,
  max: number,
): Promise<AuditRecord[]> {
  let found: AuditRecord[] = [];
  try {
    for await (const line of linesOf(file)) {
      const record = parseRecord(line);
      if (record === undefined || !accepts(record)) continue;
      found.push(record);
      if (found.length >= 2 * max) found = found.slice(-max);
    }
  } catch (error) {
    // Let go, or cut, while it was read; whether it is whole is what `verify` is for.
    const isGone = (error as NodeJS.ErrnoException).code === 'ENOENT';
    if (!isGone && !(error instanceof RangeError)) throw error;
  }
  return found.slice(-max).reverse();
}

function ignoreAbsent(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}

async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
