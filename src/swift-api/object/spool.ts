import { randomUUID } from 'node:crypto';
import { open, unlink, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { ByteSource } from '../../lib/byte-source.js';
import { SwiftError } from '../swift-error.js';

/** A body that is all there: in memory when it is small, in a file without a name otherwise. */
export interface Spooled {
  readonly size: number;
  readonly body: Buffer | ByteSource;
  close(): Promise<void>;
}

export interface SpoolOptions {
  readonly memoryBytes: number;
  readonly bytesMax: number;
  /** Where files may be made. */
  readonly directory: string;
  /** Sees each chunk once. */
  readonly each: (chunk: Buffer) => void;
}

/** @throws SwiftError 413; what the source throws */
export async function spool(source: ByteSource, options: SpoolOptions): Promise<Spooled> {
  const chunks: Buffer[] = [];
  let size = 0;
  let file: FileHandle | undefined;
  try {
    for await (const chunk of source) {
      size += chunk.length;
      if (size > options.bytesMax) throw new SwiftError(413);
      options.each(chunk);
      if (file === undefined && size <= options.memoryBytes) {
        chunks.push(Buffer.from(chunk));
        continue;
      }
      file ??= await unnamedFile(options.directory);
      for (const held of chunks.splice(0)) await file.writeFile(held);
      await file.writeFile(chunk);
    }
  } catch (error) {
    await file?.close();
    throw error;
  }
  if (file === undefined) {
    return { size, body: Buffer.concat(chunks), close: () => Promise.resolve() };
  }
  return fileSpool(file, size);
}

/** Gone with its descriptor, also when the process dies. */
async function unnamedFile(directory: string): Promise<FileHandle> {
  const path = join(directory, `upload-${randomUUID()}`);
  const file = await open(path, 'wx+', 0o600);
  await unlink(path);
  return file;
}

const READ_BYTES = 256 * 1024;

function fileSpool(file: FileHandle, size: number): Spooled {
  async function* body(): AsyncGenerator<Buffer, void> {
    const buffer = Buffer.allocUnsafe(READ_BYTES);
    for (let at = 0; at < size;) {
      const { bytesRead } = await file.read(buffer, 0, READ_BYTES, at);
      if (bytesRead === 0) return;
      at += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  }
  return { size, body: body(), close: () => file.close() };
}
