import { z } from 'zod';
import { canonicalJson } from '../lib/canonical-json.js';
import { CapsuleError } from './capsule-error.js';
import { MANIFEST, SEGMENTS_MAX, SIGNATURE } from './file-names.js';

const whole = z.int().min(0);
const text = z.string().max(4096);
const SHA256 = z.string().regex(/^[0-9a-f]{64}$/);

/** The sealed contents: the object, and each file of the capsule before the manifest. */
const MANIFEST_SCHEMA = z.strictObject({
  capsule: z.literal(1),
  created_unix_s: whole,
  /** The operators' name of the cluster. */
  cluster: text,
  /** The release that made it. */
  source_version: text,
  object: z.strictObject({
    account: text,
    container: text,
    name: text,
    version_id: text.nullable(),
    policy: text.nullable(),
    /** `static` and `dynamic` are the kinds of large objects. */
    kind: z.enum(['plain', 'static', 'dynamic']),
    state: z.enum(['present', 'expired', 'deleted', 'absent']),
    has_body: z.boolean(),
    etag: text.nullable(),
    /** The SHA-256 of the body; null for segments, which have their own, and without a body. */
    sha256: SHA256.nullable(),
    bytes: whole.nullable(),
    x_timestamp: text.nullable(),
  }),
  files: z
    .array(z.strictObject({ path: text, bytes: whole, sha256: SHA256 }))
    .max(SEGMENTS_MAX + 8),
});

export type CapsuleManifest = z.infer<typeof MANIFEST_SCHEMA>;
export type SealedFile = CapsuleManifest['files'][number];

const SIGNATURE_SCHEMA = z.strictObject({
  alg: z.literal('ed25519'),
  key_id: z.string().regex(/^[0-9a-f]{16}$/),
  /** 32 bytes in base64. */
  public_key: z.string().regex(/^[A-Za-z0-9+/]{43}=$/),
  /** 64 bytes in base64, over the SHA-256 of the manifest. */
  sig: z.string().regex(/^[A-Za-z0-9+/]{86}==$/),
});

export type CapsuleSignature = z.infer<typeof SIGNATURE_SCHEMA>;

/** @throws CapsuleError */
export function parseManifest(bytes: Buffer): CapsuleManifest {
  const value = parseJson(bytes, MANIFEST);
  const version = (value as { readonly capsule?: unknown } | null)?.capsule;
  if (typeof version === 'number' && version !== 1) {
    const reason = `version ${version} of capsules is not known to this release`;
    throw new CapsuleError('unknown_version', MANIFEST, reason);
  }
  return checked(MANIFEST_SCHEMA, value, bytes, MANIFEST);
}

/** @throws CapsuleError */
export function parseSignature(bytes: Buffer): CapsuleSignature {
  return checked(SIGNATURE_SCHEMA, parseJson(bytes, SIGNATURE), bytes, SIGNATURE);
}

function parseJson(bytes: Buffer, file: string): unknown {
  try {
    return JSON.parse(bytes.toString('utf8')) as unknown;
  } catch {
    throw new CapsuleError('damaged', file, 'it is no JSON');
  }
}

/** A document that says the same in other bytes is none of ours. */
function checked<S extends typeof MANIFEST_SCHEMA | typeof SIGNATURE_SCHEMA>(
  schema: S,
  value: unknown,
  bytes: Buffer,
  file: string,
): z.infer<S> {
  const result = schema.safeParse(value);
  if (!result.success) {
    const [issue] = result.error.issues;
    const place = issue?.path.map(String).join('.') ?? '';
    throw new CapsuleError('damaged', file, `${place || 'it'} is not as capsules have it`);
  }
  if (capsuleJson(result.data) !== bytes.toString('utf8')) {
    throw new CapsuleError('damaged', file, 'it is not written in the form of capsules');
  }
  return result.data as z.infer<S>;
}

/**
 * Canonical JSON of whole numbers: the same value has the same bytes, whichever program writes it.
 *
 * @throws RangeError for a number that is not whole, or too large to be exact
 */
export function capsuleJson(value: unknown): string {
  JSON.stringify(value, (_key, one: unknown) => {
    if (typeof one !== 'number' || Number.isSafeInteger(one)) return one;
    throw new RangeError(`${one} is not a whole number`);
  });
  return canonicalJson(value);
}
