import { stat } from 'node:fs/promises';
import path from 'node:path';
import { realpathSync } from 'node:fs';
import { PathHash } from '../../../../src/ring/path-hash.js';
import { readRingFile } from '../../../../src/ring/ring-file.js';
import { Ring } from '../../../../src/ring/ring.js';
import { readSwiftConf } from '../../../../src/ring/swift-conf.js';
import type { ThreadTask } from '../../../server/compute-thread.js';
import { nameOf, type Exhibit } from './classify.js';
import { findExhibit, readExhibits, type ExhibitsPage, type PageInput } from './exhibits-file.js';
import { scanTombstones, type ScanInput, type ScanRings } from './scan.js';
import { devicesToRead, type VisibleDevice } from './visible-devices.js';
import type { ScanSummary } from './summary.js';

/** The thread of the Museum: it may block. */

/** The facts that tell the devices of rings apart. */
export interface ScanCluster {
  /** Empty: no ring says which devices are primaries. */
  readonly storeDir: string;
  readonly hashConf: string;
  /** The address of each node, by the name of its folder. */
  readonly nodes: Readonly<Record<string, string>>;
}

export type MuseumTask =
  | { readonly name: 'scan'; readonly input: ScanInput; readonly cluster: ScanCluster }
  | { readonly name: 'page'; readonly input: PageInput }
  | { readonly name: 'find'; readonly input: { readonly file: string; readonly hash: string } };

export type MuseumAnswer =
  | { readonly kind: 'scan'; readonly summary: ScanSummary }
  | { readonly kind: 'page'; readonly page: ExhibitsPage }
  | { readonly kind: 'find'; readonly exhibit: Exhibit | null }
  | { readonly kind: 'problem'; readonly code: string };

/** One task; a system error is an answer. */
export default async function run({
  task,
  progress,
}: ThreadTask<MuseumTask>): Promise<MuseumAnswer> {
  try {
    if (task.name === 'page') return { kind: 'page', page: await readExhibits(task.input) };
    if (task.name === 'find') {
      const { file, hash } = task.input;
      return { kind: 'find', exhibit: await findExhibit(file, hash) };
    }
    const { input, cluster } = task;
    const rings = await ringsOf(cluster, devicesToRead(realpathSync(input.root), input.devices));
    const summary = scanTombstones(input, rings, (told) => progress?.postMessage(told));
    return { kind: 'scan', summary };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    return { kind: 'problem', code };
  } finally {
    progress?.close();
  }
}

const RINGS_MAX = 64;

async function ringsOf(
  cluster: ScanCluster,
  devices: readonly VisibleDevice[],
): Promise<ScanRings> {
  const { storeDir, hashConf, nodes } = cluster;
  const nothing: ScanRings = { primaries: () => undefined, isName: () => true };
  if (storeDir === '') return nothing;
  const conf = hashConf === '' ? path.join(storeDir, 'swift.conf') : hashConf;
  const swift = await readSwiftConf(conf).catch(() => undefined);
  if (swift === undefined) return nothing;
  const hash = new PathHash(swift.salt);
  const rings = new Map<number, Ring>();
  for (const { index, ringName } of [...swift.policies.values()].slice(0, RINGS_MAX)) {
    const file = path.join(storeDir, `${ringName}.ring.gz`);
    // A ring that cannot be used says nothing; RingScope shows its fault.
    const read = await stat(file).then(
      () => readRingFile(file).catch(() => undefined),
      () => undefined,
    );
    if (read !== undefined) rings.set(index, new Ring(read.data));
  }
  const visible = devices.map((one) => ({ ...one, ip: nodes[one.node] }));
  return {
    primaries: (policy, part) => {
      const ring = rings.get(policy);
      if (ring === undefined || part >= ring.partitionCount) return undefined;
      const names = new Set<string>();
      for (const { device, ip } of ring.primaries(part)) {
        const known = visible.filter((one) => one.device === device);
        const here = known.filter((one) => one.ip === ip);
        // Without addresses, a device is known by its name where no other one has it.
        const [match] = here.length > 0 ? here : known.filter((one) => one.ip === undefined);
        const isSure = here.length === 1 || isOnly(ring, device, known.length);
        if (match !== undefined && isSure) names.add(nameOf(match));
      }
      return names;
    },
    isName: (name, wanted) => {
      const [, account = '', container, ...object] = name.split('/');
      if (container === undefined || object.length === 0) return false;
      return hash.hex(account, container, object.join('/')) === wanted;
    },
  };
}

function isOnly(ring: Ring, device: string, visible: number): boolean {
  const same = ring.data.devices.filter((one) => one?.device === device).length;
  return same === 1 && visible === 1;
}
