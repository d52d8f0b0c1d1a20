import { Buffer } from 'node:buffer';
import { METADATA, PLACEMENT, REPLICAS } from '../../src/capsule/file-names.js';
import type { CapsuleManifest, SealedFile } from '../../src/capsule/manifest.js';
import { CapsuleKey } from '../../src/capsule/signing.js';
import { writeCapsule, type CapsuleFile } from '../../src/capsule/write-capsule.js';

export const KEY = CapsuleKey.generate();

/** A file whose content is text. */
export function textFile(path: string, text: string): CapsuleFile {
  const content = Buffer.from(text);
  return { path, bytes: content.length, content };
}

/** The documents that each capsule has. */
export const DOCUMENTS = [
  textFile(REPLICAS, '{"rows":[]}'),
  textFile(PLACEMENT, '{"part":3}'),
  textFile(METADATA, '{"client":{}}'),
];

/** A manifest of a plain object. */
export function describedAs(
  object: Partial<CapsuleManifest['object']> = {},
): (files: readonly SealedFile[]) => Omit<CapsuleManifest, 'files'> {
  return (files) => ({
    capsule: 1,
    created_unix_s: 1_700_000_000,
    cluster: 'test',
    source_version: '0.1.0',
    object: {
      account: 'AUTH_test',
      container: 'c',
      name: 'o',
      version_id: null,
      policy: 'gold',
      kind: 'plain',
      state: 'present',
      has_body: true,
      etag: 'e',
      sha256: files.find(({ path }) => path === 'body')?.sha256 ?? null,
      bytes: 5,
      x_timestamp: '1700000000.00000',
      ...object,
    },
  });
}

/** The bytes of a capsule. */
export async function capsuleOf(
  files: readonly CapsuleFile[],
  describe = describedAs(),
  key = KEY,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of writeCapsule(files, describe, key)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** A small capsule of a plain object. */
export function smallCapsule(): Promise<Buffer> {
  return capsuleOf([textFile('body', 'hello'), ...DOCUMENTS]);
}

/** As a stream, in chunks of `size`. */
export async function* streamed(bytes: Buffer, size = 64 * 1024): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) {
    yield await Promise.resolve(bytes.subarray(at, at + size));
  }
}
