import { access, mkdir, readdir, rename, rm, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Device } from '../../../../src/ring/device.js';
import { rebalance, ringOf } from '../../../../src/ring/builder/rebalance.js';
import {
  changeBuilder,
  newBuilder,
  type BuilderState,
} from '../../../../src/ring/builder/state.js';
import { PathHash } from '../../../../src/ring/path-hash.js';
import { Ring } from '../../../../src/ring/ring.js';
import { writeRing } from '../../../../src/ring/ring-writer.js';
import { fragmentBytes } from '../policies/storage-cost.js';
import { folderOf } from '../tombstones/disk-names.js';

/** A file of this name says that a folder is a sample, and no part of a cluster. */
const SAMPLE_MARK = 'ringway-sample.txt';

const ACCOUNT = 'AUTH_sample';
const SALT = 'sample';
const PART_POWER = 8;
const NODES = 4;
const DEVICES_PER_NODE = 3;
const DAY_S = 86_400;
const CODING = {
  type: 'liberasurecode_rs_vand',
  dataFragments: 4,
  parityFragments: 2,
  segmentBytes: 1_048_576,
  duplicationFactor: 1,
};

const SWIFT_CONF = `[swift-hash]
swift_hash_path_suffix = ${SALT}
swift_hash_path_prefix =

[storage-policy:0]
name = gold
default = yes

[storage-policy:1]
name = coded
policy_type = erasure_coding
ec_type = ${CODING.type}
ec_num_data_fragments = ${CODING.dataFragments}
ec_num_parity_fragments = ${CODING.parityFragments}
`;

const MARK_TEXT =
  "This directory contains sample data for learning the Ringway Lab. The rings were built with Ringway's\nring builder, and the disks hold files named and placed as Swift does it. There is no cluster behind\nthis data: the ring addresses are documentation addresses (RFC 5737), and nothing responds there.\n";

/** The places of the parts of a sample. */
export interface SampleCluster {
  /** For `store_dir`. */
  readonly storeDir: string;
  /** For `node_root`. */
  readonly nodeRoot: string;
  /** A configuration of the service whose console shows the sample. */
  readonly configFile: string;
  readonly objects: number;
  readonly deleted: number;
}

/**
 * Makes a folder for learning the Lab without a cluster: rings, swift.conf, and the disks of four
 * nodes with objects and with what is left of deleted ones.
 *
 * @param folder - is made; must be empty
 * @param atS - seconds since 1970: ages are counted from it
 * @throws Error where the folder is not empty; system errors
 */
export async function makeSampleCluster(folder: string, atS: number): Promise<SampleCluster> {
  const nowS = Math.floor(atS);
  await mkdir(folder, { recursive: true });
  if ((await readdir(folder)).length > 0) throw new Error(`${folder} is not empty`);
  const [storeDir, nodeRoot] = [path.join(folder, 'cluster'), path.join(folder, 'disks')];
  await mkdir(path.join(storeDir, 'backups'), { recursive: true });
  await mkdir(nodeRoot);
  for (const place of [storeDir, nodeRoot]) {
    await writeFile(path.join(place, SAMPLE_MARK), MARK_TEXT);
  }
  await writeFile(path.join(storeDir, 'swift.conf'), SWIFT_CONF);
  const rings = await writeRings(storeDir, nowS);
  const disks = new SampleDisks(nodeRoot, rings);
  const counts = await fill(disks, nowS);
  const configFile = path.join(folder, 'ringway.json');
  const config = { console_config: 'console.json', data_dir: 'data' };
  const consoleConfig = { lab_enabled: true, store_dir: 'cluster', node_root: 'disks' };
  await writeFile(configFile, `${JSON.stringify(config, null, 2)}\n`);
  const consoleFile = path.join(folder, 'console.json');
  await writeFile(consoleFile, `${JSON.stringify(consoleConfig, null, 2)}\n`);
  return { storeDir, nodeRoot, configFile, ...counts };
}

/** Rings of both policies, and the one of objects as it was before the last node came. */
async function writeRings(storeDir: string, nowS: number): Promise<readonly Ring[]> {
  const made = (replicas: number): [former: BuilderState, now: BuilderState] => {
    const empty = newBuilder({ partPower: PART_POWER, replicas, minPartHours: 0 });
    const first = grown(empty, devicesOf(1, NODES - 1), nowS - 30 * DAY_S);
    return [first, grown(first, devicesOf(NODES, NODES), nowS - DAY_S)];
  };
  const write = (name: string, state: BuilderState): Promise<void> =>
    writeFile(path.join(storeDir, `${name}.ring.gz`), writeRing(ringOf(state)));
  const [former, copies] = made(3);
  const [, coded] = made(CODING.dataFragments + CODING.parityFragments);
  await write('account', copies);
  await write('container', copies);
  await write('object', copies);
  await write('object-1', coded);
  await write(path.join('backups', `${nowS - 30 * DAY_S}.object`), former);
  return [new Ring(ringOf(copies)), new Ring(ringOf(coded))];
}

function grown(state: BuilderState, devices: readonly Omit<Device, 'id'>[], atS: number) {
  const changes = devices.map((device) => ({ kind: 'add' as const, device }));
  return rebalance(changeBuilder(state, changes), { seed: 1, nowS: atS }).state;
}

/** Devices of nodes with these numbers; each node is a zone. Weights differ, as disks do. */
function devicesOf(first: number, last: number): Omit<Device, 'id'>[] {
  const found: Omit<Device, 'id'>[] = [];
  for (let node = first; node <= last; node++) {
    for (let disk = 1; disk <= DEVICES_PER_NODE; disk++) {
      const ip = `192.0.2.${10 + node}`;
      const place = { region: 1, zone: node, ip, port: 6200, device: `n${node}d${disk}` };
      const weight = node === NODES ? 200 : disk === DEVICES_PER_NODE ? 150 : 100;
      found.push({ ...place, replicationIp: ip, replicationPort: 6200, weight, meta: '' });
    }
  }
  return found;
}

/** The disks of the sample's nodes, and what Swift would write to them. */
class SampleDisks {
  readonly #hash = new PathHash({ prefix: Buffer.alloc(0), suffix: Buffer.from(SALT) });

  constructor(
    private readonly root: string,
    /** By the index of the policy. */
    private readonly rings: readonly Ring[],
  ) {}

  /** Devices that should have an object, and the first that stands in for one. */
  placesOf(name: string, policy: number) {
    const ring = this.rings[policy];
    if (ring === undefined) throw new Error(`there is no policy ${policy}`);
    const hash = this.#hash.hex(ACCOUNT, 'photos', name);
    const part = ring.partition(hash);
    const handoff = ring.handoffs(part).next().value;
    return { hash, part, primaries: ring.primaries(part), handoff };
  }

  /** The folder of an object on one device. */
  folder(name: string, policy: number, device: Device): string {
    const { hash, part } = this.placesOf(name, policy);
    const below = [folderOf(policy), String(part), hash.slice(-3), hash];
    return path.join(this.root, `node${device.zone}`, device.device, ...below);
  }

  /** A file of an object, of zeros; its name is beside it, as disks without attributes have it. */
  async write(name: string, folder: string, file: string, bytes = 0): Promise<string> {
    await mkdir(folder, { recursive: true });
    const place = path.join(folder, file);
    await writeFile(place, '');
    await truncate(place, bytes);
    const metadata = { name: `/${ACCOUNT}/photos/${name}` };
    await writeFile(`${place}.json`, JSON.stringify(metadata));
    return place;
  }

  /**
   * Data that is deleted later. @returns deletes it: a file system tells moments apart by some
   * milliseconds, and the folder has to be older than its tombstone
   */
  async doomed(name: string, folder: string, ts: string): Promise<() => Promise<void>> {
    const data = await this.write(name, folder, `${stamp(Number(ts.slice(0, 16)) - DAY_S)}.data`);
    return async () => {
      await this.write(name, folder, `${ts}.ts`);
      await rm(data);
      await rm(`${data}.json`);
    };
  }
}

/** Each class of the Tombstone Museum, how many objects of it, and their ages in days. */
const DELETED = [
  ['normal', 12, [0.01, 0.2, 1, 2, 3, 5]],
  ['split', 4, [2, 4]],
  ['handoff', 3, [1]],
  ['overdue', 5, [9, 12, 20]],
  ['expired', 6, [0.5, 3]],
  ['phantom', 2, [1]],
  ['reconciler', 2, [2]],
] as const;
const LIVING = 40;

async function fill(disks: SampleDisks, nowS: number) {
  let objects = 0;
  for (; objects < LIVING; objects++) {
    const policy = objects % 4 === 0 ? 1 : 0;
    const [name, bytes] = [`2026/${objects}.jpg`, 1000 * 3 ** (objects % 9)];
    const ts = stamp(nowS - objects * 5000);
    const { primaries } = disks.placesOf(name, policy);
    for (const [index, device] of primaries.entries()) {
      const file = policy === 0 ? `${ts}.data` : `${ts}#${index}#d.data`;
      const size = policy === 0 ? bytes : fragmentBytes(CODING, bytes);
      await disks.write(name, disks.folder(name, policy, device), file, size);
    }
  }
  const deletions: (() => Promise<void>)[] = [];
  let deleted = 0;
  for (const [kind, count, ages] of DELETED) {
    for (let index = 0; index < count; index++) {
      const ageS = (ages[index % ages.length] ?? 1) * DAY_S + index * 60;
      deletions.push(...(await leave(disks, kind, `deleted/${kind}-${index}.jpg`, nowS - ageS)));
      deleted += 1;
    }
  }
  for (const deletion of deletions) await deletion();
  return { objects, deleted };
}

/** Makes an object of this class. @returns what deletes it */
async function leave(
  disks: SampleDisks,
  kind: (typeof DELETED)[number][0],
  name: string,
  atS: number,
): Promise<(() => Promise<void>)[]> {
  const { primaries, handoff } = disks.placesOf(name, 0);
  const at = kind === 'expired' ? `${Math.floor(atS)}.00000` : stamp(atS);
  const ts = kind === 'reconciler' ? `${at}_0000000000000001` : at;
  const others = kind === 'handoff' && handoff !== undefined ? [handoff] : [];
  const folders = [...primaries, ...others].map((device) => disks.folder(name, 0, device));
  const deletions: (() => Promise<void>)[] = [];
  for (const [index, folder] of folders.entries()) {
    if (kind === 'phantom') await neverThere(disks, name, folder, ts);
    else if (kind === 'split' && index === 0) {
      await disks.write(name, folder, `${stamp(atS - DAY_S)}.data`, 4096);
    } else deletions.push(await disks.doomed(name, folder, ts));
  }
  return deletions;
}

/** The deletion of what was not there makes the tombstone first, and then its folder. */
async function neverThere(
  disks: SampleDisks,
  name: string,
  folder: string,
  ts: string,
): Promise<void> {
  const device = path.resolve(folder, '../../../..');
  const made = await disks.write(name, path.join(device, 'tmp'), `${ts}.ts`);
  await mkdir(folder, { recursive: true });
  for (const end of ['', '.json']) {
    await rename(`${made}${end}`, path.join(folder, `${ts}.ts${end}`));
  }
}

/** A timestamp as Swift writes it; no whole second, which is the expirer's. */
function stamp(seconds: number): string {
  return `${Math.floor(seconds)}.12345`;
}

/** Whether a folder is one of a sample. */
export async function isSample(folder: string): Promise<boolean> {
  return access(path.join(folder, SAMPLE_MARK)).then(
    () => true,
    () => false,
  );
}
