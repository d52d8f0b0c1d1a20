import { readdirSync } from 'node:fs';
import path from 'node:path';
import { policyOfFolder } from './disk-names.js';

/** A device whose objects are read. */
export interface VisibleDevice {
  /** The folder around it; empty for a device directly in the root. */
  readonly node: string;
  readonly device: string;
  readonly folder: string;
}

/** The devices below a root, in order: no link is followed. */
function visibleDevices(root: string): VisibleDevice[] {
  const found: VisibleDevice[] = [];
  const isDevice = (folder: string): boolean =>
    foldersIn(folder).some((name) => policyOfFolder(name) !== undefined);
  for (const name of foldersIn(root)) {
    const folder = path.join(root, name);
    if (isDevice(folder)) found.push({ node: '', device: name, folder });
    else {
      for (const device of foldersIn(folder)) {
        const inner = path.join(folder, device);
        if (isDevice(inner)) found.push({ node: name, device, folder: inner });
      }
    }
  }
  return found;
}

/** The devices below a root that a scan reads, in order. @param names - empty for all */
export function devicesToRead(root: string, names: readonly string[]): VisibleDevice[] {
  return visibleDevices(root).filter(({ device }) => names.length === 0 || names.includes(device));
}

function foldersIn(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : [])).sort();
  } catch {
    return [];
  }
}
