import { createHash } from 'node:crypto';
import { mkdir, open, type FileHandle } from 'node:fs/promises';
import path from 'node:path';

export interface AuditEvent {
  readonly actor: string;
  readonly role: string;
  readonly ip: string;
  /** What was done, such as `login` or `files.purge`. */
  readonly action: string;
  readonly target: string;
  readonly result: 'ok' | 'denied' | 'failed';
  readonly request_id: string;
}

export interface AuditRecord extends AuditEvent {
  readonly unix_s: number;
  /** Digest of the line before; of the first one, zeros. */
  readonly prev_sha256: string;
}

const FILE = 'audit.jsonl';
const NOTHING_BEFORE = '0'.repeat(64);
const TAIL_BYTES = 1024 * 1024;
/** A line is bounded, since a name is. */
const TARGET_LENGTH_MAX = 2048;

/** Who did what, a line each, chained: a line that is changed or taken out breaks the chain. */
export class AuditLog {
  #previous: string;
  #last: Promise<void> = Promise.resolve();

  private constructor(
    private readonly file: FileHandle,
    previous: string,
    private readonly now: () => number,
  ) {
    this.#previous = previous;
  }

  /** @throws system errors when the file cannot be read and written */
  static async open(directory: string, now: () => number = Date.now): Promise<AuditLog> {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const file = await open(path.join(directory, FILE), 'a+', 0o600);
    const { lines, size, tornBytes } = await readTail(file);
    // What a crash cut was never acknowledged.
    if (tornBytes > 0) await file.truncate(size - tornBytes);
    const last = lines.at(-1);
    return new AuditLog(file, last === undefined ? NOTHING_BEFORE : digest(last), now);
  }

  /** Resolves when the line is on the disk. @throws system errors */
  write(event: AuditEvent): Promise<void> {
    const written = this.#last.then(() => this.#append(event));
    this.#last = written.catch(() => undefined);
    return written;
  }

  /** The latest records, newest first. */
  async latest(accepts: (record: AuditRecord) => boolean, max: number): Promise<AuditRecord[]> {
    await this.#last;
    const { lines } = await readTail(this.file);
    const records = lines.reverse().flatMap((line) => parseRecord(line));
    return records.filter(accepts).slice(0, max);
  }

  async close(): Promise<void> {
    await this.#last;
    await this.file.close();
  }

  async #append(event: AuditEvent): Promise<void> {
    const record: AuditRecord = {
      unix_s: Math.floor(this.now() / 1000),
      ...event,
      target: event.target.slice(0, TARGET_LENGTH_MAX),
      prev_sha256: this.#previous,
    };
    const line = JSON.stringify(record);
    await this.file.appendFile(`${line}\n`);
    await this.file.datasync();
    this.#previous = digest(line);
  }
}

/** Whether each line names the digest of the one before. */
export function isUnbroken(lines: readonly string[]): boolean {
  return lines.every((line, index) => {
    const before = lines[index - 1];
    const [record] = parseRecord(line);
    return record?.prev_sha256 === (before === undefined ? NOTHING_BEFORE : digest(before));
  });
}

async function readTail(file: FileHandle) {
  const { size } = await file.stat();
  const start = Math.max(0, size - TAIL_BYTES);
  const buffer = Buffer.alloc(size - start);
  const { bytesRead } = await file.read(buffer, 0, buffer.length, start);
  const text = buffer.toString('utf8', 0, bytesRead);
  const lines = text.split('\n');
  const tornBytes = Buffer.byteLength(lines.pop() ?? '');
  // The first one may have begun before what was read.
  if (start > 0) lines.shift();
  return { lines: lines.filter((line) => line !== ''), size, tornBytes };
}

function parseRecord(line: string): AuditRecord[] {
  try {
    return [JSON.parse(line) as AuditRecord];
  } catch {
    return [];
  }
}

function digest(line: string): string {
  return createHash('sha256').update(line).digest('hex');
}
