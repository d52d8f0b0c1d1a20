import { expect } from 'chai';
import { partList } from '../multipart-bench.js';
import { at, etagOf, expectAnswer, textOf, UNKNOWN_ID, useVersionsBench } from './bench.js';

const OLD = 'the old body';
const NEW = 'the new one';
const ETAG = etagOf(OLD);
const CRC32 = 'x-amz-checksum-crc32';

/** `?versionId=` on what reads. */
describe('reads of a version over the wire', () => {
  const bench = useVersionsBench();
  let path: string;
  let old: string;
  let marker: string;

  before(async () => {
    const bucket = await bench().bucket('reads', 'Enabled');
    path = `${bucket}/key`;
    old = await bench().put(path, OLD, {
      'content-type': 'text/old',
      'x-amz-meta-colour': 'brown',
      'x-amz-tagging': 'age=old',
      [CRC32]: '7iRkbg==',
    });
    marker = await bench().mark(path);
    await bench().put(path, NEW, { 'content-type': 'text/new', 'x-amz-meta-colour': 'red' });
  });

  it('tells body and attributes of that version', async () => {
    const got = await bench().s3.get(at(path, old), { 'x-amz-checksum-mode': 'ENABLED' });
    expect(got.text).to.equal(OLD);
    const expected = {
      etag: ETAG,
      'content-type': 'text/old',
      'content-length': String(OLD.length),
      'x-amz-meta-colour': 'brown',
      'x-amz-tagging-count': '1',
      'x-amz-version-id': old,
      [CRC32]: '7iRkbg==',
    };
    expect(got.headers).to.include(expected);
    expect(got.headers).to.not.have.property('x-amz-delete-marker');
    const head = await bench().s3.head(at(path, old), { 'x-amz-checksum-mode': 'ENABLED' });
    expect([head.status, head.text]).to.deep.equal([200, '']);
    expect(head.headers).to.include(expected);
  });

  for (const method of ['GET', 'HEAD']) {
    it(`takes ranges, parts, conditions and overrides (${method})`, async () => {
      const send = (headers: Record<string, string>, query = '') =>
        bench().s3.send({ method, path: at(`${path}${query}`, old), headers });
      const part = await send({ range: 'bytes=4-6' });
      expect(part.status).to.equal(206);
      expect(part.headers).to.include({
        'content-range': `bytes 4-6/${OLD.length}`,
        'content-length': '3',
        'x-amz-version-id': old,
      });
      if (method === 'GET') expect(part.text).to.equal('old');
      expect((await send({ range: 'bytes=99-' })).status).to.equal(416);

      const first = await send({}, '?partNumber=1');
      expect([first.status, first.headers['x-amz-version-id']]).to.deep.equal([206, old]);
      expect((await send({}, '?partNumber=2')).status).to.equal(416);

      const unchanged = await send({ 'if-none-match': ETAG });
      expect(unchanged.status).to.equal(304);
      expect(unchanged.headers).to.include({ etag: ETAG, 'x-amz-version-id': old });
      expect((await send({ 'if-match': ETAG })).status).to.equal(200);
      expect((await send({ 'if-match': `"${'0'.repeat(32)}"` })).status).to.equal(412);

      const renamed = await send({}, '?response-content-type=a%2Fb&response-expires=never');
      expect(renamed.headers).to.include({ 'content-type': 'a/b', expires: 'never' });
    });

    it(`answers 405 for a delete marker, and names it (${method})`, async () => {
      for (const query of ['', '?partNumber=1']) {
        const answer = await bench().s3.send({ method, path: at(`${path}${query}`, marker) });
        expectAnswer(answer, 405, method === 'GET' ? 'MethodNotAllowed' : undefined);
        expect(answer.headers).to.include({
          'x-amz-delete-marker': 'true',
          'x-amz-version-id': marker,
          allow: 'DELETE',
        });
        const modified = Date.parse(answer.headers['last-modified'] ?? '');
        expect(modified).to.be.closeTo(Date.now(), 60_000);
      }
    });
  }

  it('reads tags and ACL of the version', async () => {
    const tags = await bench().s3.get(at(`${path}?tagging`, old));
    expect([tags.status, tags.headers['x-amz-version-id']]).to.deep.equal([200, old]);
    expect(tags.text).to.contain('<Key>age</Key><Value>old</Value>');
    expect((await bench().s3.get(`${path}?tagging`)).text).to.not.contain('<Tag>');
    const acl = await bench().s3.get(at(`${path}?acl`, old));
    expect([acl.status, acl.headers['x-amz-version-id']]).to.deep.equal([200, old]);
  });

  it('changes tags and ACL of that version alone', async () => {
    const document = '<Tagging><TagSet><Tag><Key>a</Key><Value>b</Value></Tag></TagSet></Tagging>';
    const target = at(`${path}?tagging`, old);
    const before = await bench().s3.head(at(path, old));
    const put = await bench().s3.put(target, document);
    expect([put.status, put.headers['x-amz-version-id']]).to.deep.equal([200, old]);
    expect((await bench().s3.get(target)).text).to.contain('<Key>a</Key><Value>b</Value>');
    expect((await bench().s3.get(`${path}?tagging`)).text).to.not.contain('<Tag>');
    const removed = await bench().s3.delete(target);
    expect([removed.status, removed.headers['x-amz-version-id']]).to.deep.equal([204, old]);
    expect((await bench().s3.get(target)).text).to.not.contain('<Tag>');

    const acl = { 'x-amz-acl': 'public-read' };
    const opened = await bench().s3.put(at(`${path}?acl`, old), '', acl);
    expect([opened.status, opened.headers['x-amz-version-id']]).to.deep.equal([200, old]);
    expect((await bench().s3.get(at(`${path}?acl`, old))).text).to.contain('AllUsers');
    expect((await bench().s3.get(`${path}?acl`)).text).to.not.contain('AllUsers');
    const after = await bench().s3.head(at(path, old));
    for (const name of ['etag', 'last-modified', 'content-type', 'x-amz-meta-colour']) {
      expect(after.headers[name], name).to.equal(before.headers[name]);
    }
  });

  it('copies a version, and says which', async () => {
    const copied = await bench().copy(`${path}-copy`, at(path, old));
    expectAnswer(copied, 200);
    expect(copied.headers['x-amz-copy-source-version-id']).to.equal(old);
    const got = await bench().s3.get(`${path}-copy`);
    expect([got.text, got.headers['x-amz-meta-colour']]).to.deep.equal([OLD, 'brown']);
    expect(got.headers['x-amz-version-id']).to.equal(copied.headers['x-amz-version-id']);
  });

  it('brings an old version back by copying it onto its key', async () => {
    const key = `${path}-again`;
    const id = await bench().put(key, OLD, { 'x-amz-meta-colour': 'brown' });
    await bench().put(key, NEW);
    const copied = await bench().copy(key, at(key, id));
    expectAnswer(copied, 200);
    const got = await bench().s3.get(key);
    expect([got.text, got.headers['x-amz-meta-colour']]).to.deep.equal([OLD, 'brown']);
    expect(await bench().history('/reads', 'key-again')).to.have.length(3);
  });

  it('copies a version into a part', async () => {
    const id = await bench().create(`${path}-parts`);
    const part = `${path}-parts?uploadId=${id}&partNumber=1`;
    const range = { 'x-amz-copy-source-range': 'bytes=4-6' };
    const copied = await bench().copy(part, at(path, old), range);
    expectAnswer(copied, 200);
    expect(copied.headers['x-amz-copy-source-version-id']).to.equal(old);
    const parts = partList([textOf(copied.text, 'ETag')]);
    expectAnswer(await bench().complete(`${path}-parts`, id, parts), 200);
    expect(await bench().read(`${path}-parts`)).to.equal('old');
    await bench().s3.delete(`${path}-parts`);
  });

  it('copies no delete marker', async () => {
    const upload = `${path}-parts?partNumber=1&uploadId=${UNKNOWN_ID}`;
    for (const target of [`${path}-copy`, upload]) {
      const copied = await bench().copy(target, at(path, marker));
      if (target === upload) expect(copied.status).to.be.within(400, 404);
      else expectAnswer(copied, 400, 'InvalidRequest');
    }
    await bench().put(`${path}-hidden`, 'body');
    await bench().mark(`${path}-hidden`);
    expectAnswer(await bench().copy(`${path}-copy`, `${path}-hidden`), 404, 'NoSuchKey');
  });
});
