import { hash, timingSafeEqual, createHmac } from 'node:crypto';
import { HmacKey } from '../../digest/hmac-key.js';
import { errorEntry, S3Error, type ErrorDetails } from '../errors.js';
import type { CredentialScope } from './credential-scope.js';
import type { PayloadMode } from './payload-plan.js';
import { BoundedCache } from '../../lib/bounded-cache.js';

/** The claim of a request about its signature: well-formed and fresh, but not verified. */
export interface SignatureClaim {
  readonly scope: CredentialScope;
  /** `YYYYMMDDTHHMMSSZ`, as it is signed. */
  readonly amzDate: string;
  /** Lower-case names joined by `;`, as signed. */
  readonly signedHeaders: string;
  /** The same, apart. */
  readonly signedNames: readonly string[];
  readonly signature: string;
  /** Last line of the canonical request, as sent. */
  readonly payloadHash: string;
  readonly payloadMode: PayloadMode;
  /** Whether the signature is in the query, and not in a header. */
  readonly presigned: boolean;
  readonly securityToken: string | undefined;
}

export const ALGORITHM = 'AWS4-HMAC-SHA256';
export const SIGNATURE_PARAMETER = 'X-Amz-Signature';

export function stringToSign(amzDate: string, scope: string, canonicalRequest: string): string {
  return `${ALGORITHM}\n${amzDate}\n${scope}\n${hash('sha256', canonicalRequest, 'hex')}`;
}

/** Compares in constant time. */
export const isSameSignature = signatureComparison(64);

/**
 * @param length of a signature, in characters of ASCII
 * @returns a comparison in time that does not depend on where the two differ
 */
export function signatureComparison(
  length: number,
): (expected: string, provided: string) => boolean {
  // Filled and compared within one synchronous call.
  const expectedBytes = Buffer.alloc(length);
  const providedBytes = Buffer.alloc(length);
  return (expected, provided) => {
    if (provided.length !== length) return false;
    // UTF-8, since Latin-1 would cut a character above U+00FF down to one that may be right. A
    // character that does not fit is not written: earlier bytes would stand in its place.
    expectedBytes.write(expected, 'utf8');
    if (providedBytes.write(provided, 'utf8') !== length) return false;
    return timingSafeEqual(expectedBytes, providedBytes);
  };
}

/** Longer texts are not told byte by byte: an answer is not to be many times its request. */
const BYTES_TOLD_MAX = 8192;

/**
 * The HTTP library cuts such bytes before anybody sees the value, so that it cannot be told whether they
 * were there.
 */
const MAYBE_CUT =
  errorEntry('SignatureDoesNotMatch').message +
  ' Values of x-amz-meta-* that begin or end with characters beyond ASCII arrive shortened: write them in encoded words (RFC 2047), such as =?UTF-8?B?Y2Fmw6k=?=.';

/** A wrong signature, and the strings that it was compared with. */
interface Mismatch {
  readonly accessKey: string;
  readonly stringToSign: string;
  /** The signature as sent. */
  readonly provided: string;
  /** The canonical request of version 4. */
  readonly canonicalRequest?: string | undefined;
}

/**
 * `SignatureDoesNotMatch` with all that a client needs to find its mistake, element by element as AWS
 * answers it; never anything secret.
 */
export function signatureMismatch(of: Mismatch): S3Error {
  const { accessKey, stringToSign, provided, canonicalRequest } = of;
  const isOfMetadata = (canonicalRequest ?? stringToSign).includes('\nx-amz-meta-');
  return new S3Error('SignatureDoesNotMatch', isOfMetadata ? MAYBE_CUT : undefined, {
    AWSAccessKeyId: accessKey,
    StringToSign: stringToSign,
    SignatureProvided: provided,
    ...bytesOf('StringToSignBytes', stringToSign),
    ...(canonicalRequest !== undefined && {
      CanonicalRequest: canonicalRequest,
      ...bytesOf('CanonicalRequestBytes', canonicalRequest),
    }),
  });
}

/** The bytes in hex, with blanks between. */
function bytesOf(name: string, text: string): ErrorDetails {
  if (text.length > BYTES_TOLD_MAX) return {};
  const hex = Buffer.from(text).toString('hex');
  return { [name]: hex.replaceAll(/..(?!$)/g, '$& ') };
}

interface Entry {
  readonly secretKey: string;
  readonly key: HmacKey;
}

/** Derived keys that are kept; a key is one user on one day. */
const ENTRIES_MAX = 1024;

/** SigV4's signing keys, which cost four HMACs (8 µs) to derive and hold for a day. */
export class SigningKeys {
  readonly #entries: BoundedCache<Entry>;

  constructor(entriesMax = ENTRIES_MAX) {
    this.#entries = new BoundedCache({ weightMax: entriesMax });
  }

  /**
   * @param owner sets apart the keys of one scope: the access key and the scope
   * @param secretKey checked against the kept entry, so that a changed secret counts at once
   */
  get(owner: string, { date, region }: CredentialScope, secretKey: string): HmacKey {
    const kept = this.#entries.get(owner);
    if (kept?.secretKey === secretKey) return kept.key;
    const key = new HmacKey(deriveSigningKey(secretKey, date, region));
    this.#entries.set(owner, { secretKey, key });
    return key;
  }

  get size(): number {
    return this.#entries.size;
  }
}

/** "Derive a signing key" in AWS's documentation, for the service `s3`. */
export function deriveSigningKey(secretKey: string, date: string, region: string): Buffer {
  const dateKey = hmac(`AWS4${secretKey}`, date);
  const regionKey = hmac(dateKey, region);
  const serviceKey = hmac(regionKey, 's3');
  return hmac(serviceKey, 'aws4_request');
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
