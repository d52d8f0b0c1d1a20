import { BackendError } from '../errors.js';
import type { Metadata } from '../backend.js';
import { NO_ATTRIBUTES } from '../unread-page.js';

/**
 * Builds a record in a scratch buffer that grows and is reused; {@link take} copies it out. One
 * record at a time, without an await in between.
 */
export class ByteWriter {
  #bytes = Buffer.allocUnsafe(4096);
  #length = 0;

  begin(): this {
    this.#length = 0;
    return this;
  }

  uint8(value: number): this {
    this.#reserve(1);
    this.#bytes[this.#length++] = value;
    return this;
  }

  /** Sizes, times in milliseconds and ids: 48 bits, big-endian, so that keys sort as numbers. */
  uint48(value: number): this {
    this.#reserve(6);
    this.#length = this.#bytes.writeUIntBE(value, this.#length, 6);
    return this;
  }

  /** Seven bits a byte, low ones first; 0 to 2^32-1. */
  varint(value: number): this {
    this.#reserve(5);
    let rest = value >>> 0;
    while (rest > 0x7f) {
      this.#bytes[this.#length++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    this.#bytes[this.#length++] = rest;
    return this;
  }

  hex(value: string): this {
    this.#reserve(value.length / 2);
    this.#length += this.#bytes.write(value, this.#length, 'hex');
    return this;
  }

  text(value: string): this {
    const length = Buffer.byteLength(value);
    this.varint(length);
    this.#reserve(length);
    this.#length += this.#bytes.write(value, this.#length, 'utf8');
    return this;
  }

  /** An MD5 takes 17 bytes, any other ETag its text. */
  etag(value: string): this {
    if (isMd5(value)) return this.uint8(MD5_ETAG).hex(value);
    return this.uint8(TEXT_ETAG).text(value);
  }

  pairs(values: Metadata | undefined): this {
    if (values === undefined) return this.varint(0);
    const names = Object.keys(values);
    this.varint(names.length);
    for (const name of names) this.text(name).text(values[name] ?? '');
    return this;
  }

  /** Bytes written since {@link begin}. */
  get length(): number {
    return this.#length;
  }

  take(): Buffer {
    return Buffer.copyBytesFrom(this.#bytes, 0, this.#length);
  }

  #reserve(bytes: number): void {
    const needed = this.#length + bytes;
    if (needed <= this.#bytes.length) return;
    const grown = Buffer.allocUnsafe(Math.max(needed, this.#bytes.length * 2));
    this.#bytes.copy(grown, 0, 0, this.#length);
    this.#bytes = grown;
  }
}

/**
 * Methods that `toString` calls after checking its arguments, which takes as long again for a short
 * text. Node does not document them, but lmdb-js relies on them too.
 */
interface SliceableBuffer {
  utf8Slice(start: number, end: number): string;
  hexSlice(start: number, end: number): string;
}

/** UTF-8 from `start` to `end`. */
export function utf8Slice(bytes: Buffer, start: number, end: number): string {
  return (bytes as unknown as SliceableBuffer).utf8Slice(start, end);
}

/** A text that most records have in common: comparing it takes a sixth of decoding it. */
export class CommonText {
  #bytes = Buffer.alloc(0);
  #text = '';

  read(bytes: Buffer, start: number, end: number): string {
    if (!this.#is(bytes, start, end)) {
      this.#text = utf8Slice(bytes, start, end);
      this.#bytes = Buffer.copyBytesFrom(bytes, start, end - start);
    }
    return this.#text;
  }

  #is(bytes: Buffer, start: number, end: number): boolean {
    const common = this.#bytes;
    if (common.length !== end - start) return false;
    for (let i = 0; i < common.length; i++) {
      if (bytes[start + i] !== common[i]) return false;
    }
    return true;
  }
}

/** Reads a record. A value that does not fit its bounds is `Corrupt`, never a wrong one. */
export class ByteReader {
  #at = 0;

  /** `length` bytes of `bytes` are the record: LMDB's shared read buffer is longer than its value. */
  constructor(
    private readonly bytes: Buffer,
    private readonly length: number = bytes.length,
  ) {}

  uint8(): number {
    return this.bytes[this.#advance(1)] ?? 0;
  }

  uint48(): number {
    const at = this.#advance(6);
    return this.#uint(at) * 2 ** 24 + this.#uint(at + 3);
  }

  varint(): number {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.uint8();
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value >>> 0;
    }
    throw corrupt('a number has no end');
  }

  hex(bytes: number): string {
    const start = this.#advance(bytes);
    return (this.bytes as unknown as SliceableBuffer).hexSlice(start, start + bytes);
  }

  text(): string {
    const length = this.varint();
    if (length === 0) return '';
    const start = this.#advance(length);
    return utf8Slice(this.bytes, start, start + length);
  }

  /** A {@link text} that is mostly the same. */
  commonText(common: CommonText): string {
    const length = this.varint();
    const start = this.#advance(length);
    return common.read(this.bytes, start, start + length);
  }

  etag(): string {
    const form = this.uint8();
    if (form === MD5_ETAG) return this.hex(16);
    if (form === TEXT_ETAG) return this.text();
    throw corrupt('its ETag has an unknown form');
  }

  pairs(): Metadata {
    const count = this.varint();
    if (count === 0) return NO_ATTRIBUTES;
    const values: Record<string, string> = {};
    for (let i = 0; i < count; i++) {
      const name = this.text();
      // `__proto__` is an ordinary name here; assignment would lose it.
      if (name === '__proto__') Object.defineProperty(values, name, ownValue(this.text()));
      else values[name] = this.text();
    }
    return values;
  }

  skipText(): void {
    this.#advance(this.varint());
  }

  skipPairs(): void {
    for (let texts = this.varint() * 2; texts > 0; texts--) this.skipText();
  }

  /** @throws BackendError Corrupt unless everything was read */
  end(): void {
    if (this.#at !== this.length) throw corrupt('bytes are left over');
  }

  /** 24 bits; by hand, since `readUIntBE` takes twice the time. */
  #uint(at: number): number {
    const { bytes } = this;
    return ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
  }

  #advance(bytes: number): number {
    const start = this.#at;
    this.#at += bytes;
    if (this.#at > this.length) throw corrupt('it ends early');
    return start;
  }
}

const TEXT_ETAG = 0;
const MD5_ETAG = 1;
const MD5_HEX = /^[0-9a-f]{32}$/;

/** Whether an ETag looks like an MD5: then it is taken for that of the body. */
export function isMd5(etag: string): boolean {
  return MD5_HEX.test(etag);
}

function ownValue(value: string): PropertyDescriptor {
  return { value, enumerable: true, configurable: true, writable: true };
}

export function corrupt(detail: string): BackendError {
  return new BackendError('Corrupt', `a record of the index is damaged: ${detail}`);
}
