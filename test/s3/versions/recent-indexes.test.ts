import { expect } from 'chai';
import { describeCall, RecordingBackend } from '../../support/backend/recording.js';
import { indexRef } from '../../../src/s3/versions/names.js';
import { CALL, gatewayOn, itOnStore, keyOf, put } from './support.js';

const KEY = keyOf('k');
/** Their index is large enough to be kept. */
const VERSIONS = 150;

describe('version indexes that are kept in memory', () => {
  itOnStore('are not read again, and never used when another gateway was there', async (inner) => {
    const store = new RecordingBackend(inner);
    const [ours, theirs] = [gatewayOn(store), gatewayOn(inner)];
    for (let i = 0; i < VERSIONS; i++) await put(store, ours, KEY, `${i}`);
    store.take();
    expect((await ours.readIndex(CALL, KEY)).entries).to.have.length(VERSIONS);
    const calls = store.take().map(describeCall);
    expect(calls.join('\n')).to.match(/^head[^\n]*index/);
    expect(calls).to.have.length(1);

    await put(inner, theirs, KEY, 'theirs');
    const { entries } = await ours.readIndex(CALL, KEY);
    expect(entries).to.have.length(VERSIONS + 1);
    await put(store, ours, KEY, 'ours');
    expect((await theirs.readIndex(CALL, KEY)).entries).to.have.length(VERSIONS + 2);
    await inner.deleteObject(CALL, indexRef(KEY));
    expect((await ours.readIndex(CALL, KEY)).entries).to.have.length(0);
  });
});
