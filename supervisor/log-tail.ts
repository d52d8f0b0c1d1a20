import type { Readable } from 'node:stream';
import { parseJson } from '../src/lib/parse-json.js';

/** A line of the log, with what it is found by. */
export interface LogEntry {
  readonly unixMs: number;
  readonly labels: LogLabels;
  readonly line: string;
}

export interface LogLabels {
  readonly service: 'ringway';
  /** Which kind of process wrote it. */
  readonly process: string;
  /** The listener's number; empty for other processes. */
  readonly worker: string;
  /** pino's, and `unknown` of what is no log line. */
  readonly level: string;
}

/** The bytes of all lines; a line counts its length and its bookkeeping. */
const BYTES_MAX = 4 * 1024 * 1024;
const ENTRY_OVERHEAD_BYTES = 200;
const LINE_MAX = 16 * 1024;

/** The last lines of the log, of this process and of its children, in the order of arrival. */
export class LogTail {
  #entries: LogEntry[] = [];
  /** Entries before it are gone. */
  #first = 0;
  #bytes = 0;
  #completeFromMs: number;

  /** @param completeFromMs - lines from before this time were written, but not kept */
  constructor(
    private readonly bytesMax = BYTES_MAX,
    completeFromMs = Date.now(),
  ) {
    this.#completeFromMs = completeFromMs;
  }

  /** Unix milliseconds from which on no line was let go. */
  get completeFromUnixMs(): number {
    return this.#completeFromMs;
  }

  /** @param writer - the process, where the line does not say it */
  add(text: string, writer: string): void {
    const line = text.trimEnd().slice(0, LINE_MAX);
    if (line === '') return;
    this.#entries.push(entryOf(line, writer));
    this.#bytes += line.length + ENTRY_OVERHEAD_BYTES;
    while (this.#bytes > this.bytesMax) {
      this.#dropOldest();
    }
    // Now and then, so that each line costs the same.
    if (this.#first > this.#entries.length / 2) {
      this.#entries = this.#entries.slice(this.#first);
      this.#first = 0;
    }
  }

  #dropOldest(): void {
    const oldest = this.#entries[this.#first];
    this.#first += 1;
    if (oldest === undefined) return;
    this.#bytes -= oldest.line.length + ENTRY_OVERHEAD_BYTES;
    this.#completeFromMs = Math.max(this.#completeFromMs, oldest.unixMs + 1);
  }

  /** Oldest first. */
  *entries(): Generator<LogEntry> {
    for (let index = this.#first; index < this.#entries.length; index++) {
      const entry = this.#entries[index];
      if (entry !== undefined) yield entry;
    }
  }

  /** Hands on what a child writes to its stderr, and keeps its lines. */
  follow(stderr: Readable, writer: string, to: NodeJS.WritableStream = process.stderr): void {
    let rest = '';
    stderr.setEncoding('utf8');
    stderr.on('data', (text: string) => {
      to.write(text);
      const lines = (rest + text).split('\n');
      rest = (lines.pop() ?? '').slice(0, LINE_MAX);
      for (const line of lines) this.add(line, writer);
    });
    stderr.on('end', () => {
      this.add(rest, writer);
    });
    // Its end says all there is to say.
    stderr.on('error', () => undefined);
  }
}

/** The lines of this process, which also go to stderr. */
export const processLog = new LogTail();

function entryOf(line: string, writer: string): LogEntry {
  const fields = fieldsOf(line);
  const text = (name: string): string | undefined => {
    const value = fields[name];
    return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
  };
  const time = Date.parse(text('time') ?? '');
  return {
    unixMs: Number.isNaN(time) ? Date.now() : time,
    labels: {
      service: 'ringway',
      process: text('process') ?? writer,
      worker: text('worker') ?? '',
      level: text('level') ?? 'unknown',
    },
    line,
  };
}

function fieldsOf(line: string): Readonly<Record<string, unknown>> {
  // Something else may begin with a brace, and a line may be cut.
  const fields = line.startsWith('{') ? parseJson(line) : undefined;
  return (fields ?? {}) as Readonly<Record<string, unknown>>;
}
