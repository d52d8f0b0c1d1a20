import { createHmac, randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { useOnce } from '../support/fixture.js';
import { describeWith } from '../support/needs.js';
import { tarOf } from '../support/tar.js';
import { sharedSwiftLab } from '../support/shared-swift-lab.js';
import { SwiftClient, type SendOptions, type SwiftAnswer } from '../support/swift-client.js';
import { SWIFT_NEEDS } from '../support/swift-lab.js';
import { useSwiftClient } from './support.js';

const ACCOUNT = '/v1/AUTH_test';
const TEMP_URL_KEY = 'a key of the tests';
const CONTENT = 'locked';

/**
 * All that a plain Swift client can do to objects, tried by their own owner. It must not write to
 * the bucket with Object Lock itself, the parts of its uploads, or its archive.
 */
describeWith(SWIFT_NEEDS, 'what Object Lock keeps from plain Swift', function () {
  this.timeout(120_000);
  const bucket = `lock-${randomBytes(6).toString('hex')}`;
  const free = `${bucket}-free`;
  const lab = useOnce(sharedSwiftLab);
  const gateway = useOnce(() => SwiftClient.gateway(lab()), 'close');
  const owner = useSwiftClient(lab);
  const nobody = useOnce(() => new SwiftClient(lab(), undefined), 'close');

  before(async () => {
    await gateway().send('PUT', `${ACCOUNT}/${bucket}`, {
      headers: { 'x-gateway-sysmeta-container-s3-object-lock': '{"enabled":true}' },
    });
    for (const suffix of ['%2Bsegments', '%2Bversions', '-free']) {
      await gateway().send('PUT', `${ACCOUNT}/${bucket}${suffix}`);
    }
    await owner().send('POST', ACCOUNT, {
      headers: { 'x-account-meta-temp-url-key': TEMP_URL_KEY },
    });
    await owner().send('PUT', `${ACCOUNT}/${free}/source`, { body: 'another content' });
  });

  for (const suffix of ['', '%2Bsegments', '%2Bversions']) {
    describe(`<bucket>${decodeURIComponent(suffix)}`, () => {
      const name = `${bucket}${suffix}`;
      const container = `${ACCOUNT}/${name}`;
      const object = `${container}/dir/o`;
      let before: SwiftAnswer;

      beforeEach(async () => {
        expect((await gateway().send('PUT', object, { body: CONTENT })).status).to.equal(201);
        before = await gateway().send('HEAD', object);
      });

      afterEach(async () => {
        const now = await gateway().send('GET', object);
        expect(now.text).to.equal(CONTENT);
        const time = 'x-timestamp';
        expect(now.headers[time], 'written to').to.equal(before.headers[time]);
        expect(now.headers).not.to.have.property('x-delete-at');
        const { text } = await owner().send('GET', `${container}?format=json`);
        const names = (JSON.parse(text) as { name: string }[]).map((entry) => entry.name);
        expect(names).to.deep.equal(['dir/o']);
        const { headers } = await gateway().send('HEAD', container);
        expect(headers).not.to.have.property('x-container-write');
      });

      type Attack = [what: string, method: string, path: string, options?: SendOptions];
      const attacks: Attack[] = [
        ['PUT', 'PUT', object, { body: 'x' }],
        ['PUT of another object', 'PUT', `${container}/new`, { body: 'x' }],
        ['POST', 'POST', object, { headers: { 'x-object-meta-a': '1' } }],
        ['POST that lets it expire', 'POST', object, { headers: { 'x-delete-after': '1' } }],
        ['PUT that lets it expire', 'PUT', object, { headers: { 'x-delete-after': '1' } }],
        ['DELETE', 'DELETE', object],
        ['DELETE of all segments', 'DELETE', `${object}?multipart-manifest=delete`],
        [
          'COPY',
          'COPY',
          `${ACCOUNT}/${free}/source`,
          { headers: { destination: `${name}/dir/o` } },
        ],
        ['PUT of a copy', 'PUT', object, { headers: { 'x-copy-from': `${free}/source` } }],
        ['PUT of a symlink', 'PUT', object, { headers: { 'x-symlink-target': `${free}/source` } }],
        ['PUT of a DLO', 'PUT', object, { headers: { 'x-object-manifest': `${free}/s` } }],
        [
          'PUT of an SLO',
          'PUT',
          `${object}?multipart-manifest=put`,
          { body: JSON.stringify([{ path: `/${free}/source` }]) },
        ],
        ['DELETE of the container', 'DELETE', container],
        // Those of a bucket and of its segments are the owner's to change.
        ...(suffix !== '%2Bversions'
          ? []
          : ([
              ['POST of an ACL', 'POST', container, { headers: { 'x-container-write': '*:*' } }],
            ] satisfies Attack[])),
        [
          'POST of an ACL and more',
          'POST',
          container,
          { headers: { 'x-container-read': '*:*', 'x-container-meta-a': '1' } },
        ],
        ['PUT of an ACL', 'PUT', container, { headers: { 'x-container-write': '*:*' } }],
        ['versioning', 'POST', container, { headers: { 'x-versions-enabled': 'true' } }],
        ['old versioning', 'POST', container, { headers: { 'x-versions-location': free } }],
        ['container sync', 'POST', container, { headers: { 'x-container-sync-key': 'k' } }],
      ];
      for (const [what, method, path, options] of attacks) {
        it(`refuses ${what}`, async () => {
          const { status, text } = await owner().send(method, path, options);
          // Before it deletes segments the SLO filter looks whether there is a manifest.
          if (what !== 'DELETE of all segments') expect(status).to.equal(403);
          if (status === 403) expect(text).to.contain('S3 gateway only');
          // 200 and 400 are of the SLO filter, which looks at more first.
          const { status: forNobody } = await nobody().send(method, path, options);
          expect(forNobody).to.be.oneOf([200, 400, 401]);
        });
      }

      it('lets no TempURL write', async () => {
        for (const method of ['PUT', 'POST', 'DELETE']) {
          const expires = Math.floor(Date.now() / 1000) + 60;
          const signed = `${method}\n${String(expires)}\n${decodeURIComponent(object)}`;
          const signature = createHmac('sha256', TEMP_URL_KEY).update(signed).digest('hex');
          const query = `temp_url_sig=${signature}&temp_url_expires=${String(expires)}`;
          const answer = await nobody().send(method, `${object}?${query}`, { body: 'x' });
          expect(answer.status, method).to.equal(403);
          expect(answer.text).to.contain('S3 gateway only');
        }
      });

      it('refuses in bulk', async () => {
        const json = { accept: 'application/json' };
        const deletion = await owner().send('POST', `${ACCOUNT}?bulk-delete`, {
          headers: { ...json, 'content-type': 'text/plain' },
          body: `${name}/dir/o\n${name}\n`,
        });
        expect(JSON.parse(deletion.text)).to.deep.include({ 'Number Deleted': 0 });
        const upload = await owner().send('PUT', `${container}?extract-archive=tar`, {
          headers: json,
          body: tarOf('dir/o', 'from an archive'),
        });
        expect(JSON.parse(upload.text)).to.deep.include({ 'Number Files Created': 0 });
      });

      it('refuses as a segment that a manifest elsewhere names', async () => {
        const manifest = `${ACCOUNT}/${free}/manifest`;
        const segment = `/${decodeURIComponent(name)}/dir/o`;
        const put = await owner().send('PUT', `${manifest}?multipart-manifest=put`, {
          body: JSON.stringify([{ path: segment }]),
        });
        expect(put.status).to.equal(201);
        const { text } = await owner().send('DELETE', `${manifest}?multipart-manifest=delete`, {
          headers: { accept: 'application/json' },
        });
        const { Errors: errors } = JSON.parse(text) as { Errors: [string, string][] };
        expect(errors.map(([, status]) => status)).to.deep.equal(['403 Forbidden']);
      });

      it('refuses as the archive of old versions of another container', async () => {
        const other = `${ACCOUNT}/${bucket}-other`;
        await owner().send('PUT', other, {
          headers: { 'x-versions-location': decodeURIComponent(name) },
        });
        await owner().send('PUT', `${other}/o`, { body: '1' });
        expect((await owner().send('PUT', `${other}/o`, { body: '2' })).status).to.be.within(
          400,
          499,
        );
        await owner().send('DELETE', `${other}/o`);
        await owner().send('DELETE', other);
      });

      it('leaves reading as it is', async () => {
        expect((await owner().send('GET', object)).text).to.equal(CONTENT);
        expect((await owner().send('HEAD', container)).status).to.equal(204);
        const copy = await owner().send('PUT', `${ACCOUNT}/${free}/copy`, {
          headers: { 'x-copy-from': `${name}/dir/o` },
        });
        expect(copy.status).to.equal(201);
      });
    });
  }

  it('lets the gateway do all that', async () => {
    const path = `${ACCOUNT}/${bucket}/mine`;
    expect((await gateway().send('PUT', path, { body: 'x' })).status).to.equal(201);
    expect((await gateway().send('POST', path)).status).to.equal(202);
    expect((await gateway().send('DELETE', path)).status).to.equal(204);
    expect((await gateway().send('POST', `${ACCOUNT}/${bucket}`)).status).to.equal(204);
  });

  it('leaves other containers alone', async () => {
    const path = `${ACCOUNT}/${free}/mine`;
    expect((await owner().send('PUT', path, { body: 'x' })).status).to.equal(201);
    expect((await owner().send('POST', path)).status).to.equal(202);
    expect((await owner().send('DELETE', path)).status).to.equal(204);
    const companion = `${ACCOUNT}/${free}%2Bsegments`;
    expect((await owner().send('PUT', companion)).status).to.equal(201);
    expect((await owner().send('PUT', `${companion}/o`, { body: 'x' })).status).to.equal(201);
  });
});
