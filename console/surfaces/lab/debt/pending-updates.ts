import { readdir } from 'node:fs/promises';
import path from 'node:path';
import type { ClusterNode } from '../../../nodes/driver.js';

/** Updates of containers that wait on the disks of a node. */
export interface PendingUpdates {
  readonly count: number;
  /** When the oldest of them was written; null where none waits. */
  readonly oldestUnixS: number | null;
  /** Whether there may be more than were counted. */
  readonly isPartial: boolean;
}

/** Folders that one count reads at most: a device has up to 4096 for each policy. */
const FOLDERS_MAX = 20_000;
const FOLDER = /^async_pending(?:-\d+)?$/;
const SUFFIX = /^[0-9a-f]{3}$/;
/** Swift names an update by the hash of its object and the time of the write. */
const UPDATE = /^[0-9a-f]{32}-(\d{10}\.\d{5})/;

/**
 * Counts the updates below `<node_root>/<node>/<device>/async_pending[-N]/<suffix>`.
 * @returns nothing of nodes of which no device can be read here
 */
export async function pendingUpdates(
  nodeRoot: string,
  nodes: readonly Pick<ClusterNode, 'name' | 'devices'>[],
): Promise<Map<string, PendingUpdates>> {
  const found = new Map<string, PendingUpdates>();
  if (nodeRoot === '') return found;
  let folders = 0;
  const names = async (...parts: string[]): Promise<string[] | undefined> => {
    folders += 1;
    return readdir(path.join(nodeRoot, ...parts)).catch(() => undefined);
  };
  for (const { name, devices } of nodes) {
    const node = new NodeCount();
    for (const device of devices) {
      const top = await names(name, device);
      node.sawDevice(top !== undefined);
      for (const folder of (top ?? []).filter((one) => FOLDER.test(one))) {
        for (const suffix of (await names(name, device, folder)) ?? []) {
          if (!SUFFIX.test(suffix)) continue;
          if (folders < FOLDERS_MAX) node.add(await names(name, device, folder, suffix));
          else node.sawDevice(false);
        }
      }
    }
    if (node.result !== undefined) found.set(name, node.result);
  }
  return found;
}

class NodeCount {
  #count = 0;
  #oldestUnixS = Infinity;
  #isSeen = false;
  #isPartial = false;

  get result(): PendingUpdates | undefined {
    if (!this.#isSeen) return undefined;
    const oldestUnixS = this.#count === 0 ? null : this.#oldestUnixS;
    return { count: this.#count, oldestUnixS, isPartial: this.#isPartial };
  }

  sawDevice(isWhole: boolean): void {
    if (isWhole) this.#isSeen = true;
    else this.#isPartial = true;
  }

  /** @param files - of a suffix; undefined where it is gone, as after the last of its updates */
  add(files: readonly string[] | undefined): void {
    for (const file of files ?? []) {
      const [, time] = UPDATE.exec(file) ?? [];
      if (time === undefined) continue;
      this.#count += 1;
      this.#oldestUnixS = Math.min(this.#oldestUnixS, Number(time));
    }
  }
}
