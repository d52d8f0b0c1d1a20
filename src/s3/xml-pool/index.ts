import { performance } from 'node:perf_hooks';
import { Piscina } from 'piscina';
import { S3Error } from '../errors.js';
import {
  parseDocument,
  type DocumentName,
  type DocumentParser,
  type DocumentSettings,
  type ParsedDocument,
} from './documents.js';
import { XML_POOL_DEFAULTS, type FilledXmlPoolOptions, type XmlPoolOptions } from './options.js';
import type { CarriedError, ParseAnswer, ParseTask } from './protocol.js';

export interface XmlPoolStats {
  /** Documents that wait for the thread. */
  readonly queued: number;
  /** Documents that are being parsed. */
  readonly active: number;
}

/**
 * Parses documents: small ones on the event loop, large ones on a thread of its own, which starts
 * with the first of them. 10,000 parts keep a thread busy for 0.2 s, and would keep everybody
 * waiting on the loop. Nothing is *rendered* here: a thousand entries, which is the most that any
 * answer has, take 0.3 ms, and to hand them over takes as long.
 */
export interface XmlPool extends DocumentParser {
  stats(): XmlPoolStats;
  /** Ends the thread after what was begun; resolves when it is gone. Later large documents fail. */
  close(): Promise<void>;
}

export function createXmlPool(options: XmlPoolOptions = {}): XmlPool {
  return new ThreadedParser({ ...XML_POOL_DEFAULTS, ...options });
}

class ThreadedParser implements XmlPool {
  #pool: Piscina<ParseTask, ParseAnswer> | undefined;
  readonly #running = new Set<Promise<ParseAnswer>>();
  #closed = false;

  constructor(private readonly options: FilledXmlPoolOptions) {}

  async parse<Name extends DocumentName>(
    name: Name,
    body: Buffer,
    ...settings: DocumentSettings<Name>
  ): Promise<ParsedDocument<Name>> {
    if (this.#isSmall(body)) return parseDocument(name, body, settings);
    // The body may be a view of memory that others use too: only a copy can be moved.
    const answer = await this.#run({ name, body: new Uint8Array(body), settings });
    if ('error' in answer) throw toS3Error(answer.error);
    return JSON.parse(answer.json) as ParsedDocument<Name>;
  }

  #isSmall(body: Buffer): boolean {
    const { inlineBytesMax } = this.options;
    return (
      body.length <= inlineBytesMax &&
      !hasMoreElements(body, inlineBytesMax / BYTES_PER_ELEMENT_MIN)
    );
  }

  stats(): XmlPoolStats {
    const active = Math.min(1, this.#running.size);
    return { active, queued: this.#running.size - active };
  }

  async close(): Promise<void> {
    this.#closed = true;
    // Piscina's own close forgets what waits for a thread that is still starting.
    await Promise.allSettled(this.#running);
    const pool = this.#pool;
    this.#pool = undefined;
    await pool?.close();
  }

  async #run(task: ParseTask): Promise<ParseAnswer> {
    if (this.#closed || this.#running.size >= this.options.tasksMax) {
      throw new S3Error('ServiceUnavailable');
    }
    const postedAt = performance.now();
    const running = this.#post(task);
    this.#running.add(running);
    try {
      const answer = await running;
      const totalS = (performance.now() - postedAt) / 1000;
      this.options.onTask({ waitS: Math.max(0, totalS - answer.runS), runS: answer.runS });
      return answer;
    } finally {
      this.#running.delete(running);
    }
  }

  async #post(task: ParseTask): Promise<ParseAnswer> {
    const pool = (this.#pool ??= this.#startPool());
    try {
      return await pool.run(task, { transferList: [task.body.buffer] });
    } catch (error) {
      // The thread's module throws nothing of its own: the thread is gone, or could not start.
      this.#discard(pool);
      throw new S3Error('InternalError', undefined, {}, { cause: error });
    }
  }

  #startPool(): Piscina<ParseTask, ParseAnswer> {
    const pool = new Piscina<ParseTask, ParseAnswer>({
      filename: this.options.workerFile,
      minThreads: 0,
      maxThreads: 1,
      idleTimeout: this.options.idleTimeoutMs,
    });
    // Emitted when the thread dies between tasks, or does not start: piscina would not try again.
    pool.on('error', () => {
      this.#discard(pool);
    });
    return pool;
  }

  /** The next document starts a new pool; what waits in the old one is rejected. */
  #discard(pool: Piscina<ParseTask, ParseAnswer>): void {
    if (this.#pool === pool) this.#pool = undefined;
    void pool.destroy();
  }
}

/** A client's elements take more; elements are what costs time, 1 µs each. */
const BYTES_PER_ELEMENT_MIN = 12;
const LESS_THAN = 0x3c;
const SLASH = 0x2f;

function hasMoreElements(body: Buffer, max: number): boolean {
  let elements = 0;
  for (let at = body.indexOf(LESS_THAN); at !== -1; at = body.indexOf(LESS_THAN, at + 1)) {
    if (body[at + 1] !== SLASH && ++elements > max) return true;
  }
  return false;
}

function toS3Error({ code, message, details, cause }: CarriedError): S3Error {
  return new S3Error(code, message, details, { cause });
}
