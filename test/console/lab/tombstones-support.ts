import { closeSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setAttrSync } from 'fs-native-extensions';

/** A pickle as Python writes it for bytes: `_codecs.encode(text, 'latin1')`. */
export function pickled(metadata: Readonly<Record<string, string>>): Buffer {
  const parts: Buffer[] = [Buffer.from([0x80, 2, 0x7d, 0x71, 0])];
  const unicode = (text: string): Buffer => {
    const bytes = Buffer.from(text, 'utf8');
    const head = Buffer.alloc(5);
    head.write('X', 'latin1');
    head.writeUInt32LE(bytes.length, 1);
    return Buffer.concat([head, bytes]);
  };
  const encoded = (text: string): Buffer =>
    Buffer.concat([
      Buffer.from('c_codecs\nencode\n'),
      unicode(Buffer.from(text, 'utf8').toString('latin1')),
      unicode('latin1'),
      Buffer.from([0x86, 0x52]),
    ]);
  parts.push(Buffer.from('('));
  for (const [key, value] of Object.entries(metadata)) parts.push(encoded(key), encoded(value));
  parts.push(Buffer.from('u.'));
  return Buffer.concat(parts);
}

/** Where an object's folder is, below the folder of devices. */
export interface ObjectFolder {
  readonly device: string;
  readonly part: number;
  readonly hash: string;
  readonly policy?: number;
}

/** Makes the folder of an object with files in it; `name` becomes their metadata. */
export function makeObject(
  root: string,
  { device, part, hash, policy = 0 }: ObjectFolder,
  files: readonly string[],
  name?: string,
): string {
  const objects = policy === 0 ? 'objects' : `objects-${policy}`;
  const folder = join(root, device, objects, String(part), hash.slice(-3), hash);
  mkdirSync(folder, { recursive: true });
  for (const file of files) {
    const path = join(folder, file);
    writeFileSync(path, '');
    if (name === undefined) continue;
    const fd = openSync(path, 'r');
    try {
      setAttrSync(fd, 'user.swift.metadata', pickled({ name, 'X-Timestamp': file.slice(0, 16) }));
    } catch {
      // A file system without attributes: the name lies beside the file.
      writeFileSync(`${path}.json`, JSON.stringify({ name }));
    } finally {
      closeSync(fd);
    }
  }
  return folder;
}
