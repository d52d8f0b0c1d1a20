import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { CapsuleKey, trustedKeys } from '../../../../src/capsule/signing.js';
import type { SealedFile } from '../../../../src/capsule/manifest.js';
import {
  verifyCapsule,
  type VerifiedCapsule,
  type VerifyOptions,
} from '../../../../src/capsule/verify-capsule.js';
import type { LabCompute } from '../compute/compute.js';
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
  readonly files: readonly SealedFile[];
}

const CAPTURES_KEPT = 50;

/** Captures, keys and imports of Object Capsules, in the console's state folder. */
export class Capsules {
  readonly captures: KeptResults<Capture>;
  readonly spool: ImportSpool;
  readonly #stateDir: string;
  #key: Promise<CapsuleKey> | undefined;

  /** @param compute - parses manifests, which may be large */
  constructor(
    stateDir: string,
    private readonly compute: LabCompute,
  ) {
    this.#stateDir = stateDir;
    const folder = path.join(stateDir, 'lab', 'capsules');
    this.captures = new KeptResults(folder, CAPTURES_KEPT);
    this.spool = new ImportSpool(folder, (source, bytesMax) => this.verify(source, bytesMax));
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

  /**
   * @param bytesMax - of the body and the segments
   * @throws CapsuleError; ApiError busy; what the source throws
   */
  verify(source: AsyncIterable<Buffer>, bytesMax: number): Promise<VerifiedCapsule> {
    const check: VerifyOptions['check'] = (documents) => this.compute.run('capsule', documents);
    return verifyCapsule(source, { contentBytesMax: bytesMax, check });
  }

  async verdict({ manifest, files, key_id }: VerifiedCapsule): Promise<CapsuleVerdict> {
    const trusted = await trustedKeys(path.join(this.#stateDir, 'trusted_keys'));
    const own = (await this.key()).id;
    const isTrusted = key_id === own || trusted.has(key_id);
    const shown = files.map(({ path: file, bytes, sha256 }) => ({ path: file, bytes, sha256 }));
    return { valid: true, key_id, trusted: isTrusted, manifest, files: shown };
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
