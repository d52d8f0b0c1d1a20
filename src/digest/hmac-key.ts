import { createHmac, hash } from 'node:crypto';

const BLOCK_BYTES = 64;
/** HMAC takes the hash of a longer one instead. */
export const HMAC_KEY_BYTES_MAX = BLOCK_BYTES;
const DIGEST_BYTES = 32;
const INNER_PAD = 0x36;
const OUTER_PAD = 0x5c;
/** UTF-8 of one UTF-16 unit takes three bytes at most. */
const UTF8_BYTES_MAX = 3;
/** Strings to sign have some 140 characters; longer ones go the usual way. */
const TEXT_LENGTH_MAX = 1024;

/** Filled and hashed within one synchronous call. */
const inner = Buffer.alloc(BLOCK_BYTES + UTF8_BYTES_MAX * TEXT_LENGTH_MAX);
const outer = Buffer.alloc(BLOCK_BYTES + DIGEST_BYTES);
/** The beginnings of `inner`, by their length: there are few, and making one takes 0.1 µs. */
const innerViews: (Buffer | undefined)[] = [];

/**
 * A key of HMAC-SHA256 (RFC 2104) that signs many short texts: two one-shot hashes of 1.0 µs, where
 * `createHmac` takes 1.8 µs and leaves a native object to the garbage collector.
 */
export class HmacKey {
  readonly #innerPad: Buffer;
  readonly #outerPad: Buffer;

  /** @param key at most {@link HMAC_KEY_BYTES_MAX} */
  constructor(private readonly key: Buffer) {
    if (key.length > BLOCK_BYTES) throw new RangeError(`a key of ${key.length} bytes`);
    this.#innerPad = padded(key, INNER_PAD);
    this.#outerPad = padded(key, OUTER_PAD);
  }

  /** Lower-case hex of the text's MAC. */
  sign(text: string): string {
    if (text.length > TEXT_LENGTH_MAX) return this.#signLong(text);
    inner.set(this.#innerPad);
    const end = BLOCK_BYTES + inner.write(text, BLOCK_BYTES, 'utf8');
    const view = (innerViews[end] ??= inner.subarray(0, end));
    outer.set(this.#outerPad);
    outer.write(hash('sha256', view, 'hex'), BLOCK_BYTES, 'hex');
    return hash('sha256', outer, 'hex');
  }

  #signLong(text: string): string {
    return createHmac('sha256', this.key).update(text).digest('hex');
  }
}

function padded(key: Buffer, pad: number): Buffer {
  const block = Buffer.alloc(BLOCK_BYTES, pad);
  for (const [index, byte] of key.entries()) block[index] = byte ^ pad;
  return block;
}
