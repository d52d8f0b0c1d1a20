import { createHash } from 'node:crypto';

interface Hashes {
  readonly md5: string;
  readonly sha256: string;
}

/** Bodies are few, and each is sent many times. */
const known = new WeakMap<Buffer, Hashes>();

function hashesOf(body: Buffer): Hashes {
  const found = known.get(body);
  if (found !== undefined) return found;
  const hex = (algorithm: string) => createHash(algorithm).update(body).digest('hex');
  const hashes = { md5: hex('md5'), sha256: hex('sha256') };
  known.set(body, hashes);
  return hashes;
}

export function md5Hex(body: Buffer): string {
  return hashesOf(body).md5;
}

export function sha256Hex(body: Buffer): string {
  return hashesOf(body).sha256;
}
