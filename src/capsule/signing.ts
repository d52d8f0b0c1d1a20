import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  randomUUID,
  sign,
  verify,
  type KeyObject,
} from 'node:crypto';
import { link, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ifThere } from '../lib/durable-file.js';
import { CapsuleError } from './capsule-error.js';
import { SIGNATURE } from './file-names.js';
import type { CapsuleSignature } from './manifest.js';

/** The DER of an Ed25519 public key before its 32 bytes (RFC 8410). */
const SPKI_HEAD = Buffer.from('302a300506032b6570032100', 'hex');

/** Signs capsules: a pair of Ed25519 keys. */
export class CapsuleKey {
  readonly #private: KeyObject;
  /** 32 bytes. */
  readonly publicKey: Buffer;

  constructor(privateKey: KeyObject) {
    if (privateKey.asymmetricKeyType !== 'ed25519') throw new TypeError('not an Ed25519 key');
    this.#private = privateKey;
    this.publicKey = rawKey(createPublicKey(privateKey));
  }

  static generate(): CapsuleKey {
    return new CapsuleKey(generateKeyPairSync('ed25519').privateKey);
  }

  /**
   * The key in a file; made when there is none.
   * @param file - its folder is made, too
   * @throws system errors; TypeError or Error for a file that holds no such key
   */
  static async inFile(file: string): Promise<CapsuleKey> {
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    const made = `${file}.${randomUUID()}`;
    try {
      return new CapsuleKey(createPrivateKey(await readFile(file)));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
    const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' });
    try {
      await writeFile(made, pem, { mode: 0o600, flush: true });
      // Fails where there is one meanwhile: two that begin at the same time use the same key.
      await link(made, file).catch((error: unknown) => {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      });
    } finally {
      await rm(made, { force: true });
    }
    return new CapsuleKey(createPrivateKey(await readFile(file)));
  }

  get id(): string {
    return keyId(this.publicKey);
  }

  /** The public key, to be put among the trusted keys of another console. */
  get publicPem(): string {
    return createPublicKey(this.#private).export({ type: 'spki', format: 'pem' }).toString();
  }

  seal(manifest: Buffer): CapsuleSignature {
    return {
      alg: 'ed25519',
      key_id: this.id,
      public_key: this.publicKey.toString('base64'),
      sig: sign(null, digest(manifest), this.#private).toString('base64'),
    };
  }
}

/** The name of a public key. @param key - 32 bytes */
export function keyId(key: Buffer): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 16);
}

/** @throws CapsuleError bad_signature */
export function checkSignature(manifest: Buffer, signature: CapsuleSignature): void {
  const raw = Buffer.from(signature.public_key, 'base64');
  const refuse = (reason: string) => new CapsuleError('bad_signature', SIGNATURE, reason);
  if (keyId(raw) !== signature.key_id) throw refuse('key_id is not that of the public key');
  const key = createPublicKey({
    key: Buffer.concat([SPKI_HEAD, raw]),
    format: 'der',
    type: 'spki',
  });
  if (!verify(null, digest(manifest), key, Buffer.from(signature.sig, 'base64'))) {
    throw refuse('the signature is not that of the manifest');
  }
}

/** Files of a folder of trusted keys that are read. */
const KEYS_MAX = 1000;

/**
 * The ids of the public keys (PEM, Ed25519) in a folder; files that hold none are left out.
 * @throws system errors; a folder that is not there has no keys
 */
export async function trustedKeys(folder: string): Promise<Set<string>> {
  const names = (await ifThere(readdir(folder))) ?? [];
  const ids = new Set<string>();
  for (const name of names.filter((one) => one.endsWith('.pem')).slice(0, KEYS_MAX)) {
    try {
      const key = createPublicKey(await readFile(path.join(folder, name)));
      if (key.asymmetricKeyType === 'ed25519') ids.add(keyId(rawKey(key)));
    } catch {
      // A file that holds something else trusts no one.
    }
  }
  return ids;
}

function rawKey(key: KeyObject): Buffer {
  return key.export({ type: 'spki', format: 'der' }).subarray(SPKI_HEAD.length);
}

function digest(manifest: Buffer): Buffer {
  return createHash('sha256').update(manifest).digest();
}
