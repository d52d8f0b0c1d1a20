import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { useEach, useOnce, type Fixture } from './fixture.js';

/** A folder of its own for each test of a `describe`. */
export function useTempFolder(label: string): Fixture<string> {
  return useEach(() => makeTempFolder(label), removeFolder);
}

/** A folder for all tests of a `describe`. */
export function useTempFolderOnce(label: string): Fixture<string> {
  return useOnce(() => makeTempFolder(label), removeFolder);
}

/** A folder of its own for a test; the caller removes it, see {@link removeFolder}. */
export function makeTempFolder(label: string): Promise<string> {
  return mkdtemp(join(tmpdir(), `ringway-${label}-`));
}

export async function removeFolder(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true });
}
