import { createHmac } from 'node:crypto';
import type { CredentialScope } from './credential-scope.js';

interface Entry {
  readonly secretKey: string;
  readonly key: Buffer;
}

/** Derived keys that are kept; a key is one user on one day. */
const ENTRIES_MAX = 1024;

/**
 * SigV4's signing keys, which cost four HMACs (8 µs) to derive and hold for a day. Two generations
 * of half the size stand for a least-recently-used order, without its bookkeeping on every hit.
 */
export class SigningKeys {
  #young = new Map<string, Entry>();
  #old = new Map<string, Entry>();

  constructor(private readonly entriesMax = ENTRIES_MAX) {}

  /**
   * @param owner sets apart the keys of one scope: the access key and the scope
   * @param secretKey checked against the kept entry, so that a changed secret counts at once
   */
  get(owner: string, { date, region }: CredentialScope, secretKey: string): Buffer {
    const young = this.#young.get(owner);
    if (young?.secretKey === secretKey) return young.key;
    const old = this.#old.get(owner);
    const entry = old?.secretKey === secretKey ? old : newEntry(secretKey, date, region);
    if (this.#young.size >= this.entriesMax / 2) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(owner, entry);
    return entry.key;
  }

  get size(): number {
    return this.#young.size + this.#old.size;
  }
}

function newEntry(secretKey: string, date: string, region: string): Entry {
  return { secretKey, key: deriveSigningKey(secretKey, date, region) };
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
