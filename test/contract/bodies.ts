import { createHash } from 'node:crypto';
import { expect } from 'chai';
import type { ObjectRef, RangeSpec } from '../../src/backend/backend.js';
import { failureOf } from '../support/failure.js';
import {
  bytesOf,
  CONTEXT,
  failure,
  type Fixture,
  freshContainer,
  freshObject,
  inputOf,
  LARGE,
  listed,
  md5Of,
  patternBytes,
  readObject,
  reusedChunks,
  SMALL,
} from './fixture.js';
import { shown } from './listing-oracle.js';
import { cancelledBy } from '../../src/lib/cancellation.js';

const MIB = 1024 * 1024;

export function describeBodies(fixture: Fixture): void {
  describe('bodies', () => {
    const sizes = [0, 1, SMALL, 16_384, 65_536, 65_537, 524_288, LARGE, 2 * MIB + 1];
    for (const size of sizes) {
      it(`of ${size} bytes come back whole, from a buffer and from a stream`, async () => {
        const bytes = patternBytes(size);
        for (const body of [bytes, reusedChunks(bytes, 10_007)]) {
          const ref = await freshObject(fixture);
          const put = await fixture.backend.putObject(CONTEXT, ref, { ...inputOf(bytes), body });
          expect(put).to.include({ outcome: 'created', etag: md5Of(bytes) });
          expect((await readObject(fixture, ref)).equals(bytes)).to.be.true;
          expect((await fixture.backend.headObject(CONTEXT, ref)).size).to.equal(size);
        }
      });
    }

    it('of 50 MiB stream through bounded memory', () => streamLarge(fixture, 50 * MIB));

    for (const size of [SMALL, LARGE]) {
      describe(`that fail, ${size} bytes`, () => {
        describeFailures(fixture, size);
      });
      describe(`sealed, ${size} bytes`, () => {
        describeSeals(fixture, size);
      });
      describe(`in ranges, ${size} bytes`, () => {
        describeRanges(fixture, size);
      });

      it(`of ${size} bytes stay readable while they are replaced`, async () => {
        const ref = await freshObject(fixture);
        const [first, second] = [patternBytes(size, 1), patternBytes(size, 2)];
        await fixture.backend.putObject(CONTEXT, ref, inputOf(first));
        const reading = await fixture.backend.getObject(CONTEXT, ref);
        await fixture.backend.putObject(CONTEXT, ref, inputOf(second));
        const bytes = await bytesOf(reading);
        expect(bytes.equals(first)).to.be.true;
        expect((await readObject(fixture, ref)).equals(second)).to.be.true;
      });
    }

    it('that are not read are let go of', async () => {
      const ref = await freshObject(fixture);
      await fixture.backend.putObject(CONTEXT, ref, inputOf(patternBytes(LARGE)));
      const unread = await fixture.backend.getObject(CONTEXT, ref);
      unread.body.cancel();
      const left = await fixture.backend.getObject(CONTEXT, ref);
      if (!Buffer.isBuffer(left.body.source)) {
        for await (const chunk of left.body.source) if (chunk.length > 0) break;
      }
      expect((await readObject(fixture, ref)).length).to.equal(LARGE);
    });

    it('have any name', async () => {
      const container = await freshContainer(fixture);
      const names = [
        ...[' ', 'a b', '+', '100%', '%2F', 'a?b=c', '#frag', '..', '../x', 'a/../b', '/', '//'],
        ...['a//b', './x', '@', 'ünïcödé', '日本語', '😀/😁', 'a\tb\nc'],
        ...['k'.repeat(1024), '😀'.repeat(256)],
      ];
      for (const object of names) {
        await fixture.backend.putObject(CONTEXT, { ...container, object }, inputOf(object));
      }
      for (const object of names) {
        const bytes = await readObject(fixture, { ...container, object });
        expect(bytes.toString()).to.equal(object);
      }
      const head = await fixture.backend.headContainer(CONTEXT, container);
      expect(head.objectCount).to.equal(names.length);
    });

    it('have names up to the announced length, and no longer ones', async () => {
      const { backend } = fixture;
      const max = backend.capabilities.objectNameBytesMax;
      const container = await freshContainer(fixture);
      const ref = { ...container, object: 'é'.repeat(Math.floor(max / 2)) };
      await backend.putObject(CONTEXT, ref, inputOf('long'));
      expect((await readObject(fixture, ref)).toString()).to.equal('long');
      const { entries } = await backend.listObjects(CONTEXT, container, { limit: 10 });
      expect(shown(entries)).to.deep.equal([ref.object]);
      const longer = { ...container, object: 'x'.repeat(max + 1) };
      await failure('NameTooLong', backend.putObject(CONTEXT, longer, inputOf('x')));
    });
  });
}

async function streamLarge(fixture: Fixture, size: number): Promise<void> {
  const { backend } = fixture;
  const ref = await freshObject(fixture);
  const sent = createHash('md5');
  const start = process.memoryUsage().arrayBuffers;
  let peak = 0;
  const look = (): void => {
    peak = Math.max(peak, process.memoryUsage().arrayBuffers - start);
  };
  async function* body(): AsyncGenerator<Buffer> {
    const chunk = patternBytes(65_536);
    for (let at = 0; at < size; at += chunk.length) {
      chunk.writeUInt32LE(at, 0);
      sent.update(chunk);
      look();
      yield chunk;
      await Promise.resolve();
    }
  }
  await backend.putObject(CONTEXT, ref, { ...inputOf(''), size, body: body() });
  const received = createHash('md5');
  const { source } = (await backend.getObject(CONTEXT, ref)).body;
  if (Buffer.isBuffer(source)) throw new Error('a large body was given as one buffer');
  for await (const chunk of source) {
    received.update(chunk);
    look();
  }
  expect(received.digest('hex')).to.equal(sent.digest('hex'));
  // Far below the body; part of it is what nobody has collected yet.
  expect(peak).to.be.below(24 * MIB);
  await backend.deleteObject(CONTEXT, ref);
}

function describeFailures(fixture: Fixture, size: number): void {
  /** A put that fails leaves the former object, or none, and no trace in the counts. */
  async function expectNothingStored(
    put: (ref: ObjectRef) => Promise<unknown>,
    check: (error: unknown) => void,
  ): Promise<void> {
    const ref = await freshObject(fixture);
    check(await failureOf(put(ref)));
    await failure('NoSuchObject', fixture.backend.getObject(CONTEXT, ref));
    await fixture.backend.putObject(CONTEXT, ref, inputOf('former'));
    check(await failureOf(put(ref)));
    expect((await readObject(fixture, ref)).toString()).to.equal('former');
    const head = await fixture.backend.headContainer(CONTEXT, ref);
    expect([head.objectCount, head.bytesUsed]).to.deep.equal([1, 6]);
  }

  const isMismatch = (error: unknown): void => {
    expect(error).to.include({ code: 'BodyMismatch' });
  };

  for (const [what, length] of [
    ['shorter', size - 1],
    ['longer', size + 1],
  ] as const) {
    it(`a ${what} body than announced is refused`, async () => {
      const bytes = patternBytes(length);
      for (const body of [() => bytes, () => reusedChunks(bytes, 4096)]) {
        await expectNothingStored(
          (ref) => fixture.backend.putObject(CONTEXT, ref, { ...inputOf(''), size, body: body() }),
          isMismatch,
        );
      }
    });
  }

  it('a body that throws fails with its error, and is let go of', async () => {
    const broken = new Error('the client went away');
    let finished = 0;
    async function* body(): AsyncGenerator<Buffer> {
      try {
        yield patternBytes(Math.floor(size / 2));
        await Promise.resolve();
        throw broken;
      } finally {
        finished++;
      }
    }
    await expectNothingStored(
      (ref) => fixture.backend.putObject(CONTEXT, ref, { ...inputOf(''), size, body: body() }),
      (error) => expect(error).to.equal(broken),
    );
    expect(finished).to.equal(2);
  });

  it('a seal that throws fails with its error', async () => {
    const refused = new Error('the digest does not agree');
    const seal = (): never => {
      throw refused;
    };
    await expectNothingStored(
      (ref) => fixture.backend.putObject(CONTEXT, ref, inputOf(patternBytes(size), { seal })),
      (error) => expect(error).to.equal(refused),
    );
  });

  it('a signal that is aborted in the middle ends the put', async () => {
    await expectNothingStored(
      (ref) => {
        const abort = new AbortController();
        async function* body(): AsyncGenerator<Buffer> {
          yield patternBytes(1);
          abort.abort(new Error('gone'));
          yield patternBytes(size - 1);
          await Promise.resolve();
        }
        const context = { ...CONTEXT, cancellation: cancelledBy(abort.signal) };
        return fixture.backend.putObject(context, ref, { ...inputOf(''), size, body: body() });
      },
      (error) => expect((error as Error).message).to.equal('gone'),
    );
  });
}

function describeSeals(fixture: Fixture, size: number): void {
  it('take their ETag and what it adds', async () => {
    const ref = await freshObject(fixture);
    let calls = 0;
    const etag = 'e'.repeat(125) + '-17';
    const seal = () => {
      calls++;
      return { etag, systemMetadata: { b: '2', c: '3' }, listingAttributes: { y: '2' } };
    };
    const more = { systemMetadata: { a: '1', b: '1' }, listingAttributes: { x: '1' }, seal };
    const input = inputOf(patternBytes(size), more);
    const put = await fixture.backend.putObject(CONTEXT, ref, input);
    expect(calls).to.equal(1);
    expect(put).to.include({ outcome: 'created', etag });
    const head = await fixture.backend.headObject(CONTEXT, ref);
    expect(head.etag).to.equal(etag);
    expect(head.systemMetadata).to.deep.equal({ a: '1', b: '2', c: '3' });
    expect((await listed(fixture, ref)).attributes).to.deep.equal({ x: '1', y: '2' });
  });

  it('without an ETag take the MD5', async () => {
    const ref = await freshObject(fixture);
    const bytes = patternBytes(size);
    const input = inputOf(bytes, { seal: () => ({}) });
    const put = await fixture.backend.putObject(CONTEXT, ref, input);
    expect(put).to.include({ etag: md5Of(bytes) });
  });
}

function describeRanges(fixture: Fixture, size: number): void {
  const last = size - 1;
  const cases: readonly [string, RangeSpec, [number, number] | 'unsatisfiable'][] = [
    ['the first byte', { first: 0, last: 0 }, [0, 0]],
    ['the middle', { first: 3, last: size - 3 }, [3, size - 3]],
    ['to the end', { first: 4 }, [4, last]],
    ['past the end', { first: 2, last: size * 2 }, [2, last]],
    ['the last byte', { first: last, last }, [last, last]],
    ['a suffix', { suffix: 3 }, [size - 3, last]],
    ['a suffix longer than the body', { suffix: size + 5 }, [0, last]],
    ['behind the end', { first: size }, 'unsatisfiable'],
    ['an empty suffix', { suffix: 0 }, 'unsatisfiable'],
  ];

  it('give exactly those bytes', async () => {
    const ref = await freshObject(fixture);
    const bytes = patternBytes(size);
    await fixture.backend.putObject(CONTEXT, ref, inputOf(bytes));
    for (const [what, spec, wanted] of cases) {
      const result = await fixture.backend.getObject(CONTEXT, ref, spec);
      const range = wanted === 'unsatisfiable' ? wanted : { start: wanted[0], end: wanted[1] };
      expect(result.range, what).to.deep.equal(range);
      const slice = wanted === 'unsatisfiable' ? '' : bytes.subarray(wanted[0], wanted[1] + 1);
      expect((await bytesOf(result)).equals(Buffer.from(slice)), what).to.be.true;
      expect(result.head.size).to.equal(size);
    }
  });

  it('of nothing are unsatisfiable', async () => {
    const ref = await freshObject(fixture);
    await fixture.backend.putObject(CONTEXT, ref, inputOf(''));
    for (const spec of [{ first: 0 }, { suffix: 1 }]) {
      const result = await fixture.backend.getObject(CONTEXT, ref, spec);
      expect(result.range).to.equal('unsatisfiable');
      expect(await bytesOf(result)).to.have.length(0);
    }
    const whole = await fixture.backend.getObject(CONTEXT, ref);
    expect(whole.range).to.equal(undefined);
  });
}
