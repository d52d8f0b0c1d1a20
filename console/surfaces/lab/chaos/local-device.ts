import { lstat, readdir, realpath } from 'node:fs/promises';
import path from 'node:path';
import type { ConsoleOptions } from '../../../config/load.js';

export type LocalOptions = Pick<ConsoleOptions, 'clusterNodes' | 'nodeRoot'>;

/** A device whose files are on this machine. */
export interface LocalDevice {
  readonly node: string;
  readonly ip: string;
  readonly device: string;
  /** Absolute, without links. */
  readonly folder: string;
}

/** A name that is one step of a path, and none of `.` and `..`. */
const STEP = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

/**
 * The devices of the roster that are below `node_root`: `node_root/<node>/<device>`, or
 * `node_root/<device>` where the roster has one node.
 */
export async function localDevices({
  clusterNodes,
  nodeRoot,
}: LocalOptions): Promise<LocalDevice[]> {
  if (nodeRoot === '') return [];
  const places = clusterNodes.flatMap(({ name, storage_ip: ip, devices }) =>
    devices.map((device) => ({ node: name, ip, device })),
  );
  const found = await Promise.all(
    places.map(async (place): Promise<LocalDevice[]> => {
      const steps = clusterNodes.length === 1 ? [[], [place.node]] : [[place.node]];
      for (const step of steps) {
        const folder = await folderBelow(nodeRoot, [...step, place.device]);
        if (folder !== undefined) return [{ ...place, folder }];
      }
      return [];
    }),
  );
  return found.flat();
}

/**
 * A folder below another one, over folders alone: no link is followed, nothing leads out.
 * @returns undefined where there is none
 */
export async function folderBelow(
  root: string,
  steps: readonly string[],
): Promise<string | undefined> {
  if (!steps.every((step) => STEP.test(step))) return undefined;
  try {
    let folder = await realpath(root);
    for (const step of steps) {
      folder = path.join(folder, step);
      if (!(await lstat(folder)).isDirectory()) return undefined;
    }
    return folder;
  } catch {
    return undefined;
  }
}

/** The names in a folder; none where it cannot be read. */
export async function namesIn(folder: string): Promise<string[]> {
  return (await readdir(folder).catch(() => [] as string[])).sort();
}

/**
 * How many updates of containers wait on local devices for these objects.
 * Their files are called `<hash of the object>-<time>`, so nothing of them is read.
 *
 * @param hashes - of objects, 32 hex digits
 */
export async function pendingUpdates(
  devices: readonly LocalDevice[],
  hashes: ReadonlySet<string>,
): Promise<number> {
  let count = 0;
  for (const { folder } of devices) {
    const queues = (await namesIn(folder)).filter((name) => /^async_pending(?:-\d+)?$/.test(name));
    for (const queue of queues) {
      for (const hash of hashes) {
        const names = await namesIn(path.join(folder, queue, hash.slice(-3)));
        count += names.filter((name) => name.startsWith(`${hash}-`)).length;
      }
    }
  }
  return count;
}
