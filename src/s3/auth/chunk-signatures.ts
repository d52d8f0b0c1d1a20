import { createHash, hash, type Hash } from 'node:crypto';
import type { S3Error } from '../errors.js';
import type { ChunkVerifier } from './chunked-decoder.js';
import type { HmacKey } from '../../digest/hmac-key.js';
import { isSameSignature } from './signature-v4.js';

export interface ChunkSigningContext {
  readonly signingKey: HmacKey;
  /** The date of the request. */
  readonly amzDate: string;
  /** `<YYYYMMDD>/<region>/s3/aws4_request` */
  readonly scope: string;
  /** The request's own signature: the first link of the chain. */
  readonly seedSignature: string;
  /** The answer to a signature of another one than this string. */
  mismatch(stringToSign: string, provided: string): S3Error;
}

const HASH_OF_NOTHING = hash('sha256', '', 'hex');

/**
 * The chain of signatures of an aws-chunked body: each chunk's covers its bytes and the signature
 * before it, so that none can be changed, left out, or moved ("Signature calculations … multiple
 * chunks" in AWS's documentation).
 */
export class ChunkSignatures implements ChunkVerifier {
  #previous: string;
  #signature = '';
  #hash: Hash | undefined;

  constructor(private readonly context: ChunkSigningContext) {
    this.#previous = context.seedSignature;
  }

  beginChunk(signature: string): void {
    this.#signature = signature;
    this.#hash = undefined;
  }

  update(bytes: Buffer): void {
    this.#hash ??= createHash('sha256');
    this.#hash.update(bytes);
  }

  endChunk(): void {
    const digest = this.#hash?.digest('hex') ?? HASH_OF_NOTHING;
    this.#check(
      `AWS4-HMAC-SHA256-PAYLOAD\n${this.#link()}\n${HASH_OF_NOTHING}\n${digest}`,
      this.#signature,
    );
  }

  verifyTrailer(text: string, signature: string): void {
    this.#check(
      `AWS4-HMAC-SHA256-TRAILER\n${this.#link()}\n${hash('sha256', text, 'hex')}`,
      signature,
    );
  }

  #link(): string {
    const { amzDate, scope } = this.context;
    return `${amzDate}\n${scope}\n${this.#previous}`;
  }

  #check(stringToSign: string, signature: string): void {
    if (!isSameSignature(this.context.signingKey.sign(stringToSign), signature)) {
      throw this.context.mismatch(stringToSign, signature);
    }
    this.#previous = signature;
  }
}
