import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import type { Segment } from '../../../src/backend/backend.js';
import { BackendError } from '../../../src/backend/errors.js';
import { fileBody } from '../../../src/backend/embedded/body-source.js';
import { bufferBody } from '../../../src/backend/embedded/lazy-body.js';
import { BufferPool } from '../../../src/lib/buffers/buffer-pool.js';
import { encodeSegments, SegmentList } from '../../../src/backend/embedded/segment-list.js';
import { segmentsBody } from '../../../src/backend/embedded/segment-source.js';
import { codeOf } from '../../support/failure.js';
import { useOnce } from '../../support/fixture.js';
import { useTempFolderOnce } from '../../support/temp-folder.js';
import { openFilesIn, seededBytes } from './support.js';

const segment: fc.Arbitrary<Segment> = fc.record({
  container: fc.constantFrom('a', 'b+segments'),
  object: fc
    .tuple(fc.constantFrom('key/', 'key/😀', 'key/😁'), fc.string({ unit: 'binary' }))
    .map(([start, rest]) => `${start}${rest}`),
  size: fc.oneof(fc.constant(0), fc.nat({ max: 9 }), fc.integer({ min: 0, max: 5 * 2 ** 30 })),
  etag: fc.oneof(
    fc.uint8Array({ minLength: 16, maxLength: 16 }).map((md5) => Buffer.from(md5).toString('hex')),
    fc.string({ unit: 'grapheme-ascii', maxLength: 128 }),
  ),
});
const segments = fc.array(segment, { minLength: 1, maxLength: 20 });

describe('segment lists of the embedded store', () => {
  it('give back what they were made of, and find each byte', async () => {
    await fc.assert(
      fc.asyncProperty(segments, async (wanted) => {
        const list = new SegmentList(await encodeSegments(wanted));
        expect([...list]).to.deep.equal(wanted);
        let at = 0;
        for (const [index, { size }] of wanted.entries()) {
          expect([list.startOf(index), list.endOf(index)]).to.deep.equal([at, at + size]);
          if (size > 0) {
            expect([list.indexAt(at), list.indexAt(at + size - 1)]).to.deep.equal([index, index]);
          }
          at += size;
        }
        expect(list.size).to.equal(at);
        expect(list.indexAt(at)).to.equal(wanted.length);
      }),
    );
  });

  it('hold long names once', async () => {
    const object = (i: number): string => `${'k'.repeat(1000)}/upload/${i}`;
    const etag = 'f'.repeat(32);
    const wanted = Array.from({ length: 10_000 }, (_, i) => {
      return { container: 'b+segments', object: object(i), size: i, etag };
    });
    const bytes = await encodeSegments(wanted);
    expect(bytes.length).to.be.below(400_000);
    expect(new SegmentList(bytes).get(9_999)).to.deep.equal(wanted[9_999]);
  });

  it('are Corrupt when they are cut off, and never anything else when they are changed', async () => {
    await fc.assert(
      fc.asyncProperty(segments, fc.nat(), fc.nat({ max: 255 }), async (wanted, at, byte) => {
        const bytes = await encodeSegments(wanted);
        expect(() => [...new SegmentList(bytes.subarray(0, at % bytes.length))])
          .to.throw(BackendError)
          .with.property('code', 'Corrupt');
        bytes[at % bytes.length] = byte;
        try {
          for (const { size } of new SegmentList(bytes)) expect(size).to.be.at.least(0);
        } catch (error) {
          expect(error).to.have.property('code', 'Corrupt');
        }
      }),
    );
  });
});

describe('streams through segments', () => {
  const SIZES = [150, 0, 7, 64, 0, 200, 1];
  const TOTAL = SIZES.reduce((sum, size) => sum + size, 0);
  const bytes = seededBytes(TOTAL, 1);
  const pool = new BufferPool(64, 4);
  const directory = useTempFolderOnce('segments');
  const list = useOnce(async () => {
    const all = SIZES.map((size, i) => ({ container: 'c', object: `s/${i}`, size, etag: 'e' }));
    return new SegmentList(await encodeSegments(all));
  });

  before(async () => {
    for (const [index, { object }] of [...list()].entries()) {
      const body = bytes.subarray(list().startOf(index), list().endOf(index));
      await writeFile(join(directory(), object.replace('/', '-')), body);
    }
  });

  afterEach(async () => {
    expect(pool.taken, 'buffers in use').to.equal(0);
    expect(await openFilesIn(directory()), 'open files').to.equal(0);
  });

  function stream(start = 0, end = TOTAL - 1, failAt?: string): AsyncIterable<Buffer> {
    const body = segmentsBody(list(), { start, end }, ({ object }, range) => {
      if (object === failAt) throw new BackendError('Corrupt', 'gone');
      const path = join(directory(), object.replace('/', '-'));
      // One of them is small, and comes in one piece.
      if (object === 's/2') return bufferBody(bytes.subarray(150 + range.start, 151 + range.end));
      return fileBody(() => open(path), range, pool);
    });
    return body.source as AsyncIterable<Buffer>;
  }

  it('give every part, with three chunks and two files at most', async () => {
    for (let start = 0; start < TOTAL; start += 13) {
      for (let end = start; end < TOTAL; end += 31) {
        const chunks: Buffer[] = [];
        for await (const chunk of stream(start, end)) {
          chunks.push(Buffer.from(chunk));
          expect(pool.taken).to.be.at.most(3);
        }
        expect(Buffer.concat(chunks).equals(bytes.subarray(start, end + 1))).to.be.true;
      }
    }
    for await (const chunk of stream()) {
      expect(chunk.length).to.be.above(0);
      expect(await openFilesIn(directory())).to.be.at.most(2);
    }
  });

  it('keep a chunk until the next one is asked for', async () => {
    let at = 0;
    for await (const chunk of stream()) {
      // Lets whatever is read ahead arrive.
      await openFilesIn(directory());
      expect(chunk.equals(bytes.subarray(at, (at += chunk.length)))).to.be.true;
    }
    expect(at).to.equal(TOTAL);
  });

  it('let go when they are left early, at any chunk, or cancelled in the middle of a read', async () => {
    for (let leave = 1; leave <= 9; leave++) {
      let seen = 0;
      for await (const chunk of stream()) if (chunk.length > 0 && ++seen === leave) break;
      const iterator = stream()[Symbol.asyncIterator]();
      for (let i = 1; i < leave; i++) await iterator.next();
      const reading = iterator.next();
      await iterator.return?.();
      await reading;
      expect((await iterator.next()).done).to.be.true;
    }
  });

  it('fail at the byte where a segment is gone, and let go', async () => {
    let at = 0;
    const read = async (): Promise<void> => {
      for await (const chunk of stream(0, TOTAL - 1, 's/5')) at += chunk.length;
    };
    expect(await codeOf(read())).to.equal('Corrupt');
    expect(at).to.equal(list().startOf(5));
    expect(() => stream(list().startOf(5), TOTAL - 1, 's/5')).to.throw(BackendError);
  });
});
