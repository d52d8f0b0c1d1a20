import { expect } from 'chai';
import { useOnce } from '../../support/fixture.js';
import { serve } from '../../support/serve.js';
import { codeOf, type ConsoleClient } from '../support/client.js';
import { startTestBed } from '../support/console.js';
import { startRelayedBed } from '../support/store-relay.js';
import { change, job, makeContainer, ok, unique, upload } from './support.js';

/** A container in which test:tester2 may read and write. */
async function makeShared(admin: ConsoleClient, name: string): Promise<void> {
  await makeContainer(admin, name);
  await ok(change(admin, 'acl', { name, read: 'test:tester2', write: 'test:tester2' }), 204);
}

/**
 * A member of the console who has, on the store, no rights but those of containers that are shared:
 * nothing that a member may not purge is gone for good.
 */
describe('console files: what a member may do where Swift keeps the versions', () => {
  const container = unique('stack');
  const bed = useOnce(startRelayedBed, 'close');
  let versionId = 'null';

  before(async () => {
    await makeShared(await bed().login(), container);
    bed().relay.instead = (method, path) => {
      if (!path.includes(container)) return undefined;
      if (method === 'PUT') return { status: 201 };
      const isObject = path.includes(`${container}/`);
      const headers = isObject
        ? { 'x-object-version-id': versionId }
        : { 'x-versions-enabled': 'True' };
      return { status: 204, headers };
    };
  });

  it('brings no version back over an object that is none, of which nothing would be kept', async () => {
    const member = await bed().login('tester2', 'testing2');
    const admin = await bed().login();
    const { calls } = bed().relay;
    const restore = (client: ConsoleClient) =>
      client.post('/api/files/versions/restore', {
        container,
        name: 'o',
        version_id: '1700000000.00000',
      });
    calls.length = 0;
    expect(codeOf(await restore(member))).to.equal('forbidden');
    expect(calls).not.to.include('PUT');
    await ok(restore(admin), 200);
    versionId = '1700000001.00000';
    await ok(restore(member), 200);
  });
});

/** Versioning is suspended, and of each object there is a version “null” behind a delete marker. */
describe('console files: what a member may do where S3 keeps the versions', () => {
  const bucket = unique('suspended');
  const written: string[] = [];
  const s3 = useOnce(() => {
    return serve((request, response) => {
      const { method = '', url = '' } = request;
      const [path = '', search = ''] = url.split('?');
      request.resume();
      if (method === 'PUT') written.push(path);
      if (method === 'HEAD') {
        return void response.writeHead(path.endsWith('/a') ? 200 : 404, { etag: '"e"' }).end();
      }
      const key = /[?&]prefix=([^&]*)/.exec(url)?.[1] ?? '';
      const rows =
        `<DeleteMarker><Key>${key}</Key><VersionId>${'0'.repeat(32)}</VersionId></DeleteMarker>` +
        `<Version><Key>${key}</Key><VersionId>null</VersionId></Version>`;
      const isConfiguration = search.startsWith('versioning');
      response.end(`<R>${isConfiguration ? '<Status>Suspended</Status>' : rows}</R>`);
    });
  }, 'close');
  const bed = useOnce(() => startTestBed({ s3_base: s3().origin }), 'close');

  before(async () => {
    await makeShared(await bed().login(), bucket);
  });

  it('replaces no version “null” where nothing is current', async () => {
    const member = await bed().login('tester2', 'testing2');
    expect(codeOf(await upload(member, bucket, 'n', 'new'))).to.equal('forbidden');
    const folder = { body: { container: bucket, name: 'f' } };
    expect(codeOf(await member.send('PUT', '/api/files/folder', folder))).to.equal('forbidden');
    const copied = await job(member, '/api/files/copy', {
      ...{ container: bucket, to_container: bucket },
      items: [{ name: 'a', to_name: 'n' }],
    });
    expect(copied.result.failures.map(({ code }) => code)).to.deep.equal(['forbidden']);
    expect(written).to.deep.equal([]);
  });
});
