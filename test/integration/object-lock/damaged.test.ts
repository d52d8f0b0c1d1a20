import { expect } from 'chai';
import type { Backend, MetadataPatch } from '../../../src/backend/backend.js';
import { configurationPatch } from '../../../src/s3/bucket/configuration.js';
import { versionRef } from '../../../src/s3/versions/names.js';
import { inStoreOf } from '../companion.js';
import { at, expectAnswer } from '../versions/bench.js';
import {
  BYPASS,
  inDays,
  legalHold,
  lockConfiguration,
  lockedBucket,
  lockHeaders,
  retention,
  useVersionsBench,
} from './bench.js';

const ACCOUNT = 'AUTH_main';
const CALL = { requestId: 'damage' };

const DAMAGED_RETENTION = [
  '',
  'garbage',
  'GOVERNANCE',
  'GOVERNANCE;',
  'governance;2099-01-01T00:00:00.000Z',
  'GOVERNANCE;2099-02-30T00:00:00.000Z',
  'GOVERNANCE;2000-01-01',
  'LEGAL;2000-01-01T00:00:00.000Z',
  'GOVERNANCE;2000-01-01T00:00:00.000Z;more',
];

/** SPEC.md 3.2: what cannot be read fails closed. */
describe('damaged locks over the wire', () => {
  const bench = useVersionsBench({});
  const bucket = '/damaged';
  let made = 0;

  before(() => lockedBucket(bench(), 'damaged'));

  const inStore = (change: (store: Backend) => Promise<unknown>) =>
    inStoreOf(bench().service, change);

  /** A version, with this in its system metadata. */
  async function damaged(systemMetadata: MetadataPatch) {
    const key = `key-${made++}`;
    const path = `${bucket}/${key}`;
    const id = await bench().put(path, 'kept', lockHeaders('GOVERNANCE', inDays(1)));
    const ref = versionRef({ account: ACCOUNT, bucket: 'damaged', key }, id);
    await inStore((store) => store.updateObject(CALL, ref, { systemMetadata }));
    return { path, id, version: at(path, id) };
  }

  for (const stored of DAMAGED_RETENTION) {
    it(`keep a version whose retention is "${stored}"`, async () => {
      const { path, version } = await damaged({ 's3-object-lock-retention': stored });
      const target = version.replace('?', '?retention&');
      expectAnswer(await bench().s3.get(target), 500, 'InternalError');
      for (const headers of [{}, BYPASS]) {
        const extended = retention('COMPLIANCE', inDays(9));
        expectAnswer(await bench().s3.put(target, extended, headers), 500, 'InternalError');
        expectAnswer(await bench().s3.delete(version, headers), 500, 'InternalError');
      }
      const got = await bench().s3.get(version);
      expect([got.status, got.text], 'what it holds can be saved').to.deep.equal([200, 'kept']);
      expect(got.headers).to.not.have.property('x-amz-object-lock-mode');
      await bench().put(path, 'over');
      await bench().mark(path);
      expect(await bench().read(version)).to.equal('kept');
    });
  }

  for (const stored of ['', 'on', 'garbage']) {
    it(`keep a version whose legal hold is "${stored}"`, async () => {
      const { version } = await damaged({
        's3-object-lock-retention': null,
        's3-object-lock-legal-hold': stored,
      });
      const target = version.replace('?', '?legal-hold&');
      expectAnswer(await bench().s3.get(target), 500, 'InternalError');
      expectAnswer(await bench().s3.put(target, legalHold('OFF')), 500, 'InternalError');
      expectAnswer(await bench().s3.delete(version, BYPASS), 500, 'InternalError');
      expect(await bench().read(version)).to.equal('kept');
    });
  }

  it('tell nothing of themselves but to the log', async () => {
    const { version } = await damaged({ 's3-object-lock-retention': 'a secret' });
    const answer = await bench().s3.get(version.replace('?', '?retention&'));
    expect(answer.text).to.not.contain('secret');
    expect(answer.text).to.contain('<RequestId>tx');
  });

  it('of a bucket let nothing be written, and nothing be deleted for good', async () => {
    const own = await lockedBucket(bench(), 'damaged-bucket');
    const id = await bench().put(`${own}/key`, 'kept');
    const container = { account: ACCOUNT, container: 'damaged-bucket' };
    const systemMetadata = configurationPatch('object-lock', '<garbage');
    await inStore((store) => store.updateContainer(CALL, container, { systemMetadata }));

    expectAnswer(await bench().s3.get(`${own}?object-lock`), 500, 'InternalError');
    expectAnswer(await bench().s3.put(`${own}/key`, 'over'), 500, 'InternalError');
    expectAnswer(await bench().copy(`${own}/other`, `${own}/key`), 500, 'InternalError');
    const begun = await bench().s3.send({ method: 'POST', path: `${own}/key?uploads` });
    expectAnswer(begun, 500, 'InternalError');
    for (const query of ['retention', 'legal-hold']) {
      expectAnswer(await bench().s3.get(`${own}/key?${query}`), 500, 'InternalError');
    }
    expect(await bench().read(at(`${own}/key`, id))).to.equal('kept');
    await bench().expectHistory(own, 'key', `Version ${id} latest`);

    expectAnswer(await bench().s3.put(`${own}?object-lock`, lockConfiguration()), 200);
    await bench().put(`${own}/key`, 'mended');
  });

  it('of a bucket’s versioning let nothing be overwritten', async () => {
    const own = await bench().bucket('damaged-state', 'Enabled');
    const id = await bench().put(`${own}/key`, 'kept');
    const container = { account: ACCOUNT, container: 'damaged-state' };
    const systemMetadata = { 's3-versioning': 'garbage' };
    await inStore((store) => store.updateContainer(CALL, container, { systemMetadata }));

    expectAnswer(await bench().s3.get(`${own}?versioning`), 500, 'InternalError');
    expectAnswer(await bench().s3.put(`${own}/key`, 'over'), 500, 'InternalError');
    expectAnswer(await bench().s3.delete(`${own}/key`), 500, 'InternalError');
    expectAnswer(await bench().s3.delete(at(`${own}/key`, id)), 500, 'InternalError');
    expectAnswer(await bench().s3.delete(own), 500, 'InternalError');
    expect(await bench().read(`${own}/key`)).to.equal('kept');
    await bench().become(own, 'Enabled');
    await bench().put(`${own}/key`, 'mended');
    expect(await bench().read(at(`${own}/key`, id))).to.equal('kept');
  });
});
