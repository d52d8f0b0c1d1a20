import { createHmac, timingSafeEqual } from 'node:crypto';
import type { ObjectRef } from '../../backend/backend.js';
import type { Query } from '../target.js';

/** The scope of the key of a TempURL: the one container that it is of, or the account. */
export class TempUrlScope {
  /** @param container - undefined: all of the account's */
  constructor(
    private readonly account: string,
    private readonly container: string | undefined,
  ) {}

  covers(account: string, container: string): boolean {
    return (
      account === this.account && (this.container === undefined || container === this.container)
    );
  }
}

/** The parameters in the query of a TempURL (swift.common.middleware.tempurl). */
export interface TempUrlParameters {
  readonly signature: Signature;
  /** Seconds since the epoch. */
  readonly expiresAtS: number;
  readonly prefix: string | undefined;
  readonly ipRange: string | undefined;
  readonly filename: string | undefined;
  readonly inline: boolean;
}

interface Signature {
  readonly digest: Digest;
  readonly bytes: Buffer;
}

/** sha1 is not among them: Swift itself has dropped it since. */
export const ALLOWED_DIGESTS = ['sha256', 'sha512'] as const;
type Digest = (typeof ALLOWED_DIGESTS)[number];
export const METHODS: readonly string[] = ['GET', 'HEAD', 'PUT', 'POST', 'DELETE'];

const DIGEST_BYTES: Readonly<Record<Digest, number>> = { sha256: 32, sha512: 64 };

/** Whether a request means to be one with a TempURL, valid or not. */
export function isTempUrl(query: Query): boolean {
  return query.has('temp_url_sig') || query.has('temp_url_expires');
}

/** @returns undefined for what cannot be valid, or has expired */
export function readTempUrl(query: Query, nowS: number): TempUrlParameters | undefined {
  const signature = parseSignature(query.get('temp_url_sig') ?? '');
  const expiresAtS = parseExpiry(query.get('temp_url_expires') ?? '');
  if (signature === undefined || expiresAtS === undefined || expiresAtS < nowS) return undefined;
  const filename = query.get('filename');
  return {
    signature,
    expiresAtS,
    prefix: query.get('temp_url_prefix'),
    ipRange: query.get('temp_url_ip_range'),
    filename: filename === '' ? undefined : filename,
    inline: query.has('inline'),
  };
}

const NAMED = /^(sha256|sha512):([A-Za-z0-9+/_-]+)={0,2}$/;
const HEX = /^(?:[0-9a-fA-F]{2})+$/;

/** Hexadecimal, or a digest's name and base64 of either alphabet. */
function parseSignature(text: string): Signature | undefined {
  const [, name, base64] = NAMED.exec(text) ?? [];
  if (name !== undefined && base64 !== undefined) {
    const bytes = Buffer.from(base64.replaceAll('-', '+').replaceAll('_', '/'), 'base64');
    const digest = name as Digest;
    return bytes.length === DIGEST_BYTES[digest] ? { digest, bytes } : undefined;
  }
  if (!HEX.test(text)) return undefined;
  const bytes = Buffer.from(text, 'hex');
  const digest = ALLOWED_DIGESTS.find((one) => DIGEST_BYTES[one] === bytes.length);
  return digest === undefined ? undefined : { digest, bytes };
}

const ISO = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})Z$/;

/** Seconds since the epoch, or ISO 8601 in UTC. */
function parseExpiry(text: string): number | undefined {
  if (/^\d{1,12}$/.test(text)) return Number(text);
  if (!ISO.test(text)) return undefined;
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : time / 1000;
}

/**
 * The text that is signed (swift.common.utils.get_hmac):
 *
 *     [ip=<range>\n]METHOD\n<expires>\n[prefix:]/v1/<account>/<container>/<object or prefix>
 *
 * with the path as it is, not encoded.
 */
export function signedText(
  method: string,
  { account, container, object }: ObjectRef,
  { expiresAtS, prefix, ipRange }: Pick<TempUrlParameters, 'expiresAtS' | 'prefix' | 'ipRange'>,
): string {
  const path =
    prefix === undefined
      ? `/v1/${account}/${container}/${object}`
      : `prefix:/v1/${account}/${container}/${prefix}`;
  const lines = [method, String(expiresAtS), path];
  return (ipRange === undefined || ipRange === '' ? lines : [`ip=${ipRange}`, ...lines]).join('\n');
}

/** A URL for GET, PUT or POST also allows HEAD. */
function methodsFor(method: string): readonly string[] {
  return method === 'HEAD' ? ['HEAD', 'GET', 'POST', 'PUT'] : [method];
}

/** Whether the URL was signed with this key, for this method. */
export function isSignedWith(
  key: string,
  method: string,
  ref: ObjectRef,
  parameters: TempUrlParameters,
): boolean {
  const { digest, bytes } = parameters.signature;
  let good = false;
  for (const one of methodsFor(method)) {
    const wanted = createHmac(digest, key)
      .update(signedText(one, ref, parameters))
      .digest();
    good = timingSafeEqual(wanted, bytes) || good;
  }
  return good;
}
