import { CapsuleError } from './capsule-error.js';
import { isContent, MANIFEST } from './file-names.js';
import {
  parseManifest,
  parseSignature,
  type CapsuleManifest,
  type SealedFile,
} from './manifest.js';
import { checkSignature } from './signing.js';

/** The documents that seal a capsule, and what was found in it: may be sent to a thread. */
export interface SealedDocuments {
  readonly manifest: Uint8Array;
  readonly signature: Uint8Array;
  /** Each file before the manifest as JSON, a line each: one text is cheap to send. */
  readonly found: string;
}

/** A manifest without its files, which are those that were found. */
export type ManifestHead = Omit<CapsuleManifest, 'files'>;

export interface CheckedDocuments {
  readonly manifest: ManifestHead;
  readonly key_id: string;
}

/**
 * Whether the manifest seals what was found, and the signature the manifest. Takes a fraction of a
 * second for the largest manifests.
 *
 * @throws CapsuleError with the file that is wrong
 */
export function checkDocuments(documents: SealedDocuments): CheckedDocuments {
  const bytes = Buffer.from(documents.manifest);
  const manifest = parseManifest(bytes);
  const lines = documents.found === '' ? [] : documents.found.split('\n');
  compare(
    manifest,
    lines.map((line) => JSON.parse(line) as SealedFile),
  );
  const signature = parseSignature(Buffer.from(documents.signature));
  checkSignature(bytes, signature);
  const { capsule, created_unix_s, cluster, source_version, object } = manifest;
  const head = { capsule, created_unix_s, cluster, source_version, object };
  return { manifest: head, key_id: signature.key_id };
}

function compare({ files, object }: CapsuleManifest, found: readonly SealedFile[]): void {
  for (const [index, { path, bytes, sha256 }] of found.entries()) {
    const sealed = files[index];
    if (sealed?.path !== path) {
      throw new CapsuleError('hash_mismatch', path, 'the manifest does not name it');
    }
    if (sealed.bytes !== bytes) {
      throw new CapsuleError('wrong_size', path, 'its size is not that in the manifest');
    }
    if (sealed.sha256 !== sha256) {
      throw new CapsuleError('hash_mismatch', path, 'its SHA-256 is not that in the manifest');
    }
  }
  const missing = files[found.length];
  if (missing !== undefined) {
    throw new CapsuleError('missing', missing.path, 'the manifest names it');
  }
  const content = found.filter(({ path }) => isContent(path));
  const body = found.find(({ path }) => path === 'body');
  if (object.sha256 !== (body?.sha256 ?? null) || (body !== undefined && !object.has_body)) {
    throw new CapsuleError('hash_mismatch', MANIFEST, 'it describes another body');
  }
  if (object.has_body && content.length === 0 && object.kind !== 'static') {
    throw new CapsuleError('missing', 'body', 'the manifest says that it is there');
  }
}
