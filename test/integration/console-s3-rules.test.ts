import { expect } from 'chai';
import { change, job, ok, query, type JobResult } from '../console/files/support.js';
import { codeOf, type ConsoleClient } from '../console/support/client.js';
import { ConsoleAndS3 } from '../support/console-s3.js';
import { eventually } from '../support/eventually.js';
import { useOnce } from '../support/fixture.js';
import type { S3TestClient } from '../support/s3-client.js';
import { told } from './console-steps.js';

interface Plan {
  readonly plan_id: string;
  readonly restores: number;
  readonly deletes: number;
  readonly unchanged: number;
  readonly steps: readonly { name: string; action: string }[];
}

const RULE = {
  ...{ id: 'rule', enabled: true, prefix: '', tags: [] },
  ...{ size_greater_than: null, size_less_than: null, expire: null, transitions: [] },
  ...{ noncurrent_expire: null, noncurrent_transitions: [], abort_days: null },
};

/** Rewinding a bucket, and the rules by which objects expire and pages of other sites get in. */
describe('service: Files, rewinding and the rules of buckets', () => {
  const both = useOnce(() => ConsoleAndS3.start(), 'stop');
  let client: ConsoleClient;
  let s3: S3TestClient;

  before(() => {
    ({ client, s3 } = both());
  });

  /** Milliseconds of a time after all that was written, and before what is written next. */
  async function now(bucket: string, name: string): Promise<number> {
    const [newest] = await both().versions(bucket, name);
    const at = Date.parse(newest!.last_modified);
    await eventually(
      () => Promise.resolve(Date.now()),
      // S3 shows whole seconds.
      (time) => time > at + 1000,
    );
    return at;
  }

  async function preview(container: string, prefix: string, atMs: number): Promise<Plan> {
    const body = { container, prefix, at_unix_ms: atMs };
    const done = await job(client, '/api/files/rewind/preview', body);
    expect(done.state).to.equal('done');
    return done.result as unknown as Plan;
  }

  const rewind = (container: string, { plan_id: id }: Plan): Promise<JobResult> =>
    job(client, '/api/files/rewind', { container, plan_id: id, confirm_name: container });

  it('rewinds a folder to a time, as it was previewed', async () => {
    const bucket = await both().makeBucket();
    const meta = { 'x-amz-meta-author': 'Ada', 'content-type': 'text/plain' };
    await s3.put(`/${bucket}/d/changed`, 'before', meta);
    await s3.put(`/${bucket}/d/removed`, 'before');
    await s3.put(`/${bucket}/d/was-gone`, 'x');
    await s3.delete(`/${bucket}/d/was-gone`);
    await s3.put(`/${bucket}/other`, 'before');
    await s3.put(`/${bucket}/d/same`, 'same');
    const at = await now(bucket, 'd/same');
    await s3.put(`/${bucket}/d/changed`, 'after');
    await s3.delete(`/${bucket}/d/removed`);
    await s3.put(`/${bucket}/d/was-gone`, 'back');
    await s3.put(`/${bucket}/d/added`, 'added');
    await s3.put(`/${bucket}/other`, 'after');

    const plan = await preview(bucket, 'd/', at);
    expect(plan).to.include({ restores: 2, deletes: 2, unchanged: 1 });
    expect(plan.steps.map(({ name, action }) => `${action} ${name}`)).to.deep.equal([
      'delete d/added',
      'restore d/changed',
      'restore d/removed',
      'delete d/was-gone',
    ]);
    const body = { container: bucket, plan_id: plan.plan_id };
    expect(codeOf(await client.post('/api/files/rewind', body))).to.equal('invalid_argument');
    expect((await rewind(bucket, plan)).result).to.include({ succeeded: 4, failed: 0 });
    const changed = await s3.get(`/${bucket}/d/changed`);
    expect([changed.text, changed.headers['x-amz-meta-author']]).to.deep.equal(['before', 'Ada']);
    expect((await s3.get(`/${bucket}/d/removed`)).text).to.equal('before');
    for (const name of ['added', 'was-gone']) {
      expect((await s3.get(`/${bucket}/d/${name}`)).status, name).to.equal(404);
    }
    expect((await s3.get(`/${bucket}/other`)).text).to.equal('after');
    // Nothing is lost: what was current before is a version.
    expect(await both().versions(bucket, 'd/changed')).to.have.length(3);
    const again = { ...body, confirm_name: bucket };
    expect(codeOf(await client.post('/api/files/rewind', again))).to.equal('conflict');
    const records = (await told(client.get('/api/audit?action=files.rewind'))) as {
      items: { result: string; details: Record<string, unknown> }[];
    };
    expect(records.items[0]).to.deep.include({ result: 'ok' });
    expect(records.items[0]!.details).to.include({ restores: 2, deletes: 2, succeeded: 4 });
  });

  it('leaves what has changed since the preview, and does nothing in a suspended bucket', async () => {
    const bucket = await both().makeBucket();
    await s3.put(`/${bucket}/a`, 'one');
    const at = await now(bucket, 'a');
    await s3.put(`/${bucket}/a`, 'two');
    await s3.put(`/${bucket}/b`, 'new');
    const plan = await preview(bucket, '', at);
    await s3.put(`/${bucket}/a`, 'three');
    const { result } = await rewind(bucket, plan);
    expect(result).to.include({ succeeded: 1, failed: 1 });
    expect(result.failures[0]).to.include({ name: 'a', code: 'conflict' });
    expect((await s3.get(`/${bucket}/a`)).text).to.equal('three');
    const suspended = await both().makeBucket('Suspended');
    const body = { container: suspended, at_unix_ms: at };
    expect(codeOf(await client.post('/api/files/rewind/preview', body))).to.equal('conflict');
  });

  it('keeps lifecycle rules as S3 has them, and tells what S3 refuses', async () => {
    const bucket = await both().makeBucket();
    const rules = () => told(client.get(`/api/files/lifecycle?name=${bucket}`));
    expect(await rules()).to.deep.include({ rules: [] });
    const given = [
      { ...RULE, id: 'tmp', prefix: 'tmp/', expire: { days: 7 }, abort_days: 2 },
      {
        ...{ ...RULE, id: 'old', enabled: false, size_greater_than: 10 },
        ...{ tags: [{ key: 'a', value: '1' }], noncurrent_expire: { days: 3, newer: 2 } },
      },
      { ...RULE, id: 'markers', prefix: 'm/', expire: { delete_markers: true } },
      { ...RULE, id: 'date', prefix: 'x/', expire: { date: '2030-01-02' } },
    ];
    await ok(change(client, 'lifecycle', { name: bucket, rules: given }), 204);
    expect(await rules()).to.deep.include({ rules: given });
    expect((await s3.get(`/${bucket}?lifecycle`)).text).to.include('<ID>tmp</ID>');
    const twice = await change(client, 'lifecycle', { name: bucket, rules: [given[0], given[0]] });
    expect(codeOf(twice)).to.equal('invalid_argument');
    expect(twice.text).to.include('S3 rejected the request: Rule ID must be unique');
    await ok(change(client, 'lifecycle', { name: bucket, rules: [] }), 204);
    expect((await s3.get(`/${bucket}?lifecycle`)).status).to.equal(404);
  });

  it('previews what lifecycle rules would do', async () => {
    for (const status of ['Enabled', 'Off'] as const) {
      const bucket = await both().makeBucket(status);
      await s3.put(`/${bucket}/tmp/a`, 'aa', { 'x-amz-tagging': 'keep=no' });
      await s3.put(`/${bucket}/tmp/b`, 'bbb');
      await s3.put(`/${bucket}/tmp/b`, 'bbbb');
      await s3.put(`/${bucket}/kept`, 'k');
      await s3.send({ method: 'POST', path: `/${bucket}/tmp/up?uploads` });
      const effects = async (...rules: object[]) => {
        const path = '/api/files/lifecycle/preview';
        const done = await job(client, path, { name: bucket, rules });
        expect(done.state).to.equal('done');
        return (done.result as unknown as { effects: Record<string, unknown>[] }).effects;
      };
      const passed = { ...RULE, prefix: 'tmp/', expire: { date: '2020-01-01' } };
      const expired = { rule_id: 'rule', effect: 'expire', now: 2, later: 0, bytes: 6 };
      expect(await effects(passed)).to.deep.equal([{ ...expired, examples: ['tmp/a', 'tmp/b'] }]);
      const tagged = { ...passed, tags: [{ key: 'keep', value: 'no' }] };
      expect((await effects(tagged))[0]).to.include({ now: 1, bytes: 2 });
      const later = { ...RULE, prefix: 'tmp/', expire: { days: 3 }, abort_days: 1 };
      expect(await effects(later)).to.deep.equal([
        { rule_id: 'rule', effect: 'expire', now: 0, later: 2, bytes: 0, examples: [] },
        { rule_id: 'rule', effect: 'abort_upload', now: 0, later: 1, bytes: 0, examples: [] },
      ]);
      expect(await effects({ ...passed, enabled: false })).to.deep.equal([]);
    }
  });

  it('keeps CORS rules, and tells which of them lets a request in', async () => {
    const bucket = await both().makeBucket('Off');
    const rules = [
      {
        ...{ id: 'app', origins: ['https://*.example.com'], methods: ['GET', 'PUT'] },
        ...{ headers: ['x-amz-*'], expose_headers: ['ETag'], max_age_s: 60 },
      },
      {
        ...{ id: '', origins: ['*'], methods: ['GET'], headers: [] },
        ...{ expose_headers: [], max_age_s: null },
      },
    ];
    await ok(change(client, 'cors', { name: bucket, rules }), 204);
    const kept = await told(client.get(`/api/files/cors?${query({ name: bucket })}`));
    expect(kept).to.deep.include({ rules });
    const test = async (origin: string, method: string, headers: string[] = []) => {
      const body = { rules, origin, method, headers };
      const found = await told(client.post('/api/files/cors/preview', body));
      return (found as { rule: number }).rule;
    };
    expect(await test('https://a.example.com', 'PUT', ['X-Amz-Date'])).to.equal(0);
    expect(await test('https://else.org', 'GET')).to.equal(1);
    expect(await test('https://else.org', 'PUT')).to.equal(null);
    const wrong = [{ ...rules[0], origins: ['https://*.*.com'] }];
    const refused = await change(client, 'cors', { name: bucket, rules: wrong });
    expect(codeOf(refused)).to.equal('invalid_argument');
    expect(refused.text).to.include('S3 rejected the request');
    await ok(change(client, 'cors', { name: bucket, rules: [] }), 204);
    expect((await s3.get(`/${bucket}?cors`)).status).to.equal(404);
  });
});
