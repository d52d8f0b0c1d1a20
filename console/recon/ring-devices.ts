import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { z } from 'zod';

export type ServerType = 'account' | 'container' | 'object';

/** A device of a ring: where its server listens. */
export interface RingDevice {
  readonly type: ServerType;
  readonly ip: string;
  readonly port: number;
  readonly device: string;
}

export interface RingFile {
  readonly name: string;
  /** The MD5 of the file as it is, as recon compares rings. */
  readonly md5: string;
  readonly devices: readonly RingDevice[];
}

/** A file that should be a ring, and is none. */
export class RingError extends Error {
  override readonly name = 'RingError';
}

/** `object-1.ring.gz` is that of the storage policy 1. */
const RING_NAME = /^(account|container|object)(?:-\d+)?\.ring\.gz$/;
const FILE_BYTES_MAX = 64 * 1024 * 1024;
const RING_BYTES_MAX = 512 * 1024 * 1024;
const RINGS_MAX = 256;

const MAGIC = 'R1NG';
const DEVICES = z.array(
  z.object({ ip: z.string(), port: z.int().min(1).max(65_535), device: z.string() }).nullable(),
);

const decompress = promisify(gunzip);

/** The rings of a directory; read again when their files change. */
export class Rings {
  readonly #read = new Map<string, { readonly stamp: string; readonly ring: RingFile }>();

  constructor(private readonly folder: string) {}

  /** @throws RingError @throws system errors when the directory cannot be read */
  async load(): Promise<RingFile[]> {
    const names = (await readdir(this.folder)).filter((name) => RING_NAME.test(name)).sort();
    if (names.length === 0) throw new RingError('there are no rings');
    if (names.length > RINGS_MAX) throw new RingError('there are too many rings');
    const rings: RingFile[] = [];
    for (const name of names) rings.push(await this.#one(name));
    return rings;
  }

  async #one(name: string): Promise<RingFile> {
    const file = path.join(this.folder, name);
    const { mtimeMs, size, ino } = await stat(file);
    if (size > FILE_BYTES_MAX) throw new RingError(`${name} is too large for a ring`);
    const stamp = `${ino} ${size} ${mtimeMs}`;
    const known = this.#read.get(name);
    if (known?.stamp === stamp) return known.ring;
    const bytes = await readFile(file);
    const ring = {
      name,
      md5: createHash('md5').update(bytes).digest('hex'),
      devices: await devicesOf(name, bytes),
    };
    this.#read.set(name, { stamp, ring });
    return ring;
  }
}

async function devicesOf(name: string, compressed: Buffer): Promise<RingDevice[]> {
  const type = (RING_NAME.exec(name)?.[1] ?? 'object') as ServerType;
  let json: unknown;
  try {
    json = devicesJson(await decompress(compressed, { maxOutputLength: RING_BYTES_MAX }));
  } catch (error) {
    throw new RingError(`${name} is no ring`, { cause: error });
  }
  const devices = DEVICES.safeParse(json);
  if (!devices.success) throw new RingError(`${name} has no list of devices`);
  return devices.data.flatMap((one) => (one === null ? [] : [{ type, ...one }]));
}

/**
 * Version 1: magic, version, the length of one document in 32 bits, the document. Version 2 (Swift
 * 2.36): sections with their length in 64 bits, the second of which is the devices
 * (Swift's ring/ring.py and ring/io.py).
 */
function devicesJson(bytes: Buffer): unknown {
  if (bytes.subarray(0, 4).toString('latin1') !== MAGIC) throw new RingError('wrong magic');
  const version = bytes.readUInt16BE(4);
  if (version === 1) {
    const length = bytes.readUInt32BE(6);
    const document = JSON.parse(bytes.subarray(10, 10 + length).toString()) as { devs?: unknown };
    return document.devs;
  }
  if (version !== 2) throw new RingError(`version ${version}`);
  const second = 14 + Number(bytes.readBigUInt64BE(6));
  const length = Number(bytes.readBigUInt64BE(second));
  return JSON.parse(bytes.subarray(second + 8, second + 8 + length).toString()) as unknown;
}
