import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { METADATA } from '../../../../src/capsule/file-names.js';
import { CapsuleKey, trustedKeys } from '../../../../src/capsule/signing.js';
import type { SealedFile } from '../../../../src/capsule/manifest.js';
import {
  verifyCapsule,
  type VerifiedCapsule,
  type VerifyOptions,
} from '../../../../src/capsule/verify-capsule.js';
import { ApiError } from '../../../server/api-error.js';
import { UpstreamError } from '../../../swift/errors.js';
import type { LabCompute } from '../compute/compute.js';
import { KeptResults } from '../ground/kept-results.js';
import type { Capture } from './capture.js';
import type { ParseManifest } from './slo.js';
import { ImportSpool } from './spool.js';

/** A capsule that was verified, for the browser. */
export interface CapsuleVerdict {
  readonly valid: true;
  readonly key_id: string;
  /** Whether the key is that of this console, or one of `state_dir/trusted_keys`. */
  readonly trusted: boolean;
  readonly manifest: VerifiedCapsule['manifest'];
  /** The first thousand. */
  readonly files: readonly SealedFile[];
  /** How many there are. */
  readonly file_count: number;
}

const CAPTURES_KEPT = 50;
/** Several times the headers that Swift takes with an object. */
const METADATA_BYTES_MAX = 1024 * 1024;
/** Files of a capsule that are shown: as many as take a fraction of a millisecond to write. */
const FILES_SHOWN_MAX = 1000;

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
      throw new ApiError('internal', 'The capsule signing key could not be read or created.', {
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

  /** The segments of a manifest. @throws UpstreamError for bytes that are none; ApiError busy */
  readonly parseManifest: ParseManifest = async (bytes) => {
    const lines = await this.compute.run('slo_manifest', { bytes });
    if (lines === null) throw new UpstreamError('invalid');
    return lines;
  };

  /**
   * The headers that clients saw of the object in a capsule.
   * @throws ApiError unprocessable, busy
   */
  async clientHeaders({ documents }: VerifiedCapsule): Promise<Readonly<Record<string, string>>> {
    const bytes = documents.get(METADATA) ?? Buffer.alloc(0);
    const found =
      bytes.length > METADATA_BYTES_MAX
        ? null
        : await this.compute.run('capsule_metadata', { bytes });
    if (found !== null) return found;
    throw new ApiError('unprocessable', 'metadata.json is not as capsules have it.');
  }

  async verdict({ manifest, files, key_id }: VerifiedCapsule): Promise<CapsuleVerdict> {
    const trusted = await trustedKeys(path.join(this.#stateDir, 'trusted_keys'));
    const own = (await this.key()).id;
    const isTrusted = key_id === own || trusted.has(key_id);
    const shown = files
      .slice(0, FILES_SHOWN_MAX)
      .map(({ path: file, bytes, sha256 }) => ({ path: file, bytes, sha256 }));
    const found = { manifest, files: shown, file_count: files.length };
    return { valid: true, key_id, trusted: isTrusted, ...found };
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
