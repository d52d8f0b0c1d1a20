import { expect } from 'chai';
import {
  download,
  job,
  list,
  makeContainer,
  ok,
  query,
  unique,
  upload,
} from '../console/files/support.js';
import type { ConsoleClient } from '../console/support/client.js';
import { startTestBed, type TestBed } from '../console/support/console.js';
import { describeWith } from '../support/needs.js';
import { skipBecause } from '../support/skip.js';
import { STACK } from '../support/stack.js';
import { SWIFT_NEEDS } from '../support/swift-lab.js';

/** Names that URL classes make others of; none of the longest, which Swift keeps no versions of. */
const NAMES = ['a/../b', 'a/./b', 'a//b', '/lead', 'trail/', 'ü ☃?#%25&+=.txt', '<b>'];

const CONTAINER = unique('versioned ☃');
const COPIES = unique('copies');
const ARCHIVED = unique('archived');
const ARCHIVE = unique('archive of ü');

/** A guard: a lab takes its time to start on a busy machine. */
const LAB_LIMIT_MS = 240_000;

interface Versions {
  readonly mode: string;
  readonly active: boolean;
  readonly items: readonly {
    readonly id: string;
    readonly is_latest: boolean;
    readonly deleted: boolean;
    readonly bytes: number;
  }[];
}

describeWith(SWIFT_NEEDS, 'console versions on Swift', function () {
  this.timeout(LAB_LIMIT_MS);
  let bed: TestBed;
  let client: ConsoleClient;

  before(async function () {
    if (STACK !== 'swift') skipBecause(this, 'RINGWAY_TEST_STACK is not swift');
    bed = await startTestBed();
    client = await bed.login();
  });

  after(() => (STACK === 'swift' ? bed.close() : undefined));

  const versions = async (container: string, name: string) =>
    (
      await ok(client.get(`/api/files/versions?${query({ container, name })}`), 200)
    ).json() as Versions;
  const body = (container: string, name: string, id: string) =>
    client.get(`/api/files/versions/body?${query({ container, name, version_id: id })}`);
  const remove = (container: string, names: string[], mode: 'trash' | 'purge' = 'trash') =>
    job(client, '/api/files/delete', { container, names, mode });

  it('lists, reads, restores and deletes versions, of edge names too', async () => {
    const container = CONTAINER;
    await makeContainer(client, container);
    await ok(
      client.send('PUT', '/api/files/versions', { body: { name: container, enabled: true } }),
      204,
    );
    for (const name of NAMES) {
      await ok(upload(client, container, name, 'one'), 201);
      // The refused body never was a version.
      await ok(upload(client, container, name, 'taken'), 412);
      await ok(upload(client, container, name, 'three', { overwrite: '1' }), 201);
      if (name.endsWith('/')) {
        const folder = { container, name };
        await ok(client.send('PUT', '/api/files/folder', { body: folder }), 412);
      }
      const { mode, active, items } = await versions(container, name);
      expect([mode, active]).to.deep.equal(['stack', true]);
      const after = items[0]?.id ?? '';
      const older = `/api/files/versions?${query({ container, name, after })}`;
      expect((await ok(client.get(older), 200)).json()).to.deep.include({
        items: items.slice(1),
        truncated: false,
      });
      expect(items.map(({ bytes, is_latest: latest }) => [bytes, latest])).to.deep.equal([
        [5, true],
        [3, false],
      ]);
      const old = items[1]!.id;
      expect((await ok(body(container, name, old), 200)).text).to.equal('one');
      await ok(
        client.post('/api/files/versions/restore', { container, name, version_id: old }),
        200,
      );
      expect((await ok(download(client, container, name), 200)).text).to.equal('one');
    }
    const name = NAMES[0]!;
    const all = (await versions(container, name)).items;
    const target = all.find((one) => !one.is_latest)!;
    await ok(
      client.post('/api/files/versions/delete', { container, name, version_id: target.id }),
      200,
    );
    const left = (await versions(container, name)).items.map(({ id }) => id);
    expect(left).not.to.include(target.id);
    expect(left).to.have.length(all.length - 1);
  });

  it('takes an object for what it is, and not for a link to its version', async () => {
    const name = NAMES[5]!;
    const path = `/api/files/object?${query({ container: CONTAINER, name })}`;
    const info = (await ok(client.get(path), 200)).json() as object;
    expect(info).to.include({ type: 'object', bytes: 3 });
    await makeContainer(client, COPIES);
    const items = [{ name, to_name: 'copy' }];
    const { result } = await job(client, '/api/files/copy', {
      container: CONTAINER,
      to_container: COPIES,
      items,
    });
    expect(result).to.include({ succeeded: 1, failed: 0 });
    const copied = `/api/files/object?${query({ container: COPIES, name: 'copy' })}`;
    expect((await ok(client.get(copied), 200)).json()).to.include({ type: 'object', bytes: 3 });
  });

  it('deletes to where versions bring it back, and not into a trash', async () => {
    const container = CONTAINER;
    const name = NAMES[2]!;
    await remove(container, [name]);
    expect(
      (await list(client, container, { delimiter: '' })).items.map((one) => one.name),
    ).not.to.include(name);
    expect(
      (await client.get(`/api/files/container?${query({ name: `${container}+trash` })}`)).status,
    ).to.equal(404);
    const gone = (
      await ok(client.get(`/api/files/versions/deleted?${query({ container })}`), 200)
    ).json() as { items: { name: string; restore_id: string }[] };
    expect(gone.items.map((one) => one.name)).to.deep.equal([name]);
    const { items } = await versions(container, name);
    expect(items[0]).to.include({ deleted: true, is_latest: true });
    await ok(
      client.post('/api/files/versions/restore', {
        container,
        name,
        version_id: gone.items[0]!.restore_id,
      }),
      200,
    );
    // The newest one: Swift does not keep which one was the object's own.
    expect((await ok(download(client, container, name), 200)).text).to.equal('three');

    const undo = async ({ id }: { readonly id: string }) =>
      (await job(client, '/api/files/undo', { job_id: id })).result;
    const status = async () => (await download(client, container, name)).status;
    expect(await undo(await remove(container, [name]))).to.include({ succeeded: 1, failed: 0 });
    expect(await status()).to.equal(200);
    await remove(container, [name]);
    const folder = { container, prefixes: ['a//'] };
    const restored = await job(client, '/api/files/versions/undelete', folder);
    expect([restored.result.succeeded, await status()]).to.deep.equal([1, 200]);
    expect(await undo(restored)).to.include({ succeeded: 1, failed: 0 });
    expect(await status()).to.equal(404);
    const again = await job(client, '/api/files/versions/undelete', { container, names: [name] });
    await ok(upload(client, container, name, 'of another', { overwrite: '1' }), 201);
    expect((await undo(again)).failures.map(({ code }) => code)).to.deep.equal(['conflict']);
    expect((await ok(download(client, container, name), 200)).text).to.equal('of another');
  });

  it('purges an object with its versions, and empties a container of them', async () => {
    const container = CONTAINER;
    const name = NAMES[1]!;
    expect((await remove(container, [name], 'purge')).result).to.include({ succeeded: 1 });
    expect((await versions(container, name)).items).to.deep.equal([]);
    const { state } = await job(client, '/api/files/container/empty', {
      name: container,
      confirm_name: container,
      remove: true,
    });
    expect(state).to.equal('done');
    expect(
      (await client.get(`/api/files/container?${query({ name: container })}`)).status,
    ).to.equal(404);
  });

  it('finds versions in the container where Swift archives them', async () => {
    await makeContainer(client, ARCHIVED);
    await makeContainer(client, ARCHIVE);
    await archiveInto(ARCHIVED, ARCHIVE);
    const name = 'ü/☃';
    for (const text of ['one', 'three', 'fives']) {
      await ok(upload(client, ARCHIVED, name, text, { overwrite: '1' }), 201);
    }
    const { mode, items } = await versions(ARCHIVED, name);
    expect(mode).to.equal('history');
    expect(items.map(({ bytes, is_latest: latest }) => [bytes, latest])).to.deep.equal([
      [5, true],
      [5, false],
      [3, false],
    ]);
    const first = items[2]!.id;
    expect((await ok(body(ARCHIVED, name, first), 200)).text).to.equal('one');
    await ok(
      client.post('/api/files/versions/restore', {
        container: ARCHIVED,
        name,
        version_id: first,
      }),
      200,
    );
    expect((await ok(download(client, ARCHIVED, name), 200)).text).to.equal('one');
    await ok(
      client.post('/api/files/versions/delete', { container: ARCHIVED, name, version_id: first }),
      200,
    );
    expect((await versions(ARCHIVED, name)).items.map(({ id }) => id)).not.to.include(first);
  });

  /** Sets an archive, for which the console offers no button. */
  const archiveInto = async (container: string, archive: string) => {
    const { authUrl } = bed.store;
    const login = await fetch(authUrl, {
      headers: { 'x-auth-user': 'test:tester', 'x-auth-key': 'testing' },
    });
    const answer = await fetch(`${login.headers.get('x-storage-url')}/${container}`, {
      method: 'POST',
      headers: {
        'x-auth-token': login.headers.get('x-auth-token') ?? '',
        'x-history-location': encodeURIComponent(archive),
      },
    });
    expect(answer.ok).to.equal(true);
  };
});
