import type { Hash } from 'node:crypto';
import type { ContainerAcl, ContainerRef, LinkTarget, Metadata, Segment } from '../../backend.js';
import type { ByteSource } from '../../../lib/cancellation.js';

/**
 * An export: one file of lines of JSON, and bodies between them.
 *
 *   {"ringway_export":1}
 *   {"container":{…}}            all objects up to the next one are in it
 *   {"object":{…}}               `size` bytes of the body and a line break follow, if `body` is `bytes`
 *   {"end":{…}}                  the counts, and the SHA-256 of all bytes before this line
 *
 * Nothing of it is whole before the last line. docs/embedded-store.md has the fields.
 */
export const EXPORT_VERSION = 1;

/** A list of 10,000 segments takes 2 MB. */
const LINE_BYTES_MAX = 64 * 1024 * 1024;

export interface ExportedContainer extends ContainerRef {
  readonly created_ms: number;
  readonly metadata: Metadata;
  readonly system_metadata: Metadata;
  readonly acl: ContainerAcl;
}

export interface ExportedObject {
  readonly name: string;
  readonly size: number;
  readonly etag: string;
  readonly modified_ms: number;
  readonly content_type: string;
  readonly headers: Metadata;
  readonly metadata: Metadata;
  readonly system_metadata: Metadata;
  readonly attributes: Metadata;
  readonly delete_at_ms?: number | undefined;
  /** `absent`: kept in the cold tier, which is no part of the export. */
  readonly body: 'bytes' | 'segments' | 'link' | 'absent';
  readonly segments?: readonly Segment[] | undefined;
  readonly target?: LinkTarget | undefined;
}

export interface ExportEnd {
  readonly containers: number;
  readonly objects: number;
  /** The size of all bodies. */
  readonly bytes: number;
  readonly sha256: string;
}

export type ExportLine =
  | { readonly ringway_export: number }
  | { readonly container: ExportedContainer }
  | { readonly object: ExportedObject }
  | { readonly end: ExportEnd };

/** An export that cannot be read, and why. */
export class ExportFormatError extends Error {
  override readonly name = 'ExportFormatError';
}

/** Reads lines and bodies from a stream, and hashes what was taken of it. */
export class ExportReader {
  readonly #chunks: AsyncIterator<Buffer, unknown>;
  #held: Buffer = Buffer.alloc(0);

  constructor(
    source: ByteSource | AsyncIterable<Buffer>,
    private readonly hash: Hash,
  ) {
    this.#chunks = source[Symbol.asyncIterator]() as AsyncIterator<Buffer, unknown>;
  }

  /**
   * The next line, and the hash of all before it.
   * @throws ExportFormatError when there is none
   */
  async line(): Promise<{ readonly line: ExportLine; readonly before: () => string }> {
    const parts: Buffer[] = [];
    let length = 0;
    for (;;) {
      const at = this.#held.indexOf(LINE_BREAK);
      if (at !== -1) {
        parts.push(this.#held.subarray(0, at + 1));
        this.#held = this.#held.subarray(at + 1);
        break;
      }
      parts.push(this.#held);
      length += this.#held.length;
      if (length > LINE_BYTES_MAX) throw new ExportFormatError('a line of the export has no end');
      await this.#more();
    }
    const bytes = Buffer.concat(parts);
    const line = parse(bytes);
    if ('end' in line) {
      const sha256 = this.hash.digest('hex');
      return { line, before: () => sha256 };
    }
    this.hash.update(bytes);
    return { line, before: () => '' };
  }

  /** A body with the line break behind it. @throws (while it is read) ExportFormatError */
  async *body(size: number): AsyncGenerator<Buffer, void, undefined> {
    let left = size;
    while (left > 0) {
      if (this.#held.length === 0) await this.#more();
      const chunk = this.#held.subarray(0, left);
      this.#held = this.#held.subarray(chunk.length);
      left -= chunk.length;
      this.hash.update(chunk);
      yield chunk;
    }
    if (this.#held.length === 0) await this.#more();
    if (this.#held[0] !== LINE_BREAK)
      throw new ExportFormatError('a body has no line break behind it');
    this.hash.update(this.#held.subarray(0, 1));
    this.#held = this.#held.subarray(1);
  }

  async #more(): Promise<void> {
    const next = await this.#chunks.next();
    if (next.done === true) throw new ExportFormatError('the export ends early');
    this.#held = next.value;
  }
}

const LINE_BREAK = 0x0a;

function parse(bytes: Buffer): ExportLine {
  try {
    const line: unknown = JSON.parse(bytes.toString());
    if (typeof line === 'object' && line !== null) return line as ExportLine;
  } catch {
    // It is no JSON: said below.
  }
  throw new ExportFormatError('it is no export of a store, or a damaged one');
}
