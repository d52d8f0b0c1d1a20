import { expect } from 'chai';
import { S3Error } from '../../../src/s3/errors.js';
import { RecordingBackend } from '../../support/backend/recording.js';
import {
  archivedNames,
  bodiesOf,
  CALL,
  gatewayOn,
  itOnStore,
  keyOf,
  memoryStore,
  put,
  putPlain,
  read,
  SUSPENDED,
} from './support.js';

const KEY = keyOf('k');
const WRITERS = 8;
const TEXTS = Array.from({ length: WRITERS }, (_, n) => `body ${n}`);

/** Room for some entries, each of about 110 bytes, and not for all. */
const SMALL_INDEX_BYTES = 900;

describe('s3/versions: writers of one key at once', () => {
  itOnStore('are committed together while an earlier commit is under way', async (store) => {
    const recording = new RecordingBackend(store);
    const versions = gatewayOn(recording);
    await put(recording, versions, KEY, 'first');
    recording.take();
    const puts = TEXTS.map((text) => put(recording, versions, KEY, text));
    const ids = (await Promise.all(puts)).map(({ versionId }) => versionId);
    const links = recording.take().filter((call) => call.method === 'putLink');
    expect(links.length, 'links written').to.be.within(1, WRITERS / 2);
    const { entries } = await versions.readIndex(CALL, KEY);
    expect(entries.slice(0, -1).map(({ id }) => id)).to.have.members(ids);
    const bodies = await bodiesOf(store, versions, KEY);
    expect([...bodies].sort()).to.deep.equal(['first', ...TEXTS].sort());
    expect(await read(store, KEY)).to.equal(bodies[0]);
  });

  it('are each there once, also where writes are ordered and other gateways write', async () => {
    const memory = await memoryStore({ strength: 'ordered' });
    const gateways = [gatewayOn(memory.asBackend), gatewayOn(memory.asBackend)];
    const puts = TEXTS.flatMap((text) =>
      gateways.map((gateway, n) => put(memory.asBackend, gateway, KEY, `${text} of ${n}`)),
    );
    const ids = (await Promise.all(puts)).map(({ versionId }) => versionId);
    const { entries } = await gatewayOn(memory.asBackend).readIndex(CALL, KEY);
    expect(entries.map(({ id }) => id))
      .to.have.lengthOf(ids.length)
      .and.have.members(ids);
  });

  itOnStore('keep the object from before the versions, as the oldest', async (store, versions) => {
    await putPlain(store, KEY, 'plain');
    await Promise.all(TEXTS.map((text) => put(store, versions, KEY, text)));
    const bodies = await bodiesOf(store, versions, KEY);
    expect(bodies).to.have.lengthOf(WRITERS + 1);
    expect(bodies.at(-1)).to.equal('null plain');
  });

  itOnStore(
    'are accepted as far as the index has room, and leave nothing behind otherwise',
    async (store) => {
      const versions = gatewayOn(store, SMALL_INDEX_BYTES);
      const puts = TEXTS.map((text) => put(store, versions, KEY, text));
      const outcomes = await Promise.allSettled(puts);
      const kept = outcomes.flatMap((one) =>
        one.status === 'fulfilled' ? [one.value.versionId] : [],
      );
      expect(kept.length, 'accepted').to.be.within(2, WRITERS - 1);
      for (const outcome of outcomes) {
        if (outcome.status === 'fulfilled') continue;
        expect(outcome.reason).to.be.instanceOf(S3Error).with.property('code', 'InvalidRequest');
      }
      const { entries } = await versions.readIndex(CALL, KEY);
      expect(entries.map(({ id }) => id)).to.have.members(kept);
      expect(await archivedNames(store, KEY)).to.have.members(kept);
    },
  );

  itOnStore(
    'do not join what has a condition or replaces the version null',
    async (store, versions) => {
      const only = { nullVersion: false, condition: { absent: true } } as const;
      const outcomes = await Promise.allSettled([
        put(store, versions, KEY, 'one', only),
        put(store, versions, KEY, 'two', only),
        put(store, versions, KEY, 'null one', SUSPENDED),
        put(store, versions, KEY, 'null two', SUSPENDED),
        put(store, versions, KEY, 'three'),
        put(store, versions, KEY, 'four'),
      ]);
      const [one, two, ...others] = outcomes.map(({ status }) => status);
      expect([one, two]).to.include.members(['rejected']);
      expect(others).to.deep.equal(Array(others.length).fill('fulfilled'));
      const bodies = await bodiesOf(store, versions, KEY);
      expect(bodies.filter((body) => body.startsWith('null'))).to.have.lengthOf(1);
      expect(bodies).to.include.members(['three', 'four']);
    },
  );
});
