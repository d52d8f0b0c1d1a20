import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import path from 'node:path';
import { ConfigError } from '../../config/problem.js';
import { readSecretFile } from '../../config/secret-file.js';
import type { Applied } from '../plan/make-plan.js';
import { secretsOf } from '../render/files.js';
import type { SpecProblem } from '../spec/parse.js';
import type { Blobs } from '../state/blobs.js';
import type { AppliedFile } from './store.js';

/** The secrets of a run, read once at its beginning. */
export type Secrets = ReadonlyMap<string, string>;

/** Reads every secret that files name. @returns the secrets, or what is wrong with any */
export async function readSecrets(
  folder: string,
  { files }: Applied,
  blobs: Blobs,
): Promise<Secrets | readonly SpecProblem[]> {
  const names = new Set<string>();
  const seen = new Set<string>();
  for (const own of Object.values(files)) {
    for (const { sha256, secrets } of Object.values(own)) {
      if (secrets === 'none' || seen.has(sha256)) continue;
      seen.add(sha256);
      for (const ref of secretsOf({ secrets, content: await blobs.get(sha256) })) names.add(ref);
    }
  }
  const found = new Map<string, string>();
  const problems: SpecProblem[] = [];
  for (const ref of [...names].sort()) {
    try {
      found.set(ref, readSecretFile(`secret ${ref}`, path.join(folder, ref)));
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      problems.push({ path: '', code: 'secret', message: error.message });
    }
  }
  return problems.length > 0 ? problems : found;
}

/** Whether all of them could be read. */
export function areRead(secrets: Secrets | readonly SpecProblem[]): secrets is Secrets {
  return secrets instanceof Map;
}

/** A digest that shows later whether prefix and suffix are still the same. */
export function hashCheck(secrets: Secrets, { spec }: Applied): AppliedFile['hash_check'] {
  const salt = randomBytes(16).toString('hex');
  return { salt, digest: digestOf(salt, secrets, spec) };
}

/** Whether prefix and suffix are those of the cluster: with others, nothing would be found. */
export function isSameHash(
  check: AppliedFile['hash_check'],
  secrets: Secrets,
  { spec }: Applied,
): boolean {
  if (check === null) return true;
  const given = Buffer.from(digestOf(check.salt, secrets, spec), 'hex');
  return timingSafeEqual(given, Buffer.from(check.digest, 'hex'));
}

function digestOf(salt: string, secrets: Secrets, spec: Applied['spec']): string {
  const { prefix_ref: prefix = '', suffix_ref: suffix = '' } = spec?.hash ?? {};
  const text = JSON.stringify([secrets.get(prefix), secrets.get(suffix)]);
  return createHmac('sha256', salt).update(text).digest('hex');
}
