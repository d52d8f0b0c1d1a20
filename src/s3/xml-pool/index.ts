import { carriedError } from './carried-error.js';
import { PoolThread, type PoolThreadStats } from './pool-thread.js';
import {
  parseDocument,
  type DocumentName,
  type DocumentParser,
  type DocumentSettings,
  type ParsedDocument,
} from './documents.js';
import { XML_POOL_DEFAULTS, type FilledXmlPoolOptions, type XmlPoolOptions } from './options.js';
import type { ParseAnswer, ParseTask } from './protocol.js';

/**
 * Parses documents: small ones on the event loop, large ones on a thread of its own, which starts
 * with the first of them. 10,000 parts keep a thread busy for 0.2 s, and would keep everybody
 * waiting on the loop.
 */
export interface XmlPool extends DocumentParser {
  stats(): PoolThreadStats;
  /** Ends the thread after what was begun; resolves when it is gone. Later large documents fail. */
  close(): Promise<void>;
}

export function createXmlPool(options: XmlPoolOptions = {}): XmlPool {
  return new ThreadedParser({ ...XML_POOL_DEFAULTS, ...options });
}

class ThreadedParser implements XmlPool {
  readonly #thread: PoolThread<ParseTask, ParseAnswer>;

  constructor(private readonly options: FilledXmlPoolOptions) {
    this.#thread = new PoolThread({ ...options, tasksAtOnce: 1 });
  }

  async parse<Name extends DocumentName>(
    name: Name,
    body: Buffer,
    ...settings: DocumentSettings<Name>
  ): Promise<ParsedDocument<Name>> {
    if (this.#isSmall(body)) return parseDocument(name, body, settings);
    const answer = await this.#thread.run(() => {
      // The body may be a view of memory that others use too: only a copy can be moved.
      const copy = new Uint8Array(body);
      return { task: { name, body: copy, settings }, transfer: [copy.buffer] };
    });
    if ('error' in answer) throw carriedError(answer.error);
    return JSON.parse(answer.json) as ParsedDocument<Name>;
  }

  #isSmall(body: Buffer): boolean {
    const { inlineBytesMax } = this.options;
    if (body.length > inlineBytesMax) return false;
    return !hasMoreElements(body, inlineBytesMax / BYTES_PER_ELEMENT_MIN);
  }

  stats(): PoolThreadStats {
    return this.#thread.stats();
  }

  close(): Promise<void> {
    return this.#thread.close();
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
