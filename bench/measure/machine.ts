import { readFileSync } from 'node:fs';
import { availableParallelism, cpus, release, tmpdir, totalmem } from 'node:os';
import type { Results } from '../output/results.js';

/** The machine of the measurement. */
export function machine(): Results['machine'] {
  return {
    processors: availableParallelism(),
    model: cpus()[0]?.model.trim() ?? 'unknown',
    memoryBytes: totalmem(),
    kernel: release(),
    node: process.version,
    fileSystem: fileSystemOf(tmpdir()),
  };
}

/**
 * The file system of the mount that a path lies in: a store on tmpfs says nothing about syncing.
 */
export function fileSystemOf(path: string, mounts = readFileSync('/proc/mounts', 'utf8')): string {
  let best = { point: '', type: 'unknown' };
  for (const line of mounts.split('\n')) {
    const [, point = '', type = ''] = line.split(' ');
    const isWithin = path === point || path.startsWith(point.endsWith('/') ? point : `${point}/`);
    if (point !== '' && isWithin && point.length >= best.point.length) best = { point, type };
  }
  return best.type;
}
