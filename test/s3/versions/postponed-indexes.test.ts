import { expect } from 'chai';
import type { Backend, ObjectRef } from '../../../src/backend/backend.js';
import { DecoratedBackend } from '../../../src/backend/decorators/decorated-backend.js';
import { BackendError } from '../../../src/backend/errors.js';
import { parseIndex } from '../../../src/s3/versions/documents.js';
import type { VersionedKeys } from '../../../src/s3/versions/versioned-keys.js';
import { until } from '../../support/until.js';
import { MemoryBackend } from './memory-backend.js';
import type { Stored } from './memory-objects.js';
import {
  bodiesOf,
  CALL,
  CONTAINER,
  gatewayOn,
  keyOf,
  memoryStore,
  postponingGatewayOn,
  put,
  read,
} from './support.js';

const KEY = keyOf('k');

describe('s3/versions: indexes that are written later than their fences', () => {
  /** The generations of the indexes that were written, in this order. */
  let written: number[];
  let store: Backend;
  let outcomes: string[];
  let versions: VersionedKeys;

  const onWrite = (outcome: string): void => void outcomes.push(outcome);
  const putMany = async (count: number, by = versions): Promise<void> => {
    for (let i = 0; i < count; i++) await put(store, by, KEY, `version ${i}`);
  };

  beforeEach(async () => {
    written = [];
    outcomes = [];
    const onPut = ({ object }: ObjectRef, { body }: Pick<Stored, 'body'>): void => {
      if (object.endsWith('/index.json')) written.push(parseIndex(body).generation);
    };
    const memory = await memoryStore({ strength: 'ordered', onPut });
    store = memory.asBackend;
    versions = postponingGatewayOn(store, onWrite);
  });

  it('are written once for several versions, and the first one at once', async () => {
    await putMany(6);
    expect(written).to.deep.equal([1]);
    await versions.writePostponed();
    expect(written).to.deep.equal([1, 6]);
    expect(outcomes).to.deep.equal(['written']);
    await versions.writePostponed();
    expect(written, 'nothing waits any more').to.deep.equal([1, 6]);
  });

  it('are not needed to read what was acknowledged', async () => {
    await putMany(5);
    const others = gatewayOn(store);
    expect(await bodiesOf(store, others, KEY)).to.have.length(5);
    expect(await read(store, KEY)).to.equal('version 4');
    expect(written, 'a reader brings the index up to its fences').to.deep.equal([1, 5]);
    await versions.writePostponed();
    expect(await bodiesOf(store, others, KEY)).to.have.length(5);
  });

  it('do not replace those of other gateways', async () => {
    await putMany(3);
    await put(store, gatewayOn(store), KEY, 'theirs');
    await versions.writePostponed();
    expect(written.at(-1)).to.equal(4);
    expect(outcomes).to.deep.equal(['overtaken']);
    await putMany(2);
    expect((await bodiesOf(store, gatewayOn(store), KEY)).length).to.equal(6);
  });

  it('are at most 15 generations behind', async () => {
    await putMany(40);
    expect(written).to.deep.equal([1, 17, 33]);
  });

  it('are not postponed by what deletes, locks or replaces', async () => {
    await putMany(3);
    await versions.createDeleteMarker(CALL, KEY, { nullVersion: false });
    expect(written).to.deep.equal([1, 4]);
    await putMany(2);
    expect(written, 'no link was at the key').to.deep.equal([1, 4, 5]);
    const [newest] = (await versions.readIndex(CALL, KEY)).entries;
    await versions.touchVersion(CALL, KEY, newest?.id, () => ({ hold: 'ON' }));
    expect(written.at(-1)).to.equal(7);
    await put(store, versions, KEY, 'null', { nullVersion: true });
    expect(written.at(-1)).to.equal(8);
  });

  it('are not postponed when they are large', async () => {
    await putMany(140);
    const before = written.length;
    await putMany(3);
    expect(written.length).to.equal(before + 3);
  });

  it('wait on when they cannot be written, and then fail their commits', async () => {
    const failing = new NoIndexes(store);
    const late = postponingGatewayOn(failing, onWrite);
    await putMany(2, late);
    failing.isFailing = true;
    await putMany(2, late);
    await late.writePostponed();
    await late.writePostponed();
    expect(outcomes).to.deep.equal(['failed', 'failed']);
    let count = 0;
    while (count < 20) {
      const isDone = await putMany(1, late).then(
        () => true,
        () => false,
      );
      if (!isDone) break;
      count++;
    }
    expect(count).to.be.lessThan(16);
    failing.isFailing = false;
    await late.writePostponed();
    expect(outcomes.at(-1)).to.equal('written');
    expect(await bodiesOf(store, gatewayOn(store), KEY)).to.have.length.at.least(4 + count);
  });

  it('are forgotten with the archive of a bucket that was deleted', async () => {
    const failing = new NoIndexes(store);
    failing.code = 'NoSuchContainer';
    const late = postponingGatewayOn(failing, onWrite);
    await putMany(3, late);
    failing.isFailing = true;
    await late.writePostponed();
    failing.isFailing = false;
    await late.writePostponed();
    expect(outcomes).to.deep.equal(['failed']);
  });

  it('are written after a while by themselves, and by a gateway that ends', async () => {
    const soon = postponingGatewayOn(store, onWrite, 1);
    await putMany(3, soon);
    await until(() => outcomes.includes('written'));
    await putMany(2, soon);
    await soon.close();
    expect(written.at(-1)).to.equal(5);
    await putMany(2, soon);
    expect(written.slice(-2), 'none is postponed any more').to.deep.equal([6, 7]);
  });

  it('keep no gateway that ends from ending', async () => {
    const hung = new NoIndexes(store);
    const late = postponingGatewayOn(hung, onWrite);
    await putMany(3, late);
    hung.isHung = true;
    await late.close(1);
    expect(outcomes).to.deep.equal([]);
    expect(await bodiesOf(store, gatewayOn(store), KEY)).to.have.length(3);
  });

  it('are written at once where the store does not order writes', async () => {
    const memory = new MemoryBackend({
      strength: 'strong',
      onPut: ({ object }) => {
        if (object.endsWith('/index.json')) written.push(0);
      },
    });
    await memory.createContainer(CALL, CONTAINER);
    const strong = postponingGatewayOn(memory.asBackend, onWrite);
    for (const text of ['one', 'two', 'three']) await put(memory.asBackend, strong, KEY, text);
    expect(written).to.have.length(3);
  });
});

/** Refuses to write indexes while it is told to. */
class NoIndexes extends DecoratedBackend {
  isFailing = false;
  isHung = false;
  code: 'Unavailable' | 'NoSuchContainer' = 'Unavailable';

  override putObject(...args: Parameters<Backend['putObject']>): ReturnType<Backend['putObject']> {
    const [, { object }] = args;
    if (this.isHung && object.endsWith('/index.json')) return new Promise(() => undefined);
    if (this.isFailing && object.endsWith('/index.json')) {
      return Promise.reject(new BackendError(this.code, 'no index is written'));
    }
    return super.putObject(...args);
  }
}
