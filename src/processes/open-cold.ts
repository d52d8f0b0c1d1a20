import { mkdirSync, statSync } from 'node:fs';
import path from 'node:path';
import type { ColdBackend } from '../cold/cold-backend.js';
import { DirectoryColdBackend } from '../cold/directory/directory-backend.js';
import { type FilledOptions, DEFAULT_COLD_FOLDER } from '../config/options.js';
import { messageOf } from '../lib/error-message.js';
import { StartError } from './child.js';

/**
 * The cold backend that the configuration names, as every child process opens it for itself.
 *
 * @returns undefined when it names none
 * @throws StartError `store` when its directory is not there
 */
export function openColdBackend(
  options: Pick<FilledOptions, 'coldBackend' | 'coldDir' | 'dataDir'>,
): ColdBackend | undefined {
  if (options.coldBackend === 'none') return undefined;
  const { coldDir, dataDir } = options;
  try {
    // Any other is not made: it may belong to a device that is not mounted.
    if (coldDir === path.join(dataDir, DEFAULT_COLD_FOLDER)) {
      mkdirSync(coldDir, { mode: 0o700, recursive: true });
    }
    if (!statSync(coldDir).isDirectory()) throw new Error('it is not a directory');
  } catch (error) {
    const message = `cold_dir ${coldDir} cannot be used: ${messageOf(error)}`;
    throw new StartError('store', message, { cause: error });
  }
  return new DirectoryColdBackend(coldDir);
}
