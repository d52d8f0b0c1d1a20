import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseIni } from '../../../../src/config/python-config.js';

/** Swift's own default, a week: where `object-server.conf` is not there, or says nothing. */
const DEFAULT_S = 604_800;

/**
 * After how many seconds a cluster forgets deletions: as the `object-server.conf` beside its rings has
 * it.
 */
export async function reclaimAgeS(storeDir: string): Promise<number> {
  const file = path.join(storeDir, 'object-server.conf');
  const text = storeDir === '' ? '' : await readFile(file, 'latin1').catch(() => '');
  const ini = parseIni(text);
  if (!ini.ok) return DEFAULT_S;
  const { defaults, sections } = ini.file;
  const given =
    sections.get('object-replicator')?.get('reclaim_age') ?? defaults.get('reclaim_age');
  const seconds = Number(given?.value ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds : DEFAULT_S;
}
