import { createHash } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { createDigestFactory } from '../../../src/digest/index.js';
import { BodyReader } from '../../../src/s3/cold/restorer.js';
import { isVerifiable, verified, type KnownBody } from '../../../src/s3/cold/verified-body.js';
import { bytesOf, coldFailure } from '../../cold/cold-contract.js';
import { patternBytes, reusedChunks } from '../../contract/fixture.js';

const digests = createDigestFactory({ inlineBytesMax: Infinity });

function md5(bytes: Buffer): string {
  return createHash('md5').update(bytes).digest('hex');
}

/** An object of these parts. */
function known(bytes: Buffer, sizes: readonly number[]): KnownBody {
  let at = 0;
  const segments = sizes.map((size, i) => {
    const etag = md5(bytes.subarray(at, at + size));
    at += size;
    return { container: 'c', object: String(i), size, etag };
  });
  return { size: bytes.length, etag: `x-${sizes.length}`, segments };
}

const SIZES = fc.array(fc.integer({ min: 0, max: 40 }), { minLength: 1, maxLength: 6 });

describe('s3 cold: verified bodies', () => {
  it('pass through unchanged, however they arrive and whatever they are made of', async () => {
    await fc.assert(
      fc.asyncProperty(SIZES, fc.integer({ min: 1, max: 50 }), async (sizes, chunk) => {
        const bytes = patternBytes(sizes.reduce((sum, size) => sum + size, 0));
        for (const body of [known(bytes, sizes), { size: bytes.length, etag: md5(bytes) }]) {
          const out = await bytesOf(verified(reusedChunks(bytes, chunk), body, digests));
          expect(out.equals(bytes)).to.be.true;
        }
        const whole = await bytesOf(verified(bytes, known(bytes, sizes), digests));
        expect(whole.equals(bytes)).to.be.true;
      }),
    );
  });

  it('never end well when a byte is another, missing or too many', async () => {
    await fc.assert(
      fc.asyncProperty(SIZES, fc.nat(), fc.nat(2), async (sizes, at, how) => {
        const bytes = patternBytes(sizes.reduce((sum, size) => sum + size, 0) + 1);
        const whole = [...sizes, 1];
        const index = at % bytes.length;
        const wrong = Buffer.from(bytes);
        wrong[index] = (wrong[index] ?? 0) ^ 1;
        const body = [wrong, bytes.subarray(0, index), Buffer.concat([bytes, wrong])][how] ?? wrong;
        const plain = { size: bytes.length, etag: md5(bytes) };
        for (const of of [known(bytes, whole), plain]) {
          const read = bytesOf(verified(reusedChunks(body, 7), of, digests));
          expect(await coldFailure(read)).to.equal('Corrupt');
        }
      }),
    );
  });

  it('can be told only by an MD5, or by those of their parts', () => {
    const etag = 'a'.repeat(32);
    expect(isVerifiable({ size: 1, etag })).to.be.true;
    expect(isVerifiable({ size: 1, etag: 'made-up' })).to.be.false;
    const segment = { container: 'c', object: 'o', size: 1, etag };
    expect(isVerifiable({ size: 1, etag: 'x-1', segments: [segment] })).to.be.true;
    expect(isVerifiable({ size: 2, etag: 'x-1', segments: [segment] })).to.be.false;
    const other = { ...segment, etag: 'x' };
    expect(isVerifiable({ size: 1, etag, segments: [other] })).to.be.false;
  });
});

describe('s3 cold: readers of pieces', () => {
  it('hand out all bytes, in pieces of the sizes asked for', async () => {
    await fc.assert(
      fc.asyncProperty(SIZES, fc.integer({ min: 1, max: 50 }), async (sizes, chunk) => {
        const bytes = patternBytes(sizes.reduce((sum, size) => sum + size, 0) + 3);
        const reader = new BodyReader(reusedChunks(bytes, chunk));
        let at = 0;
        for (const size of sizes) {
          const piece = await bytesOf(reader.take(size));
          expect(piece.equals(bytes.subarray(at, at + size))).to.be.true;
          at += size;
        }
        expect((await bytesOf(reader.take(100))).equals(bytes.subarray(at))).to.be.true;
        expect(await bytesOf(reader.take(1))).to.have.length(0);
        await reader.close();
      }),
    );
  });
});
