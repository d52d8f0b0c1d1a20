import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder of its own for a test; the caller removes it, see {@link removeFolder}. */
export function makeTempFolder(label: string): Promise<string> {
  return mkdtemp(join(tmpdir(), `ringway-${label}-`));
}

export async function removeFolder(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true });
}
