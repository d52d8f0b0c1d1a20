import { expect } from 'chai';
import type { ObjectRef, PutOutcome } from '../../src/backend/backend.js';
import type { BackendError } from '../../src/backend/errors.js';
import { cancelledBy } from '../../src/lib/cancellation.js';
import { failureOf } from '../support/failure.js';
import {
  CONTEXT,
  failure,
  type Fixture,
  freshObject,
  inputOf,
  listed,
  md5Of,
  needsCapability,
  patternBytes,
  readObject,
  reusedChunks,
} from './fixture.js';

/** Around what stores collect, so that a body is told its size, or streamed without one. */
const SIZES = [0, 1, 16_385, 65_536, 65_537, 300_000, 2 * 1024 * 1024 + 1];
const STREAMED = 300_000;

/** Bodies whose size nobody knows before their end. */
export function describeUnsizedBodies(fixture: Fixture): void {
  describe('bodies of unknown size', () => {
    beforeEach(function () {
      needsCapability(this, fixture, 'unsizedBodies');
    });

    function put(ref: ObjectRef, bytes: Buffer, more = {}, absent = false): Promise<PutOutcome> {
      const body = reusedChunks(bytes, 10_007);
      const input = inputOf('', { ...more, size: undefined, body });
      return fixture.backend.putObject(CONTEXT, ref, input, absent ? { absent: true } : undefined);
    }

    for (const size of SIZES) {
      it(`come back whole: ${size} bytes`, async () => {
        const bytes = patternBytes(size);
        const ref = await freshObject(fixture);
        const stored = await put(ref, bytes);
        const etag = md5Of(bytes);
        expect(stored).to.include({ outcome: 'created', etag });
        expect((await readObject(fixture, ref)).equals(bytes)).to.be.true;
        expect(await fixture.backend.headObject(CONTEXT, ref)).to.include({ size, etag });
        const head = await fixture.backend.headContainer(CONTEXT, ref);
        expect([head.objectCount, head.bytesUsed]).to.deep.equal([1, size]);
      });
    }

    it('take their ETag and what it adds from a seal', async () => {
      for (const size of [0, 1000, STREAMED]) {
        const ref = await freshObject(fixture);
        const bytes = patternBytes(size);
        const added = { systemMetadata: { b: '2' }, listingAttributes: { y: '2' } };
        const sealed = { etag: 'sealed-2', ...added };
        const input = { systemMetadata: { a: '1' }, listingAttributes: { x: '1' } };
        const stored = await put(ref, bytes, { ...input, seal: () => sealed });
        expect(stored).to.include({ outcome: 'created', etag: 'sealed-2' });
        const head = await fixture.backend.headObject(CONTEXT, ref);
        expect([head.etag, head.systemMetadata]).to.deep.equal(['sealed-2', { a: '1', b: '2' }]);
        const shown = { size, attributes: { x: '1', y: '2' } };
        expect(await listed(fixture, ref)).to.deep.include(shown);
        expect((await readObject(fixture, ref)).equals(bytes)).to.be.true;
      }
    });

    it('leave what was there when they throw, their seal throws, or a signal ends them', async () => {
      const broken = new Error('the client went away');
      const refuse = (): never => {
        throw broken;
      };
      for (const size of [2000, STREAMED]) {
        let finished = 0;
        async function* body(end: () => void): AsyncGenerator<Buffer> {
          try {
            yield patternBytes(size);
            await Promise.resolve();
            end();
          } finally {
            finished++;
          }
        }
        const puts: readonly ((ref: ObjectRef) => Promise<unknown>)[] = [
          (ref) => {
            const input = inputOf('', { size: undefined, body: body(refuse) });
            return fixture.backend.putObject(CONTEXT, ref, input);
          },
          (ref) => {
            const input = { size: undefined, body: body(() => undefined), seal: refuse };
            return fixture.backend.putObject(CONTEXT, ref, inputOf('', input));
          },
          (ref) => {
            const abort = new AbortController();
            const end = (): void => {
              abort.abort(broken);
            };
            const context = { ...CONTEXT, cancellation: cancelledBy(abort.signal) };
            const input = inputOf('', { size: undefined, body: body(end) });
            return fixture.backend.putObject(context, ref, input);
          },
        ];
        for (const run of puts) {
          const ref = await freshObject(fixture);
          expect(await failureOf(run(ref))).to.equal(broken);
          await failure('NoSuchObject', fixture.backend.headObject(CONTEXT, ref));
          await fixture.backend.putObject(CONTEXT, ref, inputOf('former'));
          expect(await failureOf(run(ref))).to.equal(broken);
          expect((await readObject(fixture, ref)).toString()).to.equal('former');
        }
        expect(finished).to.equal(2 * puts.length);
      }
    });

    it('let at most one of racing creators win', async function () {
      needsCapability(this, fixture, 'atomicCreate');
      for (const size of [1000, STREAMED]) {
        const ref = await freshObject(fixture);
        const outcomes = await Promise.all(
          Array.from({ length: 6 }, (_, i) =>
            put(ref, patternBytes(size, i), {}, true).then(
              ({ outcome }) => outcome,
              // A stream cannot be sent again to a store that is busy with another creator.
              (error: unknown) => (error as BackendError).code,
            ),
          ),
        );
        const winners = outcomes.flatMap((outcome, i) => (outcome === 'created' ? [i] : []));
        expect(winners, outcomes.join()).to.have.length(1);
        const losers = outcomes.filter((outcome) => outcome !== 'created');
        for (const loser of losers)
          expect(loser).to.be.oneOf(['precondition_failed', 'Unavailable']);
        expect(await readObject(fixture, ref)).to.deep.equal(patternBytes(size, winners[0]));
        const late = await put(ref, patternBytes(size, 9), {}, true);
        expect(late).to.deep.equal({ outcome: 'precondition_failed' });
      }
    });
  });
}
