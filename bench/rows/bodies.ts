import { createCipheriv, createHash } from 'node:crypto';

export const KIB = 1024;
export const MIB = 1024 * KIB;

/**
 * The number of different bodies: enough to notice the body of another key, without keeping one for
 * each key.
 */
const SMALL_KINDS = 16;
const LARGE_KINDS = 2;
const SMALL_BYTES_MAX = 64 * KIB;

const made = new Map<string, Buffer>();

/** Bytes that nothing compresses, the same in every process: known by size and index. */
export function bodyOf(bytes: number, index: number): Buffer {
  const kind = index % (bytes <= SMALL_BYTES_MAX ? SMALL_KINDS : LARGE_KINDS);
  const name = `${bytes}/${kind}`;
  const known = made.get(name);
  if (known !== undefined) return known;
  const key = createHash('sha256').update(name).digest();
  const body = createCipheriv('aes-256-ctr', key, Buffer.alloc(16)).update(Buffer.alloc(bytes));
  made.set(name, body);
  return body;
}
