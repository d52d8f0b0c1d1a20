import { mapLimited } from '../../lib/promises.js';
import { sumsFile } from '../drivers/local.js';
import type { Driver } from '../drivers/driver.js';
import { nodeOf, type Applied } from '../plan/make-plan.js';
import { withSecrets } from '../render/files.js';
import { sha256 } from '../spec/canonical.js';
import type { Blobs } from '../state/blobs.js';
import { areRead, readSecrets, type Secrets } from './secrets.js';
import type { AppliedFile } from './store.js';

/** A file of a node that is not what it should be. */
export interface DriftedFile {
  readonly path: string;
  /** SHA-256; null where there is no such file. */
  readonly is: string | null;
  readonly should_be: string;
  /** `secret`: a secret was changed since the file was installed. `file`: the file was. */
  readonly changed: 'secret' | 'file';
}

/** How the files of a node compare with those that should be there. */
export interface NodeDrift {
  readonly node: string;
  readonly state: 'in_sync' | 'drift' | 'unknown';
  /** Why it is not known. */
  readonly why?: string;
  readonly files: readonly DriftedFile[];
  readonly checked_unix_s: number;
}

export interface DriftOptions {
  readonly driver: Driver;
  readonly blobs: Blobs;
  readonly secretsDir: string;
  readonly nowS: () => number;
}

/** Nodes that are asked at a time. */
const AT_A_TIME = 8;

/** Compares the files of all nodes with what is in force, and with the secrets as they are now. */
export async function driftOf(
  { applied, installed: all }: AppliedFile,
  { driver, blobs, secretsDir, nowS }: DriftOptions,
): Promise<NodeDrift[]> {
  const secrets = await readSecrets(secretsDir, applied, blobs);
  // Without them, files are compared with what was installed.
  const wanted = areRead(secrets) ? await hashesWith(applied, secrets, blobs) : all;
  // In the order of the specification, and not of the run that installed them.
  return mapLimited(Object.keys(applied.files), AT_A_TIME, async (node) => {
    const installed = all[node] ?? {};
    const checked = nowS();
    try {
      const hashes = await driver.hashes(nodeOf(applied, node), Object.keys(installed));
      const files = [...hashes].flatMap(([path, is]): DriftedFile[] => {
        const before = installed[path] ?? '';
        const should = wanted[node]?.[path] ?? before;
        if (is === should) return [];
        return [{ path, is, should_be: should, changed: should === before ? 'file' : 'secret' }];
      });
      const state = files.length === 0 ? 'in_sync' : 'drift';
      return { node, state, files, checked_unix_s: checked };
    } catch (error) {
      const why = (error as Error).message;
      return { node, state: 'unknown', why, files: [], checked_unix_s: checked };
    }
  });
}

/** SHA-256 of all files with these secrets: by node, then by path. */
async function hashesWith(
  { files }: Applied,
  secrets: Secrets,
  blobs: Blobs,
): Promise<Record<string, Record<string, string>>> {
  const found: Record<string, Record<string, string>> = {};
  for (const [node, own] of Object.entries(files)) {
    const hashes: { readonly path: string; readonly sha256: string }[] = [];
    for (const [path, file] of Object.entries(own)) {
      const hash =
        file.secrets === 'none'
          ? file.sha256
          : sha256(
              withSecrets({ secrets: file.secrets, content: await blobs.get(file.sha256) }, (ref) =>
                // Every secret that a file names was read.
                String(secrets.get(ref)),
              ),
            );
      hashes.push({ path, sha256: hash });
    }
    const sums = sumsFile(hashes);
    const all = [...hashes, { path: sums.path, sha256: sums.sha256 }];
    found[node] = Object.fromEntries(all.map(({ path, sha256: hash }) => [path, hash]));
  }
  return found;
}
