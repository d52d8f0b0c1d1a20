import { GatheredBytes } from '../../lib/buffers/gathered-bytes.js';
import type { ByteSource } from '../../lib/cancellation.js';
import type { BodyDigest, DigestFactory } from '../../digest/body-digest.js';
import type { Digests } from '../../digest/running-digests.js';
import type { RequestBody } from '../../http/exchange.js';
import { S3Error } from '../errors.js';
import { requireChecksumValue } from './body-checksums.js';
import { ChunkedDecoder, type ChunkVerifier } from './chunked-decoder.js';
import {
  wrongBodySize,
  type Payload,
  type PayloadDigests,
  type PayloadPlan,
} from './payload-plan.js';

/**
 *     body → (aws-chunked decoder) → digests → consumer
 *                                        └── the last chunk only after everything agreed
 */
export class VerifiedPayload implements Payload {
  readonly size: number | undefined;
  readonly takesMd5: boolean;
  #digests: PayloadDigests | undefined;
  /** The values of the trailer. */
  #trailers: ReadonlyMap<string, string> | undefined;
  #isRead = false;

  constructor(
    private readonly body: RequestBody,
    private readonly plan: PayloadPlan,
    private readonly chunkVerifier: ChunkVerifier | undefined,
    private readonly factory: DigestFactory,
  ) {
    this.size = plan.size;
    this.takesMd5 = plan.takesMd5;
  }

  get source(): ByteSource {
    this.#claim();
    return this.#verified();
  }

  async collect(limit: number): Promise<Buffer> {
    if (this.size !== undefined && this.size > limit) throw tooLong(limit);
    if (this.#isPlain) return this.#collectPlain(this.size ?? 0);
    const gathered = new GatheredBytes();
    for await (const chunk of this.source) {
      if (gathered.length + chunk.length > limit) throw tooLong(limit);
      gathered.add(chunk);
    }
    return gathered.take();
  }

  /** The bytes of an unframed body end where its length says; a framed one has more to say. */
  get #isPlain(): boolean {
    return this.plan.mode.framing === 'none' && this.size !== undefined;
  }

  #claim(): void {
    if (this.#isRead) throw new Error('a payload can be read once');
    this.#isRead = true;
  }

  /** Collects a body without a stream: a small PUT's body comes in one piece. */
  async #collectPlain(size: number): Promise<Buffer> {
    this.#claim();
    const digest = this.#createDigest();
    try {
      const whole = await this.body.collect(size);
      if (whole.length !== size) throw wrongBodySize(size, whole.length);
      const room = digest.update(whole);
      if (room !== undefined) await room;
      await this.#verify(digest);
      return whole;
    } finally {
      digest.abort();
    }
  }

  digests(): PayloadDigests {
    if (this.#digests === undefined) throw new Error('the payload has not been read to its end');
    return this.#digests;
  }

  async *#verified(): AsyncGenerator<Buffer, void, undefined> {
    const { size } = this;
    const digest = this.#createDigest();
    let received = 0;
    let held: Buffer | undefined;
    try {
      for await (const chunk of this.#decoded()) {
        received += chunk.length;
        if (size !== undefined && received > size) throw wrongBodySize(size, received);
        const room = digest.update(chunk);
        if (room !== undefined) await room;
        if (held !== undefined) yield held;
        held = undefined;
        if (received === size && this.#isPlain) {
          await this.#verify(digest);
          yield chunk;
        } else if (size === undefined || received === size) {
          // The source may reuse its buffer once it is asked for what follows.
          held = Buffer.from(chunk);
        } else {
          yield chunk;
        }
      }
      if (size !== undefined && received < size) throw wrongBodySize(size, received);
      if (this.#digests === undefined) await this.#verify(digest);
      if (held !== undefined) yield held;
    } finally {
      digest.abort();
    }
  }

  #createDigest(): BodyDigest {
    const { mode, checksum, size } = this.plan;
    const wanted = {
      md5: this.takesMd5,
      sha256: mode.sha256 !== undefined,
      checksum: checksum?.algorithm,
    };
    return this.factory.create(wanted, size);
  }

  /** Empty chunks left out. */
  async *#decoded(): AsyncGenerator<Buffer, void, undefined> {
    const { mode, size = 0, checksum } = this.plan;
    if (mode.framing === 'none') {
      for await (const chunk of this.body) if (chunk.length > 0) yield chunk;
      return;
    }
    const announced =
      checksum?.value === undefined && checksum !== undefined ? [checksum.name] : [];
    const trailers = mode.trailer ? announced : undefined;
    const decoder = new ChunkedDecoder({ size, trailers }, this.chunkVerifier);
    for await (const raw of this.body) yield* decoder.decode(raw);
    this.#trailers = decoder.end();
  }

  /** @throws S3Error XAmzContentSHA256Mismatch, BadDigest, InvalidRequest (malformed trailer) */
  async #verify(digest: BodyDigest): Promise<void> {
    const actual = await digest.finish();
    this.#verifySha256(actual);
    this.#verifyMd5(actual);
    const checksum = this.#verifyChecksum(actual);
    this.#digests = { md5: actual.md5, checksum };
  }

  #verifySha256(actual: Digests): void {
    const expected = this.plan.mode.sha256;
    if (expected === undefined || expected.toLowerCase() === actual.sha256) return;
    throw new S3Error('XAmzContentSHA256Mismatch', undefined, {
      ClientComputedContentSHA256: expected,
      S3ComputedContentSHA256: actual.sha256 ?? '',
    });
  }

  #verifyMd5(actual: Digests): void {
    const expected = this.plan.md5;
    const calculated = Buffer.from(actual.md5 ?? '', 'hex').toString('base64');
    if (expected === undefined || expected === calculated) return;
    // AWS gives one in hex and the other in base64, as its answers of 2023 and 2026 do; those of 2013 had
    // both in base64.
    throw new S3Error('BadDigest', undefined, {
      ExpectedDigest: Buffer.from(expected, 'base64').toString('hex'),
      CalculatedDigest: calculated,
    });
  }

  #verifyChecksum(actual: Digests): PayloadDigests['checksum'] {
    const { checksum } = this.plan;
    if (checksum === undefined) return undefined;
    const { algorithm, name } = checksum;
    const value = checksum.value ?? this.#trailers?.get(name) ?? '';
    requireChecksumValue(name, algorithm, value, 'trailing header');
    if (value !== actual.checksum) {
      throw new S3Error(
        'BadDigest',
        `The ${algorithm} you specified did not match the calculated checksum.`,
      );
    }
    return { algorithm, value };
  }
}

function tooLong(limit: number): S3Error {
  return new S3Error('MaxMessageLengthExceeded', undefined, {
    MaxMessageLengthBytes: String(limit),
  });
}
