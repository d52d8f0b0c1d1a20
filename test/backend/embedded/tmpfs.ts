import { spawnSync } from 'node:child_process';

/** A small file system of its own, or undefined when this process may not mount. */
export function mountTmpfs(path: string, options: string): { unmount(): void } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', path]);
  if (status !== 0) return undefined;
  return {
    unmount() {
      const { status: result, stderr } = spawnSync('umount', [path], { encoding: 'utf8' });
      if (result !== 0) throw new Error(`cannot unmount ${path}: ${stderr}`);
    },
  };
}
