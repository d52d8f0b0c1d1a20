import { createHash, randomBytes } from 'node:crypto';
import { expect } from 'chai';

import { createChecksum, type ChecksumAlgorithm } from '../../src/digest/checksum.js';
import { type BodyDigest, createDigestFactory, type Digests } from '../../src/digest/index.js';
import { useEach } from '../support/fixture.js';

const KIB = 1024;

function expected(body: Buffer, algorithm: ChecksumAlgorithm): Digests {
  const checksum = createChecksum(algorithm);
  checksum.update(body);
  return {
    md5: createHash('md5').update(body).digest('hex'),
    sha256: createHash('sha256').update(body).digest('hex'),
    checksum: checksum.digest().toString('base64'),
  };
}

/** Feeds a body through one buffer that is overwritten between chunks, as a source may do. */
async function feed(digest: BodyDigest, body: Buffer, chunkBytes: number): Promise<Digests> {
  const reused = Buffer.alloc(chunkBytes);
  for (let offset = 0; offset < body.length; offset += chunkBytes) {
    const length = body.copy(reused, 0, offset, offset + chunkBytes);
    const wait = digest.update(reused.subarray(0, length));
    reused.fill(0xee);
    await wait;
  }
  return digest.finish();
}

const ALL = { md5: true, sha256: true } as const;

describe('digests of bodies', () => {
  const digests = useEach(
    () => createDigestFactory({ inlineBytesMax: 16 * KIB, lanes: 2 }),
    'close',
  );

  it('hashes small bodies without a thread', async () => {
    const body = randomBytes(16 * KIB);
    const result = await feed(
      digests().create({ ...ALL, checksum: 'CRC32' }, body.length),
      body,
      1000,
    );
    expect(result).to.deep.equal(expected(body, 'CRC32'));
    expect(digests().stats()).to.deep.equal({ queued: 0, active: 0, laneBytesTotal: 0 });
  });

  it('hashes what takes SHA-256 alone, or nothing, without a thread', async () => {
    const body = randomBytes(256 * KIB);
    const sha256 = createHash('sha256').update(body).digest('hex');
    const wanted = { md5: false, sha256: true };
    expect((await feed(digests().create(wanted, body.length), body, 9000)).sha256).to.equal(sha256);
    await feed(digests().create({ ...wanted, sha256: false }, undefined), body, 9000);
    expect(digests().stats()).to.deep.equal({ queued: 0, active: 0, laneBytesTotal: 0 });
  });

  it('gives only what was wanted', async () => {
    const inline = digests().create({ md5: true, sha256: false }, 1);
    await inline.update(Buffer.from('x'));
    expect(await inline.finish()).to.deep.equal({
      md5: createHash('md5').update('x').digest('hex'),
      sha256: undefined,
      checksum: undefined,
    });
    const lane = digests().create({ md5: false, sha256: true, checksum: 'SHA256' }, undefined);
    const result = await lane.finish();
    expect(result.md5).to.equal(undefined);
    expect(Buffer.from(result.checksum!, 'base64').toString('hex')).to.equal(result.sha256);
  });

  it('gives the digests of node:crypto for all sizes, split any way', async () => {
    const sizes = [16 * KIB + 1, 64 * KIB, 256 * KIB, 256 * KIB + 1, 700_001, 3 * 1024 * KIB];
    const algorithms: ChecksumAlgorithm[] = ['CRC32', 'CRC32C', 'CRC64NVME', 'SHA1', 'SHA256'];
    let turn = 0;
    for (const size of sizes) {
      for (const chunkBytes of [997, 64 * KIB, 600_000]) {
        const algorithm = algorithms[turn++ % algorithms.length]!;
        const body = randomBytes(size);
        const hint = turn % 3 === 0 ? undefined : size;
        const digest = digests().create({ ...ALL, checksum: algorithm }, hint);
        const result = await feed(digest, body, chunkBytes);
        expect(result, `${size} by ${chunkBytes}`).to.deep.equal(expected(body, algorithm));
      }
    }
  });

  it('hashes on when the body is longer or shorter than the hint', async () => {
    for (const hint of [20 * KIB, 900 * KIB]) {
      const body = randomBytes(500 * KIB);
      const result = await feed(digests().create(ALL, hint), body, 60_000);
      expect(result.md5).to.equal(expected(body, 'CRC32').md5);
    }
  });

  it('keeps many bodies apart', async () => {
    const bodies = Array.from({ length: 60 }, (_, i) => randomBytes(20 * KIB + i * 7919));
    const results = await Promise.all(
      bodies.map((body) =>
        feed(digests().create({ ...ALL, checksum: 'CRC32C' }, body.length), body, 30_000),
      ),
    );
    results.forEach((result, i) => {
      expect(result).to.deep.equal(expected(bodies[i]!, 'CRC32C'));
    });
    const total = bodies.reduce((sum, body) => sum + body.length, 0);
    expect(digests().stats()).to.deep.equal({ queued: 0, active: 0, laneBytesTotal: total });
  });

  it('refuses large bodies once closed, and still hashes small ones', async () => {
    await digests().close();
    const small = digests().create(ALL, 3);
    await small.update(Buffer.from('abc'));
    expect((await small.finish()).md5).to.equal('900150983cd24fb0d6963f7d28e17f72');
    const large = digests().create(ALL, undefined);
    let error: unknown;
    try {
      await large.finish();
    } catch (thrown) {
      error = thrown;
    }
    expect(error).to.have.property('name', 'DigestLaneError');
  });
});
