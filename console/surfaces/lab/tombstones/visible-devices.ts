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

/** The devices below a root, in order: no link is followed. @throws system errors */
export function visibleDevices(root: string): VisibleDevice[] {
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

function foldersIn(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : [])).sort();
  } catch {
    return [];
  }
}
