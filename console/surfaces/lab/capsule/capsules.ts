import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { CapsuleKey, trustedKeys } from '../../../../src/capsule/signing.js';
import type { VerifiedCapsule } from '../../../../src/capsule/verify-capsule.js';
import { ApiError } from '../../../server/api-error.js';
import { KeptResults } from '../ground/kept-results.js';
import type { Capture } from './capture.js';
import { ImportSpool } from './spool.js';

/** A capsule that was verified, for the browser. */
export interface CapsuleVerdict {
  readonly valid: true;
  readonly key_id: string;
  /** Whether the key is that of this console, or one of `state_dir/trusted_keys`. */
  readonly trusted: boolean;
  readonly manifest: VerifiedCapsule['manifest'];
}

const CAPTURES_KEPT = 50;

/** Captures, keys and imports of Object Capsules, in the console's state folder. */
export class Capsules {
  readonly captures: KeptResults<Capture>;
  readonly spool: ImportSpool;
  readonly #stateDir: string;
  #key: Promise<CapsuleKey> | undefined;

  constructor(stateDir: string) {
    this.#stateDir = stateDir;
    const folder = path.join(stateDir, 'lab', 'capsules');
    this.captures = new KeptResults(folder, CAPTURES_KEPT);
    this.spool = new ImportSpool(folder);
  }

  /** The key of this console; made at its first use. @throws ApiError internal */
  async key(): Promise<CapsuleKey> {
    const file = path.join(this.#stateDir, 'lab', 'capsule-key.pem');
    this.#key ??= CapsuleKey.inFile(file);
    try {
      return await this.#key;
    } catch (error) {
      this.#key = undefined;
      throw new ApiError('internal', 'The key that signs capsules cannot be read or made.', {
        reason: (error as NodeJS.ErrnoException).code ?? 'not an Ed25519 key',
      });
    }
  }

  async verdict({ manifest, key_id }: VerifiedCapsule): Promise<CapsuleVerdict> {
    const trusted = await trustedKeys(path.join(this.#stateDir, 'trusted_keys'));
    const own = (await this.key()).id;
    return { valid: true, key_id, trusted: key_id === own || trusted.has(key_id), manifest };
  }
}

/** The release, as package.json has it. */
export function sourceVersion(folder = path.dirname(fileURLToPath(import.meta.url))): string {
  try {
    const text = readFileSync(path.join(folder, 'package.json'), 'utf8');
    return (JSON.parse(text) as { readonly version: string }).version;
  } catch {
    const parent = path.dirname(folder);
    return parent === folder ? 'unknown' : sourceVersion(parent);
  }
}
