import { existsSync, mkdirSync, readFileSync, utimesSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { writeDurablySync } from '../../lib/durable-file.js';
import { sha256 } from '../spec/canonical.js';

/** A content under its own hash was changed, or cut off. */
export class BlobError extends Error {
  override readonly name = 'BlobError';
}

/**
 * Contents by their SHA-256: files of nodes without secrets, and builders. They are never changed,
 * so that every earlier state can be read until it is pruned. The thread that plans writes and prunes
 * them, one file after the other; the event loop only reads.
 */
export class Blobs {
  constructor(private readonly folder: string) {}

  /** Resolves when the content is on the disk. */
  putSync(hash: string, content: Uint8Array): void {
    const file = this.#pathOf(hash);
    if (existsSync(file)) {
      // A plan needs it anew: it is not old any more.
      const now = new Date();
      utimesSync(file, now, now);
      return;
    }
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    writeDurablySync(file, content);
  }

  /** @throws BlobError, system errors */
  getSync(hash: string): Buffer {
    return checked(hash, readFileSync(this.#pathOf(hash)));
  }

  /** @throws BlobError, system errors */
  async get(hash: string): Promise<Buffer> {
    return checked(hash, await readFile(this.#pathOf(hash)));
  }

  #pathOf(hash: string): string {
    if (!/^[0-9a-f]{64}$/.test(hash)) throw new BlobError(`${hash} is no SHA-256`);
    return path.join(this.folder, hash.slice(0, 2), hash);
  }
}

function checked(hash: string, content: Buffer): Buffer {
  if (sha256(content) !== hash) throw new BlobError(`the content ${hash} is damaged`);
  return content;
}
