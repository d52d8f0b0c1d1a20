import { createHash, randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import { eventually } from '../support/eventually.js';
import { useEach, useOnce } from '../support/fixture.js';
import { describeWith } from '../support/needs.js';
import { SWIFT_NEEDS } from '../support/swift-lab.js';
import {
  complete,
  DropIn,
  expectSameTime,
  initiate,
  listed,
  PART_BYTES,
  toldOf,
  uploadPart,
} from './drop-in.js';

const DESCRIBED = {
  'content-type': 'text/plain; charset=utf-8',
  'cache-control': 'max-age=60',
  'content-disposition': 'attachment; filename="a b.txt"',
  'content-encoding': 'gzip',
  'content-language': 'de',
  expires: 'Thu, 01 Dec 2039 16:00:00 GMT',
  'x-amz-meta-plain': 'value',
  'x-amz-meta-with_underscore': 'a_b',
  'x-amz-meta-with.dot': 'a.b',
};

const KEYS = [
  ...['plain', 'a/b/c', 'a//b', 'with space+plus', '100%', 'ünï☃', 'semi;colon&amp'],
  'x'.repeat(900),
];

function pathOf(bucket: string, key: string): string {
  return `/${bucket}/${key.split('/').map(encodeURIComponent).join('/')}`;
}

describeWith(SWIFT_NEEDS, 'a cluster that serves Ringway and s3api', function () {
  this.timeout(120_000);

  const dropIn = useOnce(() => DropIn.open(), 'close');
  const bucket = useEach(async () => {
    const name = `drop-in-${randomBytes(5).toString('hex')}`;
    expect((await dropIn().ours.put(`/${name}`)).status).to.equal(200);
    return name;
  });

  for (const [writer, reader] of [
    ['ours', 'theirs'],
    ['theirs', 'ours'],
  ] as const) {
    describe(`shows what ${writer === 'ours' ? 'Ringway' : 's3api'} writes to the other`, () => {
      it('objects, with all that is told of them', async () => {
        for (const [i, key] of KEYS.entries()) {
          const body = Buffer.alloc(i * 1000, key);
          const put = await dropIn()[writer].put(pathOf(bucket(), key), body, DESCRIBED);
          expect(put.status, put.text).to.equal(200);
        }
        for (const [i, key] of KEYS.entries()) {
          const path = pathOf(bucket(), key);
          const [own, other] = [
            await dropIn()[writer].head(path),
            await dropIn()[reader].head(path),
          ];
          expect(toldOf(other), key).to.deep.equal(toldOf(own));
          expectSameTime(own, other);
          const got = await dropIn()[reader].get(path);
          expect(got.body.equals(Buffer.alloc(i * 1000, key)), key).to.equal(true);
        }
        expect(await listed(dropIn()[reader], bucket())).to.deep.equal(
          await listed(dropIn()[writer], bucket()),
        );
      });

      it('objects made of parts', async () => {
        const path = `/${bucket()}/large`;
        const pieces = [randomBytes(PART_BYTES), randomBytes(1000)];
        const id = await initiate(dropIn()[writer], path, DESCRIBED);
        const etags: string[] = [];
        for (const [i, piece] of pieces.entries()) {
          etags.push(await uploadPart(dropIn()[writer], path, id, i + 1, piece));
        }
        await complete(dropIn()[writer], path, id, etags);
        const [own, other] = [await dropIn()[writer].head(path), await dropIn()[reader].head(path)];
        expect(own.headers.etag).to.match(/^"[0-9a-f]{32}-2"$/);
        expect(toldOf(other)).to.deep.equal(toldOf(own));
        expectSameTime(own, other);
        expect((await dropIn()[reader].get(path)).body.equals(Buffer.concat(pieces))).to.equal(
          true,
        );
        const range = { range: `bytes=${PART_BYTES - 10}-${PART_BYTES + 9}` };
        const middle = Buffer.concat(pieces).subarray(PART_BYTES - 10, PART_BYTES + 10);
        expect((await dropIn()[reader].get(path, range)).body.equals(middle)).to.equal(true);
        expect(await listed(dropIn()[reader], bucket())).to.deep.equal(
          await listed(dropIn()[writer], bucket()),
        );
      });

      it('uploads that are open, which the other lists and completes', async () => {
        const path = `/${bucket()}/open`;
        const pieces = [randomBytes(PART_BYTES), randomBytes(1000)] as const;
        const id = await initiate(dropIn()[writer], path, DESCRIBED);
        const first = await uploadPart(dropIn()[writer], path, id, 1, pieces[0]);

        const uploads = await dropIn()[reader].get(`/${bucket()}?uploads`);
        expect(uploads.text).to.include(`<UploadId>${id}</UploadId>`);
        const query = `uploadId=${encodeURIComponent(id)}`;
        const parts = await dropIn()[reader].get(`${path}?${query}`);
        expect(parts.text.replaceAll('&quot;', '"')).to.include(`<ETag>${first}</ETag>`);
        expect(parts.text).to.include(`<Size>${PART_BYTES}</Size>`);

        const second = await uploadPart(dropIn()[reader], path, id, 2, pieces[1]);
        await complete(dropIn()[reader], path, id, [first, second]);
        const [own, other] = [await dropIn()[writer].head(path), await dropIn()[reader].head(path)];
        expect(toldOf(other)).to.deep.equal(toldOf(own));
        expect(own.headers).to.include({
          'content-type': DESCRIBED['content-type'],
          'x-amz-meta-plain': 'value',
        });
        expect((await dropIn()[writer].get(path)).body.equals(Buffer.concat(pieces))).to.equal(
          true,
        );
      });

      it('uploads that the other aborts', async () => {
        const path = `/${bucket()}/aborted`;
        const id = await initiate(dropIn()[writer], path);
        await uploadPart(dropIn()[writer], path, id, 1, randomBytes(1000));
        const query = `uploadId=${encodeURIComponent(id)}`;
        expect((await dropIn()[reader].delete(`${path}?${query}`)).status).to.equal(204);
        expect((await dropIn()[writer].get(`${path}?${query}`)).code).to.equal('NoSuchUpload');
      });

      it('what it deletes', async () => {
        await dropIn()[writer].put(`/${bucket()}/gone`, 'x');
        expect((await dropIn()[reader].delete(`/${bucket()}/gone`)).status).to.equal(204);
        expect((await dropIn()[writer].head(`/${bucket()}/gone`)).status).to.equal(404);
        expect((await dropIn()[reader].delete(`/${bucket()}`)).status).to.equal(204);
        // Ringway knows what it heard of a bucket for a second.
        await eventually(
          () => dropIn()[writer].head(`/${bucket()}`),
          ({ status }) => status === 404,
        );
      });
    });
  }

  it('gives an upload that s3api began without a type the default type of the gateway', async () => {
    const path = `/${bucket()}/untyped`;
    const id = await initiate(dropIn().theirs, path);
    const etag = await uploadPart(dropIn().theirs, path, id, 1, randomBytes(1000));
    await complete(dropIn().ours, path, id, [etag]);
    const { headers } = await dropIn().ours.head(path);
    expect(headers).to.include({ 'content-type': 'binary/octet-stream' });
  });

  it('keeps parts in the storage policy and with the ACLs of the bucket', async () => {
    const name = `${bucket()}-silver`;
    const silver = { 'x-storage-policy': 'silver', 'x-container-read': 'test:other' };
    expect((await dropIn().swift('PUT', name, silver)).status).to.equal(201);
    const aclOf = async (container: string): Promise<string | null> => {
      const { headers } = await dropIn().swift('HEAD', encodeURIComponent(container));
      return headers.get('x-container-read');
    };
    const path = `/${name}/large`;
    const id = await initiate(dropIn().ours, path);
    expect(await aclOf(`${name}+segments`)).to.equal('test:other');
    const etag = await uploadPart(dropIn().ours, path, id, 1, Buffer.from('large'));
    await complete(dropIn().ours, path, id, [etag]);
    const versions = '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>';
    expect((await dropIn().ours.put(`/${name}?versioning`, versions)).status).to.equal(200);
    for (const companion of ['+segments', '+versions']) {
      const { headers } = await dropIn().swift('HEAD', encodeURIComponent(name + companion));
      expect(headers.get('x-storage-policy'), companion).to.equal('silver');
    }

    const anybody = () => fetch(dropIn().urlOf(`${name}/large`));
    expect((await anybody()).status).to.equal(401);
    const acl = (canned: string) => dropIn().ours.put(`/${name}?acl`, '', { 'x-amz-acl': canned });
    expect((await acl('public-read')).status).to.equal(200);
    // One of three replicas may still have the former rules, and a proxy that asks it caches them.
    await eventually(
      async () => (await anybody()).text(),
      (text) => text === 'large',
    );
    expect(await aclOf(`${name}+segments`)).to.equal('.r:*,test:other');
    expect((await acl('private')).status).to.equal(200);
    expect((await anybody()).status).to.equal(401);
    expect(await aclOf(`${name}+segments`)).to.equal('test:other');
  });

  it('leaves no parts of what s3api wrote and Ringway deleted', async () => {
    const path = `/${bucket()}/large`;
    const id = await initiate(dropIn().theirs, path);
    const etag = await uploadPart(dropIn().theirs, path, id, 1, randomBytes(1000));
    await complete(dropIn().theirs, path, id, [etag]);
    expect(await dropIn().names(`${bucket()}+segments`)).to.have.length(1);
    expect((await dropIn().ours.delete(path)).status).to.equal(204);
    expect((await dropIn().theirs.head(path)).status).to.equal(404);
    await eventually(
      () => dropIn().names(`${bucket()}+segments`),
      (names) => names.length === 0,
    );
  });

  it('reads objects of buckets that s3api keeps versions of', async () => {
    const body = '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>';
    expect((await dropIn().theirs.put(`/${bucket()}?versioning`, body)).status).to.equal(200);
    for (const text of ['first', 'second']) await dropIn().theirs.put(`/${bucket()}/key`, text);
    const [own, other] = [
      await dropIn().theirs.get(`/${bucket()}/key`),
      await dropIn().ours.get(`/${bucket()}/key`),
    ];
    expect([other.text, toldOf(other)]).to.deep.equal(['second', toldOf(own)]);
    expect(await listed(dropIn().ours, bucket())).to.deep.equal(
      await listed(dropIn().theirs, bucket()),
    );
  });

  it('has one ACL for both', async () => {
    const { ours, theirsWithAcls } = dropIn();
    const name = `${bucket()}-acl`;
    const grants = ({ text }: { readonly text: string }): string[] =>
      [...text.matchAll(/<(?:ID|URI|Permission)>([^<]*)</g)].map(([, value = '']) => value).sort();
    expect((await theirsWithAcls.put(`/${name}`)).status).to.equal(200);
    const canned = { 'x-amz-acl': 'public-read' };
    for (const [writer, reader] of [
      [theirsWithAcls, ours],
      [ours, theirsWithAcls],
    ] as const) {
      expect((await writer.put(`/${name}/key`, 'x', canned)).status).to.equal(200);
      const own = grants(await writer.get(`/${name}/key?acl`));
      expect(own).to.include('READ').and.include('FULL_CONTROL').and.include('test:tester');
      expect(grants(await reader.get(`/${name}/key?acl`))).to.deep.equal(own);
      expect((await writer.put(`/${name}?acl`, '', canned)).status).to.equal(200);
      const ofBucket = grants(await writer.get(`/${name}?acl`));
      expect(ofBucket).to.include('READ');
      // Ringway knows what it heard of a bucket for a second.
      await eventually(
        async () => grants(await reader.get(`/${name}?acl`)),
        (found) => isDeepStrictEqual(found, ofBucket),
      );
      expect((await writer.put(`/${name}?acl`, '', { 'x-amz-acl': 'private' })).status).to.equal(
        200,
      );
    }
  });

  it('has owners for s3api with s3_acl where an ACL was set, and else none', async () => {
    const { ours, theirsWithAcls } = dropIn();
    // docs/migrating-from-s3api.md says so.
    await ours.put(`/${bucket()}/key`, 'x');
    expect((await theirsWithAcls.get(`/${bucket()}/key`)).status).to.equal(403);
    expect((await theirsWithAcls.get(`/${bucket()}`)).status).to.equal(403);
    const acl = await ours.put(`/${bucket()}?acl`, '', { 'x-amz-acl': 'private' });
    expect(acl.status).to.equal(200);
    expect((await theirsWithAcls.get(`/${bucket()}`)).status).to.equal(200);
  });

  describe("and Swift's own API", () => {
    it('shows objects of Swift to S3', async () => {
      const headers = { 'content-type': 'text/x', 'x-object-meta-color': 'red' };
      expect((await dropIn().swift('PUT', `${bucket()}/o`, headers, 'body')).status).to.equal(201);
      const head = await dropIn().ours.head(`/${bucket()}/o`);
      expect(toldOf(head)).to.deep.include({
        etag: `"${md5('body')}"`,
        'content-type': 'text/x',
        'x-amz-meta-color': 'red',
      });
      expect((await dropIn().ours.get(`/${bucket()}/o`)).text).to.equal('body');
      expect(await listed(dropIn().ours, bucket())).to.deep.equal([
        { Key: 'o', Size: '4', ETag: `"${md5('body')}"` },
      ]);
    });

    it('shows objects of S3 to Swift, as if they were its own', async () => {
      // A name with `_` is one with `=` in Swift, as s3api has it, which fetch refuses to read.
      await dropIn().ours.put(`/${bucket()}/o`, 'body', { 'x-amz-meta-plain': 'value' });
      const head = await dropIn().swift('HEAD', `${bucket()}/o`);
      expect(head.headers.get('etag')).to.equal(md5('body'));
      expect(head.headers.get('x-object-meta-plain')).to.equal('value');
      expect([...head.headers.keys()].filter((name) => /sysmeta|gateway/.test(name))).to.deep.equal(
        [],
      );
      const list = await dropIn().swift('GET', `${bucket()}?format=json`);
      const [entry] = (await list.json()) as { name: string; hash: string; bytes: number }[];
      expect(entry).to.deep.include({ name: 'o', hash: md5('body'), bytes: 4 });
    });

    it('takes a plain POST for what it is', async () => {
      await dropIn().ours.put(`/${bucket()}/o`, 'body', DESCRIBED);
      await dropIn().ours.put(`/${bucket()}/o?tagging`, TAGGING);
      const posted = await dropIn().swift('POST', `${bucket()}/o`, { 'x-object-meta-new': 'x' });
      expect(posted.status).to.equal(202);
      const head = await dropIn().ours.head(`/${bucket()}/o`);
      expect(head.headers).to.include({ 'x-amz-meta-new': 'x' });
      expect(head.headers).not.to.have.property('x-amz-meta-plain');
      expect((await dropIn().ours.get(`/${bucket()}/o`)).text).to.equal('body');
    });
  });
});

const TAGGING = '<Tagging><TagSet><Tag><Key>a</Key><Value>b</Value></Tag></TagSet></Tagging>';

function md5(text: string): string {
  return createHash('md5').update(text).digest('hex');
}
