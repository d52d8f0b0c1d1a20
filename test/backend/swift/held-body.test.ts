import { expect } from 'chai';
import fc from 'fast-check';
import { encodeFooters, FOOTERS_BYTES, heldBody } from '../../../src/backend/swift/sealed-body.js';
import { cancelledBy } from '../../../src/lib/cancellation.js';
import { failureOf } from '../../support/failure.js';

const CONTEXT = { requestId: 'held' };

/** Chunks that are overwritten as soon as the next one is asked for. */
async function* chunksOf(bytes: Buffer, sizes: readonly number[]): AsyncGenerator<Buffer> {
  let at = 0;
  for (const size of [...sizes, bytes.length]) {
    const chunk = Buffer.from(bytes.subarray(at, at + size));
    at += chunk.length;
    yield chunk;
    chunk.fill(0xee);
    await Promise.resolve();
  }
}

function bytesOf(size: number): Buffer {
  return Buffer.from(Array.from({ length: size }, (_, i) => (i * 7) & 0xff));
}

async function collect(source: AsyncIterable<Buffer>, received: Buffer[]): Promise<void> {
  for await (const chunk of source) received.push(Buffer.from(chunk));
}

describe('held bodies', () => {
  it('are what they were, with the last byte behind the end of the source', async () => {
    const property = fc.asyncProperty(
      fc.integer({ min: 1, max: 40 }),
      fc.array(fc.nat({ max: 12 })),
      fc.option(fc.uint8Array({ maxLength: 5 }), { nil: undefined }),
      async (size, sizes, trailer) => {
        const bytes = bytesOf(size);
        const received: Buffer[] = [];
        let before: number | undefined;
        const held = heldBody({ body: chunksOf(bytes, sizes), size, context: CONTEXT }, () => {
          before = Buffer.concat(received).length;
          return Promise.resolve(trailer && Buffer.from(trailer));
        });
        await collect(held, received);
        expect(before).to.equal(size - 1);
        const sent = Buffer.concat([bytes, Buffer.from(trailer ?? [])]);
        expect(Buffer.concat(received).equals(sent)).to.be.true;
        expect(received.every((chunk) => chunk.length > 0)).to.be.true;
      },
    );
    await fc.assert(property);
  });

  for (const [what, length] of [
    ['shorter', 9],
    ['longer', 11],
    ['empty', 0],
  ] as const) {
    it(`never end when they are ${what} than announced`, async () => {
      const received: Buffer[] = [];
      const atEnd = (): never => {
        throw new Error('it is not the end');
      };
      const body = chunksOf(bytesOf(length), [4]);
      const held = heldBody({ body, size: 10, context: CONTEXT }, atEnd);
      expect(await failureOf(collect(held, received))).to.include({ code: 'BodyMismatch' });
      expect(Buffer.concat(received).length).to.be.below(10);
    });
  }

  it('never end when what has to be known at the end is not', async () => {
    const received: Buffer[] = [];
    const refused = new Error('the digest does not agree');
    const body = chunksOf(bytesOf(10), [3, 3]);
    const held = heldBody({ body, size: 10, context: CONTEXT }, () => Promise.reject(refused));
    expect(await failureOf(collect(held, received))).to.equal(refused);
    expect(Buffer.concat(received).length).to.equal(9);
  });

  it('give up with their caller, at the end too', async () => {
    const abort = new AbortController();
    async function* body(): AsyncGenerator<Buffer> {
      yield bytesOf(10);
      await Promise.resolve();
      abort.abort(new Error('gone'));
    }
    const context = { ...CONTEXT, cancellation: cancelledBy(abort.signal) };
    const held = heldBody({ body: body(), size: 10, context }, () => Promise.resolve(undefined));
    expect(await failureOf(collect(held, []))).to.have.property('message', 'gone');
  });

  it('let go of their source when they are left', async () => {
    let left = false;
    async function* body(): AsyncGenerator<Buffer> {
      try {
        for (;;) {
          yield bytesOf(2);
          await Promise.resolve();
        }
      } finally {
        left = true;
      }
    }
    const held = heldBody({ body: body(), size: 10, context: CONTEXT }, () =>
      Promise.resolve(undefined),
    );
    for await (const chunk of held) if (chunk.length > 0) break;
    expect(left).to.be.true;
  });
});

describe('footers', () => {
  it('are a JSON object, padded with spaces', () => {
    const headers = { etag: 'x', 'x-gateway-sysmeta-object-a': '1' };
    const footers = encodeFooters(headers);
    expect(footers).to.have.length(FOOTERS_BYTES);
    expect(JSON.parse(footers.toString())).to.deep.equal(headers);
    expect(footers.toString().trimEnd()).to.equal(JSON.stringify(headers));
  });

  it('are refused when they are more than was announced', () => {
    const much = { a: 'x'.repeat(FOOTERS_BYTES) };
    expect(() => encodeFooters(much))
      .to.throw()
      .with.property('code', 'Unsupported');
  });
});
