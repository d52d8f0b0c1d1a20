import { expect } from 'chai';
import { codeOf, expectRefused, type ConsoleClient } from '../support/client.js';
import { ACCOUNTS, startTestBed, type TestBed } from '../support/console.js';
import {
  askStore,
  bringBack,
  change,
  download,
  fileOf,
  job,
  listTrash,
  makeContainer,
  ok,
  putSegment,
  query,
  throwAway,
  unique,
  upload,
} from './support.js';

const DAY_S = 86_400;
const SHARED = unique('shared');
const NO_TRASH = unique('no-trash');
const MIB = 1024 ** 2;

/**
 * A member of the console who has, on the store, no rights but those of containers that are shared:
 * nothing that a member may not purge is gone for good.
 */
describe('console files: what a member may do', () => {
  let bed: TestBed;
  let admin: ConsoleClient;
  let member: ConsoleClient;

  before(async () => {
    bed = await startTestBed({ trash_days: 30, max_upload_bytes: MIB, segment_bytes: MIB });
    admin = await bed.login();
    member = await bed.login('tester2', 'testing2');
    for (const name of [SHARED, NO_TRASH]) await makeContainer(admin, name);
    await share(SHARED);
  });
  after(() => bed.close());

  function share(name: string) {
    const list = 'test:tester2';
    const body = { name, read: list, write: list };
    return ok(change(admin, 'acl', body), 204);
  }

  const read = async (name: string) => (await ok(download(admin, SHARED, name), 200)).text;

  const patch = (client: ConsoleClient, name: string, more: object) =>
    change(client, 'object', { container: SHARED, name, meta: {}, ...more });

  it('suggests the users that access rules can name: to admins those of their account', async () => {
    const people = async (client: ConsoleClient) => {
      const { items } = await client.read<{ items: { name: string }[] }>('/api/files/people');
      return items.map(({ name }) => name);
    };
    expect(await people(admin)).to.deep.equal(['test2:tester3', 'test:tester2']);
    expect((await member.get('/api/files/people')).status).to.equal(403);
    const accounts = ACCOUNTS.map((one) =>
      one.user === 'tester' ? { ...one, role: 'admin' } : one,
    );
    // As a rule, the first name would be two rules, and the second the whole account.
    for (const user of ['a,b', '*']) accounts.push({ account: 'test', user, role: 'member' });
    await using other = await startTestBed({ accounts });
    expect(await people(await other.login())).to.deep.equal(['test:tester2']);
  });

  it('does not delete by an expiry that is sooner than that of the trash', async () => {
    await ok(upload(member, SHARED, 'kept', 'x'), 201);
    const nowS = Math.floor(bed.clock.nowMs / 1000);
    await expectRefused(patch(member, 'kept', { delete_at_unix_s: nowS + 2 }), 403, 'forbidden');
    const { items } = await admin.read<{
      items: { result: string; actor: string; target: string }[];
    }>('/api/audit?action=files.expiry');
    expect(items[0]).to.include({
      result: 'denied',
      actor: 'test:tester2',
      target: `${SHARED}/kept`,
    });
    await ok(patch(member, 'kept', { delete_at_unix_s: nowS + 31 * DAY_S }), 204);
    await ok(patch(member, 'kept', { delete_at_unix_s: nowS + 40 * DAY_S }), 204);
    // Whoever may purge may let it expire at once.
    await ok(patch(admin, 'kept', { delete_at_unix_s: nowS + 60 }), 204);
    await ok(patch(member, 'kept', { delete_at_unix_s: nowS + 120 }), 204);
    expect((await patch(member, 'kept', { delete_at_unix_s: nowS + 90 })).status).to.equal(403);
    await ok(patch(member, 'kept', { delete_at_unix_s: null }), 204);
  });

  it('does not delete by an upload that replaces, nor by a copy, a move or a restore', async () => {
    await ok(upload(member, SHARED, 'a', 'first', { overwrite: '1' }), 201);
    await ok(upload(member, SHARED, 'b', 'other'), 201);
    const refused = await upload(member, SHARED, 'a', 'second', { overwrite: '1' });
    await expectRefused(refused, 403, 'forbidden');
    for (const kind of ['copy', 'move']) {
      const { result } = await job(member, `/api/files/${kind}`, {
        container: SHARED,
        to_container: SHARED,
        items: [{ name: 'b', to_name: 'a' }],
        overwrite: true,
      });
      expect(result.failures[0]).to.include({ name: 'b', code: 'forbidden' });
      expect(result.failures[0]?.message).to.match(/^Replacing an object/);
    }
    expect(await read('a')).to.equal('first');

    await throwAway(member, SHARED, 'b');
    await ok(upload(member, SHARED, 'b', 'newer'), 201);
    const [entry] = await listTrash(member, SHARED);
    const restore = (client: ConsoleClient) =>
      job(client, '/api/files/trash/restore', {
        container: SHARED,
        trash_names: [entry!.trash_name],
        on_conflict: 'replace',
      });
    expect((await restore(member)).result.failures[0]).to.include({ code: 'forbidden' });
    expect(await read('b')).to.equal('newer');
    expect((await restore(admin)).result.succeeded).to.equal(1);
    expect(await read('b')).to.equal('other');
    await ok(upload(admin, SHARED, 'a', 'second', { overwrite: '1' }), 201);
    expect(await read('a')).to.equal('second');
  });

  it('makes no container of segments for one that is not there', async () => {
    // The store would let this user make any.
    const accounts = ACCOUNTS.map((one) =>
      one.user === 'tester' ? { ...one, role: 'member' } : one,
    );
    await using other = await startTestBed({ accounts });
    const client = await other.login();
    const container = unique('not-there');
    const plan = fileOf(container, 'large', MIB + 1);
    for (const one of [client, member]) {
      const refused = await one.post('/api/files/uploads', plan);
      expect([403, 404]).to.include(refused.status);
    }
    expect(codeOf(await client.post('/api/files/uploads', plan))).to.equal('no_such_container');
    const { text } = await ok(client.get('/api/files/containers'), 200);
    expect(text).not.to.include(container);
  });

  it('does not delete by a large upload that replaces, nor by a segment of one', async () => {
    const file = fileOf(SHARED, 'large', MIB + 1);
    const segment = (client: ConsoleClient, index: number, fill: string) =>
      putSegment(client, file, index, Buffer.alloc(index === 0 ? MIB : 1, fill));
    await ok(admin.post('/api/files/uploads', file), 200);
    for (const index of [0, 1]) await ok(segment(admin, index, 'x'), 201);
    await ok(admin.post('/api/files/uploads/finish', file), 201);
    // The answer to a segment may get lost: it is sent again, and is there already.
    await ok(segment(admin, 0, 'y'), 201);
    expect((await read('large')).startsWith('xx')).to.equal(true);
    await share(`${SHARED}+segments`);
    const refused = await member.post('/api/files/uploads/finish', { ...file, overwrite: true });
    expect(codeOf(refused)).to.equal('forbidden');
  });

  it('throws away and brings back, once an admin has shared the container', async () => {
    await ok(upload(member, SHARED, 'gone', 'x'), 201);
    bed.clock.nowMs += 10;
    await throwAway(member, SHARED, 'gone');
    await bringBack(member, SHARED);
    expect(await read('gone')).to.equal('x');
  });

  it('sets nothing that the trash goes by', async () => {
    await ok(upload(member, SHARED, 'forged', 'x'), 201);
    const soon = { meta: { 'Trash-Delete-At': '1' } };
    await expectRefused(patch(member, 'forged', soon), 400, 'invalid_argument');
    await throwAway(member, SHARED, 'forged');
    const entry = (await listTrash(member, SHARED)).find(({ name }) => name === 'forged');
    const container = `${SHARED}+trash`;
    const place = { container, name: entry!.trash_name };
    const [before] = await listTrash(member, SHARED);
    for (const client of [member, admin]) {
      for (const answer of [
        await change(client, 'object', { ...place, meta: {}, delete_at_unix_s: 4_000_000_000 }),
        await upload(client, container, '1700000000000-00000000/a', 'x'),
        await client.send('PUT', '/api/files/folder', { body: { container, name: 'f' } }),
        await client.post('/api/files/move', {
          ...{ container: SHARED, to_container: container },
          items: [{ name: 'a', to_name: '1700000000000-00000000/a' }],
        }),
        await client.post('/api/files/uploads', fileOf(container, 'l', 1)),
      ]) {
        expect(codeOf(answer), answer.text).to.equal('unsupported_here');
      }
    }
    expect((await listTrash(member, SHARED))[0]).to.deep.equal(before);
  });

  it('reads large objects of a shared container, whose segments have its rules', async () => {
    const fresh = unique('fresh');
    await makeContainer(admin, fresh);
    await ok(change(admin, 'acl', { name: fresh, read: 'test:tester2', write: '' }), 204);
    await ok(admin.post('/api/files/uploads', fileOf(fresh, 'l', 1)), 200);
    const rulesOf = (container: string) =>
      admin.get(`/api/files/acl?${query({ name: `${container}+segments` })}`);
    const lists = await ok(rulesOf(fresh), 200);
    expect(lists.json()).to.deep.equal({ read: 'test:tester2', write: '' });
    const none = unique('none');
    const refused = await admin.post('/api/files/uploads', fileOf(none, 'l', 1));
    expect(codeOf(refused)).to.equal('no_such_container');
    expect((await rulesOf(none)).status).to.equal(404);
  });

  it('is told in words why there is no trash, where none was made', async () => {
    // Shared by another client than this console, which makes no trash for it.
    const ask = await askStore(bed.store);
    const rules = { 'x-container-read': 'test:tester2', 'x-container-write': 'test:tester2' };
    await ask('POST', NO_TRASH, rules);
    await ok(upload(member, NO_TRASH, 'o', 'x'), 201);
    const remove = () =>
      job(member, '/api/files/delete', { container: NO_TRASH, names: ['o'], mode: 'trash' });
    const [failure] = (await remove()).result.failures;
    expect(failure).to.include({ name: 'o', code: 'acl' });
    expect(failure?.message).to.match(/no trash that you can use. Ask an admin/);
    await share(NO_TRASH);
    expect((await remove()).result.succeeded).to.equal(1);
  });
});
