import { expect } from 'chai';
import type { EmbeddedStore } from '../../../src/backend/embedded/index.js';
import { CONTEXT, inputOf, objectRef, withStore } from './support.js';

const OBJECT = objectRef('object');
const START = Date.UTC(2026, 0, 1);
const HOUR_MS = 3_600_000;

/** Writes the same bytes as ever. @returns the time of modification that it answered */
async function put(store: EmbeddedStore): Promise<number> {
  const done = await store.putObject(CONTEXT, OBJECT, inputOf(Buffer.from('same')));
  if (done.outcome !== 'created') throw new Error(done.outcome);
  expect((await store.headObject(CONTEXT, OBJECT)).lastModified).to.equal(done.lastModified);
  return done.lastModified;
}

describe('times of modification', () => {
  const { now } = Date;
  let clock = START;

  beforeEach(() => {
    clock = START;
    Date.now = () => clock;
  });

  afterEach(() => {
    Date.now = now;
  });

  it('tell apart what was written in one millisecond', () =>
    withStore({}, async (store) => {
      const first = await put(store);
      const { etag } = await store.headObject(CONTEXT, OBJECT);
      expect([first, await put(store), await put(store)]).to.deep.equal([0, 1, 2].map(after));
      const stale = { etag, lastModified: first };
      const deleted = await store.deleteObject(CONTEXT, OBJECT, stale);
      expect(deleted.outcome).to.equal('precondition_failed');
      const replaced = await store.putObject(CONTEXT, OBJECT, inputOf(Buffer.of(1)), stale);
      expect(replaced.outcome).to.equal('precondition_failed');
    }));

  it('tell apart what one transaction wrote', () =>
    withStore({}, async (store) => {
      const body = inputOf(Buffer.from('same'));
      const puts = [0, 1, 2].map(() => store.putObject(CONTEXT, OBJECT, body));
      const times = (await Promise.all(puts)).map((done) =>
        done.outcome === 'created' ? done.lastModified : undefined,
      );
      expect(times).to.have.members([0, 1, 2].map(after));
    }));

  it('do not go back with a clock that is set back a little', () =>
    withStore({}, async (store) => {
      await put(store);
      clock -= 2000;
      expect(await put(store)).to.equal(after(1));
      clock += 4000;
      expect(await put(store)).to.equal(after(2000));
    }));

  it('are right again once a clock that was far ahead is', () =>
    withStore({}, async (store) => {
      await put(store);
      clock -= HOUR_MS;
      expect(await put(store)).to.equal(after(-HOUR_MS));
    }));
});

function after(ms: number): number {
  return START + ms;
}
