import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

/** Functions that change the entries of a folder; each of them takes a path first. */
const CHANGES = ['rename', 'rm', 'rmdir', 'mkdir'] as const;

/**
 * Has a hook called before every change of an entry below a folder, by whatever part of this process:
 * renames, by which files get in place, removals, and new folders.
 *
 * @param hook - is told the path that is changed: of a rename, where to
 * @returns what ends it
 */
export function beforeChanges(
  folder: string,
  hook: (path: string) => Promise<void> | void,
): () => void {
  const real = { ...fs.promises };
  const all = fs.promises as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>;
  for (const name of CHANGES) {
    const act = real[name] as (...args: unknown[]) => Promise<unknown>;
    all[name] = async (...args) => {
      const path = String(name === 'rename' ? args[1] : args[0]);
      if (path.startsWith(`${folder}/`)) await hook(path);
      return act(...args);
    };
  }
  syncBuiltinESMExports();
  return () => {
    Object.assign(fs.promises, real);
    syncBuiltinESMExports();
  };
}
