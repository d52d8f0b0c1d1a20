import path from 'node:path';
import type { FilledOptions } from './options.js';

/** Where the embedded store lies; the rest of the data directory belongs to the supervisor. */
export function storeDirectory(options: Pick<FilledOptions, 'dataDir'>): string {
  return path.join(options.dataDir, 'store');
}

/** Where cold copies lie unless the configuration says otherwise: in the data directory. */
export const DEFAULT_COLD_FOLDER = 'cold';
