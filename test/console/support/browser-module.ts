import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { SCRIPT_FOLDER } from '../../../console/server/console-folders.js';

/**
 * A module of the console's pages that needs no page, as it was compiled for browsers.
 * @param path below `console/`, without its ending
 */
export async function browserModule<Module>(path: string): Promise<Module> {
  const file = join(SCRIPT_FOLDER, `${path}.js`);
  return (await import(pathToFileURL(file).href)) as Module;
}
