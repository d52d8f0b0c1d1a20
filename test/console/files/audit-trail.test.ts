import { expect } from 'chai';
import type { AuditRecord } from '../../../src/lib/audit/audit-log.js';
import { useOnce } from '../../support/fixture.js';
import { skipBecause } from '../../support/skip.js';
import { startTestBed } from '../support/console.js';
import { change, job, makeContainer, ok, query, unique, upload } from './support.js';

const CONTAINER = unique('trail');
const OTHER = unique('trail-other');

/** The audit log's records of Files: the beginning of each act, and its outcome. */
describe('console files: the audit log', () => {
  const bed = useOnce(startTestBed, 'close');
  const client = useOnce(() => bed().login());

  before(async () => {
    for (const name of [CONTAINER, OTHER]) await makeContainer(client(), name);
  });

  /** Records of an action, oldest first. */
  async function recordsOf(action: string): Promise<AuditRecord[]> {
    const answer = await ok(client().get(`/api/audit?${query({ action })}`), 200);
    return (answer.json() as { items: AuditRecord[] }).items.reverse();
  }

  const resultsOf = async (action: string) => (await recordsOf(action)).map(({ result }) => result);

  it('has containers that are made and deleted, with whose they are', async () => {
    const name = unique('made');
    await makeContainer(client(), name);
    await ok(client().send('DELETE', `/api/files/container?${query({ name })}`), 204);
    const made = (await recordsOf('files.container_create')).filter(
      ({ target }) => target === name,
    );
    expect(made.map(({ result }) => result)).to.deep.equal(['begun', 'ok']);
    expect(made[1]).to.include({ account: 'test', actor: 'test:tester' });
    expect(made[0]?.request_id).to.equal(made[1]?.request_id);
    const removed = await recordsOf('files.container_delete');
    expect(removed.map(({ result }) => result)).to.deep.equal(['begun', 'ok']);
  });

  it('says that what the store refused was not done', async () => {
    await ok(upload(client(), CONTAINER, 'full', 'x'), 201);
    const before = (await recordsOf('files.container_delete')).length;
    const path = `/api/files/container?${query({ name: CONTAINER })}`;
    expect((await client().send('DELETE', path)).status).to.equal(409);
    const [begun, ended] = (await recordsOf('files.container_delete')).slice(before);
    expect(begun?.result).to.equal('begun');
    expect(ended).to.deep.include({ result: 'failed', details: { code: 'container_not_empty' } });
    // Of a container that nobody has.
    const body = { name: unique('absent'), read: 'a:b', write: '' };
    expect((await change(client(), 'acl', body)).status).to.equal(404);
    const acl = (await recordsOf('files.acl')).at(-1);
    expect(acl?.result).to.equal('failed');
    expect(acl?.details).to.deep.include({ read: 'a:b', code: 'not_found' });
  });

  it('has the users whose role was refused, and on what', async () => {
    const member = await bed().login('tester2', 'testing2');
    const body = { name: unique('not-made') };
    expect((await member.send('PUT', '/api/files/container', { body })).status).to.equal(403);
    const last = (await recordsOf('files.container_create')).at(-1);
    expect(last).to.include({ result: 'denied', actor: 'test:tester2', role: 'member' });
    const purge = { container: CONTAINER, names: ['full'], mode: 'purge' };
    expect((await member.post('/api/files/delete', purge)).status).to.equal(403);
    expect((await recordsOf('files.purge')).at(-1)).to.deep.include({
      result: 'denied',
      target: CONTAINER,
      details: { count: 1, names: ['full'] },
    });
  });

  it('has the names of what was purged, moved and thrown away, and how many failed', async () => {
    const many = Array.from({ length: 12 }, (_, index) => `many/${index}`);
    for (const name of many) await ok(upload(client(), CONTAINER, name, 'x'), 201);
    await job(client(), '/api/files/move', {
      container: CONTAINER,
      to_container: OTHER,
      items: [...many, 'absent'].map((name) => ({ name, to_name: name })),
    });
    const [begun, ended] = await recordsOf('files.move');
    expect(begun).to.deep.include({ result: 'begun', target: CONTAINER });
    expect(begun?.details).to.deep.include({ count: 13, names: many.slice(0, 10), to: OTHER });
    expect(ended?.result).to.equal('partial');
    expect(ended?.details).to.deep.include({ succeeded: 12, failed: 1 });
    expect(ended?.details?.failed_names).to.deep.equal(['not_found: absent']);
    const names = many.slice(0, 2);
    await job(client(), '/api/files/delete', { container: OTHER, names, mode: 'trash' });
    expect(await resultsOf('files.trash')).to.deep.equal(['begun', 'ok']);
    await job(client(), '/api/files/delete', {
      container: OTHER,
      names: ['absent'],
      mode: 'purge',
    });
    expect((await recordsOf('files.purge')).at(-1)).to.include({ result: 'failed' });
  });

  it('has what was overwritten, and not what was not', async () => {
    await ok(upload(client(), CONTAINER, 'once', 'x', { overwrite: '1' }), 201);
    expect(await resultsOf('files.overwrite')).to.deep.equal([]);
    await ok(upload(client(), CONTAINER, 'once', 'y', { overwrite: '1' }), 201);
    const records = await recordsOf('files.overwrite');
    expect(records.map(({ result }) => result)).to.deep.equal(['begun', 'ok']);
    expect(records[1]?.target).to.equal(`${CONTAINER}/once`);
  });

  it('has an expiry that was set, and no other change of properties', async () => {
    const place = { container: CONTAINER, name: 'full' };
    const patch = (more: object) =>
      ok(change(client(), 'object', { ...place, meta: {}, ...more }), 204);
    await patch({ content_type: 'text/x-thing' });
    expect(await resultsOf('files.expiry')).to.deep.equal([]);
    const expires = Math.floor(bed().clock.nowMs / 1000) + 3600;
    await patch({ delete_at_unix_s: expires });
    const [, ended] = await recordsOf('files.expiry');
    expect(ended).to.deep.include({
      result: 'ok',
      details: { expires_unix_s: expires, before_unix_s: null },
    });
  });

  it('has versions that are switched, where the store keeps them', async function () {
    const able = await client().read<{ object_versioning: boolean }>('/api/files/capabilities');
    if (!able.object_versioning) skipBecause(this, 'a store that keeps versions itself');
    const body = { name: CONTAINER, enabled: true };
    await ok(client().send('PUT', '/api/files/versions', { body }), 204);
    expect(await resultsOf('files.versioning')).to.deep.equal(['begun', 'ok']);
  });
});
