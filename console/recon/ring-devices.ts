import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { presentDevices, type Device } from '../../src/ring/device.js';
import { RingFileError } from '../../src/ring/ring-error.js';
import { readRingFile, stampOf } from '../../src/ring/ring-file.js';

export type ServerType = 'account' | 'container' | 'object';

/** A device of a ring: where its server listens. */
export interface RingDevice extends Pick<Device, 'ip' | 'port' | 'device'> {
  readonly type: ServerType;
}

/** A ring by its devices: which partitions they have is not kept. */
export interface RingFile {
  readonly name: string;
  /** The MD5 of the file as it is, as recon compares rings. */
  readonly md5: string;
  readonly devices: readonly RingDevice[];
}

/** `object-1.ring.gz` is that of the storage policy 1. */
const RING_NAME = /^(account|container|object)(?:-\d+)?\.ring\.gz$/;
const RINGS_MAX = 256;

/** The rings of a directory; read again when their files change. */
export class Rings {
  readonly #read = new Map<string, { readonly stamp: string; readonly ring: RingFile }>();

  constructor(private readonly folder: string) {}

  /** @throws RingFileError @throws system errors when the directory cannot be read */
  async load(): Promise<RingFile[]> {
    const names = (await readdir(this.folder)).filter((name) => RING_NAME.test(name)).sort();
    if (names.length === 0) throw new RingFileError('unreadable', 'there are no rings');
    if (names.length > RINGS_MAX) throw new RingFileError('too_large', 'there are too many rings');
    const rings: RingFile[] = [];
    for (const name of names) rings.push(await this.#one(name));
    return rings;
  }

  async #one(name: string): Promise<RingFile> {
    const file = path.join(this.folder, name);
    const known = this.#read.get(name);
    if (known?.stamp === stampOf(await stat(file, { bigint: true }))) return known.ring;
    const { data, md5, stamp } = await readRingFile(file);
    const type = (RING_NAME.exec(name)?.[1] ?? 'object') as ServerType;
    const devices = presentDevices(data.devices).map(({ ip, port, device }) => ({
      type,
      ip,
      port,
      device,
    }));
    const ring = { name, md5, devices };
    this.#read.set(name, { stamp, ring });
    return ring;
  }
}
