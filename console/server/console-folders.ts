import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const OWN_FOLDER = path.dirname(fileURLToPath(import.meta.url));

/** The sources of the console: HTML, style sheets and icons are served as they are there. */
export const SOURCE_FOLDER = sourceFolder(OWN_FOLDER);
/** The same tree as it was compiled: the scripts that browsers load are there. */
export const SCRIPT_FOLDER = path.join(OWN_FOLDER, '..');

/** Beside the nearest package.json: compiled files may lie at any depth below it. */
function sourceFolder(folder: string): string {
  if (existsSync(path.join(folder, 'package.json'))) return path.join(folder, 'console');
  return sourceFolder(path.dirname(folder));
}
