import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Backend } from '../../../src/backend/backend.js';
import { currentRef, fenceRef, indexRef, versionRef } from '../../../src/s3/versions/names.js';
import { eventually } from '../../support/eventually.js';
import { inStoreOf } from '../companion.js';
import { runRingway, type Line } from '../janitor-once.js';
import { at, expectAnswer, useVersionsBench } from './bench.js';

const ACCOUNT = 'AUTH_main';
const CALL = { requestId: 'damage' };
const GARBAGE = Buffer.from('{"format":1,"generation":');

/** Damage is done as nobody can do it through a gateway: in the store itself. */
describe('ringway repair, and versions that are broken', () => {
  const bench = useVersionsBench({ config: { janitor_interval_ms: 0 } });
  const keyOf = (bucket: string, key: string) => ({
    account: ACCOUNT,
    bucket: bucket.slice(1),
    key,
  });

  const inStore = (change: (store: Backend) => Promise<unknown>) =>
    inStoreOf(bench().service, change);

  /** @param fences - whether fences that tell the same are swept, as old ones are */
  function damageIndex(bucket: string, key: string, fences: 'left' | 'swept'): Promise<void> {
    const input = { size: GARBAGE.length, contentType: 'application/json', body: GARBAGE };
    const of = keyOf(bucket, key);
    return inStore(async (store) => {
      await store.putObject(CALL, indexRef(of), input);
      if (fences === 'left') return;
      for (const generation of [1, 2]) await store.deleteObject(CALL, fenceRef(of, generation));
    });
  }

  async function repair(...args: string[]) {
    const config = join(bench().service.dataDir, '..', 'repair.json');
    await writeFile(config, '{}');
    const { dataDir } = bench().service;
    const result = await runRingway('repair', '--config', config, '--data', dataDir, ...args);
    const lines = result.stdout.split('\n').filter((line) => line !== '');
    const parsed = lines.map((line) => JSON.parse(line) as Line);
    const summary = parsed.find((line) => line.summary !== undefined)?.summary;
    return { ...result, lines: parsed.filter((line) => line.action), summary };
  }

  it('shows a page beside a key whose index cannot be read, and makes the index anew', async () => {
    const bucket = await bench().bucket('unreadable', 'Enabled');
    await bench().put(`${bucket}/after`, 'x');
    const first = await bench().put(`${bucket}/broken`, 'one');
    const second = await bench().put(`${bucket}/broken`, 'two');
    await bench().put(`${bucket}/zz/below`, 'x');
    const whole = await bench().versions(bucket);
    await damageIndex(bucket, 'broken', 'swept');

    const shown = await bench().versions(bucket);
    expect(shown.map(({ key, id }) => [key, id])).to.deep.equal(whole.map((v) => [v.key, v.id]));
    expect(shown.filter(({ latest }) => latest).map(({ key }) => key)).to.deep.equal([
      'after',
      'broken',
      'zz/below',
    ]);
    const { text } = await bench().s3.get(`${bucket}?versions&delimiter=/`);
    expect(text).to.contain('<Prefix>zz/</Prefix>');
    await eventually(
      () => Promise.resolve(bench().service.output()),
      (log) => log.includes('the versions of unreadable/broken are broken'),
    );
    expectAnswer(await bench().s3.put(`${bucket}/broken`, 'three'), 500, 'InternalError');

    const planned = await repair('--bucket', 'unreadable', '--dry-run');
    expect(planned.code, planned.stderr).to.equal(0);
    expect(planned.lines.map(({ action, outcome, key }) => [action, outcome, key])).to.deep.equal([
      ['restore_index', 'planned', 'broken'],
    ]);
    expect(planned.lines[0]).to.include({ versions: 2, former: GARBAGE.toString() });
    expectAnswer(await bench().s3.put(`${bucket}/broken`, 'three'), 500, 'InternalError');

    const done = await repair('--bucket', 'unreadable', '--key', 'broken');
    expect(done.code, done.stderr).to.equal(0);
    expect(done.lines.map(({ action, outcome }) => [action, outcome])).to.deep.equal([
      ['restore_index', 'done'],
      ['repair_link', 'done'],
    ]);
    expect(await bench().versions(bucket)).to.deep.equal(whole);
    expect(await bench().read(`${bucket}/broken`)).to.equal('two');
    expect(await bench().read(at(`${bucket}/broken`, first))).to.equal('one');
    expect(await bench().read(at(`${bucket}/broken`, second))).to.equal('two');
    await bench().put(`${bucket}/broken`, 'three');
    expect((await repair('--bucket', 'unreadable')).lines).to.deep.equal([]);
  });

  it('drops versions that are gone, and puts links back', async () => {
    const bucket = await bench().bucket('lost', 'Enabled');
    const kept = await bench().put(`${bucket}/gone`, 'kept');
    const lost = await bench().put(`${bucket}/gone`, 'lost');
    const linked = await bench().put(`${bucket}/link`, 'linked');
    await bench().put(`${bucket}/whole`, 'x');
    await inStore(async (store) => {
      await store.deleteObject(CALL, versionRef(keyOf(bucket, 'gone'), lost));
      await store.deleteObject(CALL, currentRef(keyOf(bucket, 'link')));
    });
    const done = await repair('--bucket', 'lost');
    expect(done.code, done.stderr).to.equal(0);
    expect(done.lines.map(({ action, key }) => [action, key])).to.have.deep.members([
      ['drop_version', 'gone'],
      ['repair_link', 'gone'],
      ['repair_link', 'link'],
    ]);
    expect(done.summary).to.deep.equal({
      dry_run: false,
      keys: 3,
      actions: { drop_version: { done: 1 }, repair_link: { done: 2 } },
    });
    await bench().expectHistory(bucket, 'gone', `Version ${kept} latest`);
    expect(await bench().read(`${bucket}/gone`)).to.equal('kept');
    await bench().expectHistory(bucket, 'link', `Version ${linked} latest`);
    expect(await bench().read(`${bucket}/link`)).to.equal('linked');
  });

  for (const fences of ['left', 'swept'] as const) {
    it(`keeps deleted what is deleted, with fences that are ${fences}`, async () => {
      const bucket = await bench().bucket(`deleted-${fences}`, 'Enabled');
      const id = await bench().put(`${bucket}/k`, 'x');
      const marker = await bench().mark(`${bucket}/k`);
      await damageIndex(bucket, 'k', fences);
      await bench().expectHistory(bucket, 'k', `Version ${id}`);
      expect((await repair('--bucket', `deleted-${fences}`)).code).to.equal(0);
      expectAnswer(await bench().s3.get(`${bucket}/k`), 404, 'NoSuchKey');
      const [first, ...rest] = await bench().versions(bucket);
      expect([first?.kind, first?.latest]).to.deep.equal(['DeleteMarker', true]);
      expect(first?.id === marker, 'fences tell which marker it was').to.equal(fences === 'left');
      expect(rest.map((entry) => entry.id)).to.deep.equal([id]);
    });
  }

  it('leaves an index of a later release alone, and says so', async () => {
    const bucket = await bench().bucket('later', 'Enabled');
    await bench().put(`${bucket}/k`, 'x');
    const body = Buffer.from('{"format":2,"else":"unknown"}');
    const input = { size: body.length, contentType: 'application/json', body };
    await inStore((store) => store.putObject(CALL, indexRef(keyOf(bucket, 'k')), input));
    const refused = await repair('--bucket', 'later');
    expect(refused.code).to.equal(71);
    expect(refused.stderr).to.match(/^ringway: 1 keys could not be looked at or mended$/m);
    expect(refused.lines).to.have.length(1);
    expect(refused.lines[0]).to.include({ action: 'look', outcome: 'failed', key: 'k' });
    expect(JSON.stringify(refused.lines)).to.contain('of a later release');
  });

  it('tells buckets without versions from buckets that are not there', async () => {
    await bench().bucket('plain');
    const plain = await repair('--bucket', 'plain');
    expect(plain.stderr).to.contain('AUTH_main/plain keeps no versions');
    expect(plain.code).to.equal(0);
    const missing = await repair('--bucket', 'nowhere');
    expect(missing.stderr).to.match(/^ringway: there is no bucket nowhere in .*AUTH_main/m);
    expect(missing.code).to.equal(66);
    const named = await repair('--bucket', 'plain', '--account', 'AUTH_other');
    expect(named.code).to.equal(66);
  });
});
