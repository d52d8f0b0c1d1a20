import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { archiveEnd, descriptor, localHeader, type ArchivedFile } from './archive-format.js';
import { MANIFEST, SIGNATURE } from './file-names.js';
import { capsuleJson, type CapsuleManifest, type SealedFile } from './manifest.js';
import type { CapsuleKey } from './signing.js';

/** A file to put into a capsule. */
export interface CapsuleFile {
  readonly path: string;
  readonly bytes: number;
  /** Opened when its turn has come. */
  readonly content: Buffer | (() => Promise<AsyncIterable<Buffer>>);
}

/** A file was not as long as it was said to be: the capsule is cut. */
export class ContentLengthError extends Error {
  override readonly name = 'ContentLengthError';
}

/**
 * Writes a capsule in one go: the files in the given order, each hashed on its way, and then the
 * manifest and its signature. Its reader decides how fast.
 *
 * @param files - in the order of `namesAfter`
 * @param describe - the manifest, but its files
 * @throws ContentLengthError; what the content of a file throws
 */
export async function* writeCapsule(
  files: readonly CapsuleFile[],
  describe: (sealed: readonly SealedFile[]) => Omit<CapsuleManifest, 'files'>,
  key: CapsuleKey,
): AsyncGenerator<Buffer, void, undefined> {
  const archived: ArchivedFile[] = [];
  const sealed: SealedFile[] = [];
  let offset = 0;
  async function* write({ path, bytes, content }: CapsuleFile): AsyncGenerator<Buffer> {
    const header = localHeader(path, bytes);
    const hash = createHash('sha256');
    let crc = 0;
    let written = 0;
    yield header;
    for await (const chunk of Buffer.isBuffer(content) ? [content] : await content()) {
      written += chunk.length;
      if (written > bytes) break;
      crc = crc32(chunk, crc);
      hash.update(chunk);
      yield chunk;
    }
    if (written !== bytes) throw new ContentLengthError(`${path} has another length than expected`);
    const end = descriptor(bytes, crc);
    yield end;
    archived.push({ path, bytes, crc, offset });
    sealed.push({ path, bytes, sha256: hash.digest('hex') });
    offset += header.length + bytes + end.length;
  }
  for (const file of files) yield* write(file);
  const manifest = Buffer.from(capsuleJson({ ...describe(sealed), files: [...sealed] }));
  yield* write({ path: MANIFEST, bytes: manifest.length, content: manifest });
  const signature = Buffer.from(capsuleJson(key.seal(manifest)));
  yield* write({ path: SIGNATURE, bytes: signature.length, content: signature });
  for (const { bytes } of archiveEnd(archived, offset)) yield bytes;
}
