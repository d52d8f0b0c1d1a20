import { createHmac } from 'node:crypto';
import type { CredentialScope } from './credential-scope.js';
import { HmacKey } from '../../digest/hmac-key.js';
import { RecentMap } from './recent-map.js';

interface Entry {
  readonly secretKey: string;
  readonly key: HmacKey;
}

/** Derived keys that are kept; a key is one user on one day. */
const ENTRIES_MAX = 1024;

/** SigV4's signing keys, which cost four HMACs (8 µs) to derive and hold for a day. */
export class SigningKeys {
  readonly #entries: RecentMap<Entry>;

  constructor(entriesMax = ENTRIES_MAX) {
    this.#entries = new RecentMap(entriesMax);
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
