import type { Segment } from '../backend.js';
import { ByteReader, ByteWriter, corrupt } from './bytes.js';
import { forEachInSlices } from './slices.js';

/**
 * The index's record of a large object's segments: one row, in the table of small bodies.
 *
 *   offset  bytes
 *        0      1  layout version
 *        1      6  how many segments, n
 *        7   12 n  of each: where it ends in the large object (6), where its entry begins (6)
 *                  the beginning that all object names share; count and names of the containers
 *                  n entries: ETag, number of the container, rest of the object name
 *
 * The table at fixed places finds the segment of a byte by bisection, and no more than the segments
 * that are read is ever decoded. Parts of an upload share all of their names but the number: 10,000
 * of them take 0.36 MB.
 */

const LAYOUT = 1;
const TABLE_AT = 7;
const NUMBER_BYTES = 6;
const ROW_BYTES = 2 * NUMBER_BYTES;

/** Gives the loop to others while it works through a long list. */
export async function encodeSegments(segments: readonly Segment[]): Promise<Buffer> {
  const prefix = await sharedPrefix(segments);
  const containers = [...new Set(segments.map(({ container }) => container))];
  const numbers = new Map(containers.map((container, number) => [container, number]));
  const table = new ByteWriter().begin().uint8(LAYOUT).uint48(segments.length);
  const rest = new ByteWriter().begin().text(prefix).varint(containers.length);
  for (const container of containers) rest.text(container);
  const entriesAt = TABLE_AT + segments.length * ROW_BYTES;
  let end = 0;
  await forEachInSlices(segments, ({ container, object, size, etag }) => {
    end += size;
    table.uint48(end).uint48(entriesAt + rest.length);
    rest
      .etag(etag)
      .varint(numbers.get(container) ?? 0)
      .text(object.slice(prefix.length));
  });
  return Buffer.concat([table.take(), rest.take()]);
}

/** A list as it was read: its memory has to be its own. */
export class SegmentList implements Iterable<Segment> {
  readonly count: number;
  readonly #prefix: string;
  readonly #containers: readonly string[];

  /** @throws BackendError Corrupt */
  constructor(private readonly bytes: Buffer) {
    const reader = new ByteReader(bytes);
    if (reader.uint8() !== LAYOUT) throw corrupt('it is not a list of segments');
    this.count = reader.uint48();
    const namesAt = TABLE_AT + this.count * ROW_BYTES;
    if (this.count === 0 || namesAt > bytes.length) throw corrupt('a list of segments is cut off');
    const names = new ByteReader(bytes.subarray(namesAt));
    this.#prefix = names.text();
    this.#containers = Array.from({ length: names.varint() }, () => names.text());
  }

  /** Bytes of the large object. */
  get size(): number {
    return this.endOf(this.count - 1);
  }

  /** The first byte of a segment in the large object. */
  startOf(index: number): number {
    return index === 0 ? 0 : this.endOf(index - 1);
  }

  /** The byte behind the last one of a segment in the large object. */
  endOf(index: number): number {
    return this.bytes.readUIntBE(TABLE_AT + index * ROW_BYTES, NUMBER_BYTES);
  }

  /** The segment that the byte at `position` belongs to; the count when none does. */
  indexAt(position: number): number {
    let low = 0;
    for (let high = this.count; low < high;) {
      const middle = (low + high) >>> 1;
      if (this.endOf(middle) > position) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** @throws BackendError Corrupt */
  get(index: number): Segment {
    const at = TABLE_AT + index * ROW_BYTES + NUMBER_BYTES;
    const entry = new ByteReader(this.bytes.subarray(this.bytes.readUIntBE(at, NUMBER_BYTES)));
    const etag = entry.etag();
    const container = this.#containers[entry.varint()];
    const object = this.#prefix + entry.text();
    const size = this.endOf(index) - this.startOf(index);
    if (container === undefined || size < 0) throw corrupt('an entry of a list of segments');
    return { container, object, size, etag };
  }

  *[Symbol.iterator](): Iterator<Segment> {
    for (let index = 0; index < this.count; index++) yield this.get(index);
  }
}

/** The prefix that all object names share, cut between characters. */
async function sharedPrefix(segments: readonly Segment[]): Promise<string> {
  const first = segments[0]?.object ?? '';
  let length = first.length;
  await forEachInSlices(segments, ({ object }) => {
    if (object.startsWith(first.slice(0, length))) return;
    length = Math.min(length, object.length);
    while (first.slice(0, length) !== object.slice(0, length)) length--;
  });
  // Half of a surrogate pair would not survive UTF-8.
  const splits = /[\uD800-\uDBFF]$/.test(first.slice(0, length));
  return first.slice(0, splits ? length - 1 : length);
}
