import type { FileHandle } from 'node:fs/promises';
import { z } from 'zod';
import type { ByteSource } from '../../lib/cancellation.js';
import type { ColdCopy } from '../cold-backend.js';
import { ColdError } from '../cold-error.js';

/**
 * A copy in one file, so that one rename makes it visible as a whole:
 *
 *     ringway-cold 1 0000001234\n     26 bytes; the last number is the length of the header
 *     {"policy":…}\n                  the header: JSON, what the copy is of
 *     …                               the body
 *
 * The first two lines can be read with `head -2`, where all else is lost.
 */

const PREAMBLE = /^ringway-cold 1 ([0-9]{10})\n$/;
const PREAMBLE_BYTES = 26;
/** 10,000 segments with names of 1.2 KiB. */
const HEADER_BYTES_MAX = 16 * 1024 * 1024;
const CHUNK_BYTES = 512 * 1024;

const HEADER = z.object({
  policy: z.int().nonnegative(),
  account: z.string(),
  id: z.string(),
  container: z.string(),
  object: z.string(),
  size: z.int().nonnegative(),
  etag: z.string(),
  lastModified: z.int(),
  segments: z
    .array(
      z.object({
        container: z.string(),
        object: z.string(),
        size: z.int().nonnegative(),
        etag: z.string(),
      }),
    )
    .optional(),
});

/** A copy as its file describes it. */
export interface ReadHeader {
  readonly copy: ColdCopy;
  /** The offset of the body in the file. */
  readonly bodyAt: number;
}

export function renderHeader(copy: ColdCopy): Buffer {
  const header = `${JSON.stringify(HEADER.parse(copy))}\n`;
  const length = String(Buffer.byteLength(header)).padStart(10, '0');
  return Buffer.from(`ringway-cold 1 ${length}\n${header}`);
}

/** @throws ColdError Corrupt, also for a file that is shorter or longer than its header says */
export async function readHeader(file: FileHandle): Promise<ReadHeader> {
  const preamble = (await readExactly(file, 0, PREAMBLE_BYTES)).toString('latin1');
  const length = Number(PREAMBLE.exec(preamble)?.[1] ?? NaN);
  if (!(length <= HEADER_BYTES_MAX)) throw corrupt('it does not begin as a copy');
  const copy = parseHeader(await readExactly(file, PREAMBLE_BYTES, length));
  const bodyAt = PREAMBLE_BYTES + length;
  const { size } = await file.stat();
  if (size !== bodyAt + copy.size) {
    throw corrupt(`it has ${size - bodyAt} bytes of body instead of ${copy.size}`);
  }
  return { copy, bodyAt };
}

/** Reads with one buffer, and closes the file at its end or when it is left. */
export async function* readBody(
  file: FileHandle,
  { copy, bodyAt }: ReadHeader,
): AsyncGenerator<Buffer> {
  try {
    const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, copy.size));
    for (let read = 0; read < copy.size;) {
      const length = Math.min(buffer.length, copy.size - read);
      const { bytesRead } = await file.read(buffer, 0, length, bodyAt + read);
      if (bytesRead === 0) throw corrupt('it ended while it was read');
      read += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

/**
 * Writes header and body from the beginning of the file.
 * @throws ColdError BodyMismatch; what the body throws, and the reason of the signal
 */
export async function writeCopy(
  file: FileHandle,
  copy: ColdCopy,
  body: Buffer | ByteSource,
  signal: AbortSignal | undefined,
): Promise<void> {
  await writeWhole(file, renderHeader(copy));
  let written = 0;
  for await (const chunk of Buffer.isBuffer(body) ? [body] : body) {
    signal?.throwIfAborted();
    written += chunk.length;
    if (written > copy.size) break;
    await writeWhole(file, chunk);
  }
  signal?.throwIfAborted();
  if (written === copy.size) return;
  const amount = written > copy.size ? 'more' : 'fewer';
  throw new ColdError('BodyMismatch', `the body has ${amount} than ${copy.size} bytes`);
}

/** A device that is nearly full takes a part of what it is given. */
async function writeWhole(file: FileHandle, bytes: Buffer): Promise<void> {
  for (let at = 0; at < bytes.length;) {
    const { bytesWritten } = await file.write(bytes, at, bytes.length - at, null);
    at += bytesWritten;
  }
}

async function readExactly(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  const { bytesRead } = await file.read(bytes, 0, length, position);
  if (bytesRead !== length) throw corrupt('it is shorter than its header');
  return bytes;
}

function parseHeader(bytes: Buffer): ColdCopy {
  try {
    return HEADER.parse(JSON.parse(bytes.toString('utf8')));
  } catch (error) {
    throw corrupt('its header cannot be read', error);
  }
}

function corrupt(detail: string, cause?: unknown): ColdError {
  return new ColdError('Corrupt', `a copy is damaged: ${detail}`, { cause });
}
