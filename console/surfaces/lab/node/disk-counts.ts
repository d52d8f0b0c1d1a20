import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { presentDevices } from '../../../../src/ring/device.js';
import type { ClusterNode } from '../../../nodes/driver.js';
import type { LabRings, OpenRing } from '../ground/lab-rings.js';

/** The work for replicators and updaters on the disks below `node_root`. */
export interface DiskCounts {
  /** Copies of objects on devices that are no primaries of their partition. */
  readonly handoff_copies: number;
  /** Updates of containers that wait. */
  readonly async_pending: number;
  /** Whether there was more than is counted. */
  readonly partial: boolean;
}

/** Folders that one count reads at most. */
const FOLDERS_MAX = 20_000;

/**
 * Counts on the disks of nodes, in `<node_root>/<node>/<device>`.
 * @returns null where none of them can be seen
 */
export async function countDisks(
  nodeRoot: string,
  nodes: readonly ClusterNode[],
  rings: LabRings,
): Promise<DiskCounts | null> {
  if (nodeRoot === '') return null;
  const opened: OpenRing[] = [];
  for (const name of await rings.names()) {
    if (name.startsWith('object')) opened.push(await rings.open(name));
  }
  const count = new Count();
  for (const node of nodes) {
    for (const device of node.devices) {
      const folder = path.join(nodeRoot, node.name, device);
      for (const { name, ring } of opened) {
        const suffix = name.slice('object'.length);
        const own = presentDevices(ring.data.devices).find(
          (one) => one.ip === node.storage_ip && one.device === device,
        );
        const isPrimary = (part: number) =>
          own !== undefined && part < ring.partitionCount && ring.primaries(part).includes(own);
        await count.handoffs(path.join(folder, `objects${suffix}`), isPrimary);
        await count.pending(path.join(folder, `async_pending${suffix}`));
      }
    }
  }
  return count.result;
}

class Count {
  #folders = 0;
  #seen = false;
  #handoffs = 0;
  #pending = 0;

  get result(): DiskCounts | null {
    if (!this.#seen) return null;
    const partial = this.#folders >= FOLDERS_MAX;
    return { handoff_copies: this.#handoffs, async_pending: this.#pending, partial };
  }

  async handoffs(objects: string, isPrimary: (part: number) => boolean): Promise<void> {
    for (const part of await this.#names(objects)) {
      if (!/^\d+$/.test(part) || isPrimary(Number(part))) continue;
      for (const suffix of await this.#names(path.join(objects, part))) {
        if (!/^[0-9a-f]{3}$/.test(suffix)) continue;
        for (const hash of await this.#names(path.join(objects, part, suffix))) {
          const files = await this.#names(path.join(objects, part, suffix, hash));
          if (files.some((file) => file.endsWith('.data'))) this.#handoffs += 1;
        }
      }
    }
  }

  async pending(folder: string): Promise<void> {
    for (const suffix of await this.#names(folder)) {
      this.#pending += (await this.#names(path.join(folder, suffix))).length;
    }
  }

  async #names(folder: string): Promise<string[]> {
    if (this.#folders >= FOLDERS_MAX) return [];
    this.#folders += 1;
    try {
      const names = await readdir(folder);
      this.#seen = true;
      return names;
    } catch {
      return [];
    }
  }
}
