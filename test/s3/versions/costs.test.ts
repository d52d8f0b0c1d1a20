import { expect } from 'chai';
import type { Backend } from '../../../src/backend/backend.js';
import { describeCall, RecordingBackend } from '../../support/backend/recording.js';
import { PlainSightings } from '../../../src/s3/versions/current-state.js';
import { VersionedKeys } from '../../../src/s3/versions/versioned-keys.js';
import { useEach } from '../../support/fixture.js';
import {
  CALL,
  ENABLED,
  gatewayOn,
  itOnStore,
  keyOf,
  memoryStore,
  postponingGatewayOn,
  put,
  putPlain,
  SUSPENDED,
} from './support.js';

const KEY = keyOf('k');
const ALLOW = (): void => undefined;

type Step = (store: RecordingBackend, versions: VersionedKeys) => Promise<unknown>;

interface Cost {
  readonly before: readonly Step[];
  readonly step: Step;
  readonly calls: readonly string[];
}

const one: Step = (store, versions) => put(store, versions, KEY, 'one');
const mark: Step = (_, versions) => versions.createDeleteMarker(CALL, KEY, ENABLED);
const remove =
  (place: number): Step =>
  async (store, versions) => {
    const { entries } = await versions.readIndex(CALL, KEY);
    const id = entries[place]?.id ?? '';
    store.take();
    return versions.deleteVersion(CALL, KEY, id, ALLOW);
  };

/** `V/` is the archive; names of versions are `version`. docs/versions.md tells the sums. */
const COSTS: Readonly<Record<string, Cost>> = {
  'PUT of a new key': {
    before: [],
    step: one,
    calls: ['put V/version', 'get V/index', 'head k', 'put V/g1', 'put V/index', 'link k'],
  },
  'PUT of a key': {
    before: [one],
    step: one,
    calls: ['put V/version', 'get V/index', 'put V/g2', 'put V/index', 'link k'],
  },
  'PUT over an object that no index knows': {
    before: [(store) => putPlain(store, KEY, 'plain')],
    step: one,
    calls: [
      ...['put V/version', 'get V/index', 'head k', 'copy V/version', 'put V/g1', 'put V/index'],
      'link k',
    ],
  },
  'PUT over a delete marker': {
    before: [one, mark],
    step: one,
    calls: ['put V/version', 'get V/index', 'head k', 'put V/g3', 'put V/index', 'link k'],
  },
  'PUT while versioning is suspended': {
    before: [one, (store, versions) => put(store, versions, KEY, 'null', SUSPENDED)],
    step: (store, versions) => put(store, versions, KEY, 'null', SUSPENDED),
    calls: [
      ...['put V/version', 'get V/index', 'put V/g3', 'put V/index', 'link k'],
      'delete V/version',
    ],
  },
  'DELETE of a key': {
    before: [one],
    step: mark,
    calls: ['get V/index', 'put V/g2', 'put V/index', 'delete k'],
  },
  'DELETE of a key that is not there': {
    before: [],
    step: mark,
    calls: ['get V/index', 'head k', 'put V/g1', 'put V/index'],
  },
  'DELETE of a key that is deleted': {
    before: [one, mark],
    step: mark,
    calls: ['get V/index', 'head k', 'put V/g3', 'put V/index'],
  },
  'DELETE of the current version': {
    before: [one, one],
    step: remove(0),
    calls: [
      ...['get V/index', 'head V/version', 'put V/g3', 'put V/index', 'link k'],
      'delete V/version',
    ],
  },
  'DELETE of a version that is not current': {
    before: [one, one],
    step: remove(1),
    calls: [
      ...['get V/index', 'head V/version', 'put V/g3', 'put V/index', 'link k'],
      'delete V/version',
    ],
  },
  'DELETE of the delete marker on top': {
    before: [one, mark],
    step: remove(0),
    calls: ['get V/index', 'put V/g3', 'put V/index', 'link k'],
  },
  'a change of locks': {
    before: [one],
    step: async (store, versions) => {
      const { entries } = await versions.readIndex(CALL, KEY);
      store.take();
      return versions.touchVersion(CALL, KEY, entries[0]?.id, () => ({ hold: 'ON' }));
    },
    calls: [
      ...['get V/index', 'head V/version', 'put V/g2', 'put V/index'],
      ...['update V/version', 'get V/index'],
    ],
  },
};

/** What moves a first version out of the place of the index. */
const MOVE = ['get V/index', 'put V/version'];

/** The same where writes are ordered, as on Swift: what the process remembers is not read. */
const ORDERED: Readonly<Record<string, readonly string[]>> = {
  'PUT of a new key': ['put V/index', 'link k'],
  'PUT over a delete marker': [
    ...['put V/version', 'put V/g3', 'put V/index', 'link k', 'head V/index'],
  ],
  'PUT of a key': ['put V/version', 'put V/g2', ...MOVE, 'put V/index', 'link k'],
  'PUT while versioning is suspended': [
    ...['put V/version', 'put V/g3', 'put V/index', 'link k'],
    'delete V/version',
  ],
  'DELETE of a key': ['put V/g2', ...MOVE, 'put V/index', 'delete k'],
  'DELETE of a key that is not there': ['get V/index', 'head k', 'put V/index'],
  'DELETE of a key that is deleted': ['head k', 'put V/g3', 'put V/index', 'head k', 'delete k'],
  'DELETE of the current version': [
    ...['head V/version', 'put V/g3', 'put V/index', 'link k', 'delete V/version'],
  ],
};

/** The same of these without fixed links. */
const UNFIXED: Readonly<Record<string, readonly string[]>> = {
  'PUT of a new key': ['put V/version', 'put V/index', 'link k'],
  'PUT of a key': ['put V/version', 'put V/g2', 'put V/index', 'link k'],
  'DELETE of a key': ['put V/g2', 'put V/index', 'delete k'],
};

describe('s3/versions: calls', () => {
  for (const [what, { calls, ...cost }] of Object.entries(COSTS)) {
    itOnStore(`makes no others for ${what}`, async (store) => {
      expect(await callsOf(store, cost)).to.deep.equal(calls);
    });
  }

  for (const fixedLinks of [true, false]) {
    for (const [what, calls] of Object.entries(fixedLinks ? ORDERED : UNFIXED)) {
      const where = `where writes are ordered${fixedLinks ? '' : ' and links are not fixed'}`;
      it(`makes no others ${where} for ${what}`, async () => {
        const memory = await memoryStore({ strength: 'ordered', fixedLinks });
        expect(await callsOf(memory.asBackend, COSTS[what]!)).to.deep.equal(calls);
      });
    }
  }

  it('looks at new keys for ten minutes after an object that no index knows', async () => {
    let now = 0;
    const memory = await memoryStore({ strength: 'ordered' });
    const recording = new RecordingBackend(memory.asBackend);
    const plainSightings = new PlainSightings(() => now);
    const options = { backend: recording, indexBytesMax: 100_000, plainSightings };
    const versions = new VersionedKeys(options);
    const putNew = async (key: string): Promise<string[]> => {
      recording.take();
      await put(recording, versions, keyOf(key), 'a version');
      return recording.calls.map(describeCall).filter((call) => call.includes(`bucket/${key}`));
    };
    const [looked, unlooked] = [['headObject', 'putLink'], ['putLink']];
    const methods = async (key: string) => (await putNew(key)).map((call) => call.split(' ')[0]);
    expect(await methods('first')).to.deep.equal(looked);
    expect(await methods('second')).to.deep.equal(unlooked);
    await putPlain(memory.asBackend, keyOf('plain'), 'plain');
    expect((await methods('plain'))[0]).to.equal('putLink');
    const { entries } = await versions.readIndex(CALL, keyOf('plain'));
    expect(entries.map(({ id }) => id === 'null')).to.deep.equal([false, true]);
    now = 599_999;
    expect(await methods('third')).to.deep.equal(looked);
    now = 600_000;
    expect(await methods('fourth')).to.deep.equal(unlooked);
  });

  it('reads what another gateway has written, where writes are ordered', async () => {
    const memory = await memoryStore({ strength: 'ordered' });
    const others = gatewayOn(memory.asBackend);
    const before = [one, (store: RecordingBackend) => put(store, others, KEY, 'theirs')];
    expect(await callsOf(memory.asBackend, { before, step: one })).to.deep.equal([
      ...['put V/version', 'put V/g2', 'get V/g2', 'put V/g3'],
      ...['get V/index', 'put V/index', 'link k'],
    ]);
    const { entries } = await gatewayOn(memory.asBackend).readIndex(CALL, KEY);
    expect(entries).to.have.lengthOf(3);
  });

  it('reads one fence for each version that another gateway has written since', async () => {
    const memory = await memoryStore({ strength: 'ordered' });
    const others = postponingGatewayOn(memory.asBackend);
    const theirs: Step = (store) => put(store, others, KEY, 'theirs');
    const of = { before: [one, theirs, theirs], step: one };
    expect(await callsOf(memory.asBackend, of, postponingGatewayOn)).to.deep.equal([
      ...['put V/version', 'put V/g2', 'get V/g2', 'put V/g3', 'get V/g3', 'put V/g4', 'link k'],
    ]);
    await others.writePostponed();
    const { entries } = await gatewayOn(memory.asBackend).readIndex(CALL, KEY);
    expect(entries).to.have.lengthOf(4);
  });

  describe('where writes are ordered, and another gateway has written the key', () => {
    const memory = useEach(() => memoryStore({ strength: 'ordered' }));
    const theirs =
      (key: string, there = memory()): Step =>
      (store) =>
        put(store, gatewayOn(there.asBackend), keyOf(key), 'theirs');
    const notNew: Step = async (store, versions) => {
      for (const text of ['one', 'two']) await put(store, versions, keyOf('not new'), text);
    };
    const callsAfter = (...before: Step[]) =>
      callsOf(memory().asBackend, { before, step: one }, postponingGatewayOn);

    it('lets the store look at the key, and postpones the index', async () => {
      expect(await callsAfter(theirs('not new'), notNew, theirs('k'))).to.deep.equal([
        ...['put V/version', 'get V/index', 'put V/g2', 'link k'],
      ]);
    });

    it('looks at the key itself where the store does not', async () => {
      const unlooked = await memoryStore({ strength: 'ordered', linksBehind: false });
      const before = [theirs('not new', unlooked), notNew, theirs('k', unlooked)];
      const of = { before, step: one };
      expect(await callsOf(unlooked.asBackend, of, postponingGatewayOn)).to.deep.equal([
        ...['put V/version', 'get V/index', 'head k', 'put V/g2', 'link k'],
      ]);
    });

    it('does so after it has tried to create the index, where the last key was new', async () => {
      expect(await callsAfter(theirs('k'))).to.deep.equal([
        ...['put V/index', 'get V/index', 'put V/version', 'put V/g2', 'link k'],
      ]);
    });
  });
});

async function callsOf(
  store: Backend,
  { before, step }: Omit<Cost, 'calls'>,
  gatewayOf: (store: Backend) => VersionedKeys = gatewayOn,
): Promise<string[]> {
  const recording = new RecordingBackend(store);
  const versions = gatewayOf(recording);
  // Each process asks once whether there is an archive.
  await put(recording, versions, keyOf('other'), '');
  for (const earlier of before) await earlier(recording, versions);
  recording.take();
  await step(recording, versions);
  return recording.calls.map((call) => shortened(describeCall(call)));
}

function shortened(call: string): string {
  return call
    .replace(/ from .*/, '')
    .replace(/^([a-z]+)Object /, '$1 ')
    .replace('putLink ', 'link ')
    .replace(/bucket\+versions\/6b\//, 'V/')
    .replace(/[0-9a-f]{32}$/, 'version')
    .replace(/index\.g([0-9]+)\.json/, 'g$1')
    .replace('index.json', 'index')
    .replace('bucket/', '');
}
