import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { UsageError } from './options.js';

/**
 * Refuses files that could not be written, before a run of minutes is lost with them. It writes
 * nothing itself: a former file stays until there is something to replace it.
 * @param files by flag; undefined where the flag was not given
 * @throws UsageError with every file that is refused
 */
export async function expectWritable(
  files: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const problems: string[] = [];
  for (const [flag, path] of Object.entries(files)) {
    const why = path === undefined ? undefined : await whyNot(path);
    if (why !== undefined)
      problems.push(`--${flag}: got ${path}, expected a file that can be written: ${why}`);
  }
  if (problems.length > 0) throw new UsageError(problems);
}

async function whyNot(path: string): Promise<string | undefined> {
  try {
    if ((await stat(path)).isDirectory()) return 'it is a folder';
    await access(path, constants.W_OK);
    return undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT') return code ?? 'unusable';
  }
  try {
    if (!(await stat(dirname(path))).isDirectory()) return 'its folder is a file';
    await access(dirname(path), constants.W_OK);
    return undefined;
  } catch (error) {
    return `its folder: ${(error as NodeJS.ErrnoException).code ?? 'unusable'}`;
  }
}
