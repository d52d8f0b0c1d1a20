import { createHash } from 'node:crypto';
import { open, type FileHandle } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { createGunzip } from 'node:zlib';
import type { RingData } from './ring-data.js';
import { corrupt, RingFileError } from './ring-error.js';
import { readRing, type Reading } from './ring-format.js';

/**
 * The largest ring file, packed or unpacked: four times a ring of 2^25 partitions and three
 * replicas.
 */
export const RING_BYTES_MAX = 512 * 1024 * 1024;

/** A ring file as it was read. */
export interface RingFile {
  readonly data: RingData;
  /** MD5 of the file in hexadecimal, as `swift-recon --md5` compares it. */
  readonly md5: string;
  /** Size of the file. */
  readonly bytes: number;
  /** Tells one state of the file from the next. */
  readonly stamp: string;
}

/**
 * Reads a ring file of version 1 or 2. Others get a turn at least every millisecond, but for the
 * JSON of a ring's devices, which takes one for each 500 devices or so.
 *
 * @throws RingFileError where it cannot be used
 */
export async function readRingFile(path: string, bytesMax = RING_BYTES_MAX): Promise<RingFile> {
  let file: FileHandle;
  try {
    file = await open(path, 'r');
  } catch (error) {
    throw unreadable(error);
  }
  try {
    const stat = await file.stat({ bigint: true });
    if (!stat.isFile()) throw new RingFileError('unreadable', 'it is no regular file');
    if (stat.size > bytesMax) throw tooLarge(bytesMax);
    const packed = await readAll(file, Number(stat.size));
    const { data, md5 } = await unpackRing(packed, bytesMax);
    return { data, md5, bytes: packed.length, stamp: stampOf(stat) };
  } catch (error) {
    throw error instanceof RingFileError ? error : unreadable(error);
  } finally {
    await file.close();
  }
}

/** A stamp that changes when a file is written anew, or another takes its place. */
export function stampOf(stat: {
  readonly ino: bigint;
  readonly size: bigint;
  readonly mtimeNs: bigint;
}): string {
  return `${stat.ino}-${stat.size}-${stat.mtimeNs}`;
}

/**
 * A ring from the bytes of a file.
 *
 * @throws RingFileError where it cannot be used
 */
export async function unpackRing(
  packed: Buffer,
  bytesMax = RING_BYTES_MAX,
): Promise<{ readonly data: RingData; readonly md5: string }> {
  const content = await gunzip(packed, bytesMax);
  const data = await inTurns(readRing(content));
  const md5 = createHash('md5');
  for (let at = 0; at < packed.length; at += HASH_SLICE_BYTES) {
    md5.update(packed.subarray(at, at + HASH_SLICE_BYTES));
    await setImmediate();
  }
  return { data, md5: md5.digest('hex') };
}

/** Some 200 microseconds of MD5. */
const HASH_SLICE_BYTES = 128 * 1024;

async function readAll(file: FileHandle, size: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafeSlow(size);
  const { bytesRead } = await file.read(bytes, 0, size, 0);
  if (bytesRead !== size) throw corrupt('it became shorter while it was read');
  return bytes;
}

const GZIP_BYTES_MIN = 18;
/** Deflate makes no more of a byte. */
const RATIO_MAX = 1032;

/**
 * Unpacks into memory of the size that the end of the file names, so that a file takes no more than
 * it says, and says no more than its own size allows.
 */
async function gunzip(packed: Buffer, bytesMax: number): Promise<Buffer> {
  if (packed.length < GZIP_BYTES_MIN || packed.readUInt16BE(0) !== 0x1f8b) {
    throw corrupt('it is not packed with gzip');
  }
  const size = packed.readUInt32LE(packed.length - 4);
  if (size > packed.length * RATIO_MAX) throw notWhole();
  if (size > bytesMax) throw tooLarge(bytesMax);
  const content = Buffer.allocUnsafeSlow(size);
  let filled = 0;
  const stream = createGunzip({ chunkSize: 64 * 1024 });
  stream.end(packed);
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      if (filled + chunk.length > size) throw notWhole();
      filled += chunk.copy(content, filled);
    }
  } catch (error) {
    throw error instanceof RingFileError ? error : notWhole();
  }
  if (filled !== size) throw notWhole();
  return content;
}

async function inTurns<T>(reading: Reading<T>): Promise<T> {
  let step = reading.next();
  while (step.done !== true) {
    await setImmediate();
    step = reading.next();
  }
  return step.value;
}

function notWhole(): RingFileError {
  return corrupt('its gzip stream is damaged or cut off');
}

function tooLarge(bytesMax: number): RingFileError {
  return new RingFileError('too_large', `it takes more than ${bytesMax} bytes, packed or unpacked`);
}

function unreadable(error: unknown): RingFileError {
  return new RingFileError('unreadable', `it cannot be read (${(error as Error).message})`);
}
