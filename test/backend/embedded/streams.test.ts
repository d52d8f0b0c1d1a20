import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import { withSize } from '../../../src/backend/body-intake.js';
import { writeBody } from '../../../src/backend/embedded/body-intake.js';
import { fileBody } from '../../../src/backend/embedded/body-source.js';
import { BufferPool } from '../../../src/lib/buffers/buffer-pool.js';
import { codeOf } from '../../support/failure.js';
import { useOnce } from '../../support/fixture.js';
import { useTempFolderOnce } from '../../support/temp-folder.js';
import { bytesOf, openFilesIn, seededBytes } from './support.js';

describe('streams of the embedded store', () => {
  const directory = useTempFolderOnce('streams');
  const path = useOnce(() => join(directory(), 'body'));
  const bytes = seededBytes(1000, 1);
  const pool = new BufferPool(64, 4);

  before(async () => {
    await writeFile(path(), bytes);
  });

  afterEach(async () => {
    expect(pool.taken, 'buffers in use').to.equal(0);
    expect(await openFilesIn(directory()), 'open files').to.equal(0);
  });

  function body(start: number, end: number): ReturnType<typeof fileBody> {
    return fileBody(() => open(path()), { start, end }, pool);
  }

  it('give any part of a file', async () => {
    const bound = fc.nat({ max: 999 });
    await fc.assert(
      fc.asyncProperty(bound, bound, async (one, other) => {
        const [start, end] = [Math.min(one, other), Math.max(one, other)];
        const part = await bytesOf({ body: body(start, end) });
        expect(part.equals(bytes.subarray(start, end + 1))).to.be.true;
      }),
      { numRuns: 50 },
    );
  });

  it('let go when they are left early, at any chunk', async () => {
    for (let leave = 1; leave <= 16; leave++) {
      let seen = 0;
      for await (const chunk of body(0, 999).source) {
        expect(chunk).to.have.length(seen < 15 ? 64 : 40);
        if (++seen === leave) break;
      }
    }
  });

  it('let go when they are cancelled in the middle of a read', async () => {
    const { source, ...left } = body(0, 999);
    const iterator = (source as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
    const reading = iterator.next();
    left.cancel();
    await reading;
    expect((await iterator.next()).done).to.be.true;
    await iterator.return?.();
  });

  it('open nothing unless they are read or told to', async () => {
    let opened = 0;
    const never = fileBody(
      () => {
        opened++;
        return open(path());
      },
      { start: 0, end: 9 },
      pool,
    );
    never.cancel();
    for await (const chunk of never.source) expect.fail(`got ${String(chunk)}`);
    await never.open?.();
    expect(opened).to.equal(0);
  });

  it('let go of what they were told to open, read or not', async () => {
    const read = body(0, 9);
    await read.open?.();
    expect(await openFilesIn(directory())).to.equal(1);
    for await (const chunk of read.source) expect(chunk).to.have.length(10);
    const unread = body(0, 9);
    const opening = unread.open?.();
    unread.cancel();
    await opening;
    // Calls run one after the other: the file is closed when this one is answered.
    for await (const chunk of unread.source) expect.fail(`got ${String(chunk)}`);
  });

  it('write any chunks to the file that they make up', async () => {
    const size = fc.integer({ min: 0, max: 200 });
    await fc.assert(
      fc.asyncProperty(fc.array(size, { maxLength: 12 }), async (sizes) => {
        const total = sizes.reduce((sum, each) => sum + each, 0);
        const wanted = seededBytes(total, 2);
        async function* chunks(): AsyncGenerator<Buffer> {
          const shared = Buffer.alloc(200);
          let at = 0;
          for (const each of sizes) {
            wanted.copy(shared, 0, at, at + each);
            at += each;
            yield shared.subarray(0, each);
            shared.fill(0);
            await Promise.resolve();
          }
        }
        const target = join(directory(), 'target');
        const file = await open(target, 'w+');
        const intake = { body: chunks(), size: total, context: { requestId: 'test' } };
        await writeBody(intake, file, pool, undefined);
        const written = await file.readFile();
        await file.close();
        expect(written.equals(wanted)).to.be.true;
      }),
      { numRuns: 50 },
    );
  });

  it('hold no more than they need while they wait for the rest', async () => {
    const seen: number[] = [];
    const large = new BufferPool(4096, 4);
    async function* trickle(): AsyncGenerator<Buffer> {
      for (let sent = 0; sent < 1000; sent += 100) {
        yield bytes.subarray(sent, sent + 100);
        seen.push(large.bytesTaken);
        await Promise.resolve();
      }
    }
    const target = join(directory(), 'trickle');
    const file = await open(target, 'w+');
    const intake = { body: trickle(), size: 1000, context: { requestId: 'test' } };
    await writeBody(intake, file, large, undefined);
    expect((await file.readFile()).equals(bytes)).to.be.true;
    await file.close();
    expect(seen).to.deep.equal([...Array<number>(5).fill(512), ...Array<number>(5).fill(4096)]);
    expect(large.taken).to.equal(0);
  });

  it('of unknown size begin in one piece, whatever the pieces they come in', async () => {
    for (const max of [0, 99, 999, 1000]) {
      async function* pieces(): AsyncGenerator<Buffer> {
        for (const byte of bytes) yield await Promise.resolve(Buffer.of(byte));
      }
      const intake = { body: pieces(), size: undefined, context: { requestId: 'test' } };
      const read = await withSize(intake, max, async ({ body: source, size }) => {
        const chunks: Buffer[] = [];
        for await (const chunk of Buffer.isBuffer(source) ? [source] : source) chunks.push(chunk);
        return { chunks, size };
      });
      expect(Buffer.concat(read.chunks).equals(bytes)).to.be.true;
      expect(read.size).to.equal(max < 1000 ? undefined : 1000);
      expect(read.chunks[0]).to.have.length(Math.min(max + 1, 1000));
    }
  });

  it('report a failed write, and let go', async () => {
    const file = await open(path(), 'r');
    const intake = { body: bytes, size: bytes.length, context: { requestId: 'test' } };
    expect(await codeOf(writeBody(intake, file, pool, undefined))).to.equal('Unavailable');
    await file.close();
  });
});
