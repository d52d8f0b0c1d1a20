import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { useOnce } from '../support/fixture.js';
import { S3TestClient } from '../support/s3-client.js';
import { startService, stopCleanly } from '../support/service.js';
import { onlyOn } from '../support/stack.js';

const BODY = 'The quick brown fox jumps over the lazy dog';
const MD5 = createHash('md5').update(BODY).digest('hex');
const ETAG = `"${MD5}"`;

describe('objects over the wire', () => {
  const service = useOnce(
    () => startService({ config: { storage_classes: ['STANDARD', 'GLACIER'] } }),
    stopCleanly,
  );
  const s3 = useOnce(() => new S3TestClient(service()), 'close');

  before(async () => {
    await s3().put('/objects');
  });

  describe('write and read', () => {
    it('returns the same ETag, size and metadata in PUT, HEAD, GET and listing', async () => {
      const put = await s3().put('/objects/fox.txt', BODY, {
        'content-type': 'text/plain; charset=utf-8',
        'cache-control': 'max-age=60',
        'content-disposition': 'attachment; filename="fox.txt"',
        'content-encoding': 'gzip',
        'content-language': 'en',
        expires: 'Thu, 01 Dec 2033 16:00:00 GMT',
        'x-amz-meta-colour': 'brown',
        'x-amz-meta-name': '=?UTF-8?B?UmVpbmVrZSBGw7xjaHM=?=',
      });
      expect([put.status, put.headers.etag, put.text]).to.deep.equal([200, ETAG, '']);

      for (const method of ['GET', 'HEAD']) {
        const answer = await s3().send({ method, path: '/objects/fox.txt' });
        expect(answer.status).to.equal(200);
        expect(answer.text).to.equal(method === 'GET' ? BODY : '');
        expect(answer.headers).to.include({
          etag: ETAG,
          'content-length': String(BODY.length),
          'content-type': 'text/plain; charset=utf-8',
          'cache-control': 'max-age=60',
          'content-disposition': 'attachment; filename="fox.txt"',
          'content-encoding': 'gzip',
          'content-language': 'en',
          expires: 'Thu, 01 Dec 2033 16:00:00 GMT',
          'accept-ranges': 'bytes',
          'x-amz-meta-colour': 'brown',
        });
        expect(answer.headers['x-amz-meta-name']).to.match(/^=\?UTF-8\?/i);
        expect(Date.parse(answer.headers['last-modified'] ?? '')).to.be.closeTo(Date.now(), 60_000);
      }
      const listed = await s3().get('/objects?prefix=fox');
      expect(listed.text).to.contain(`<ETag>&quot;${MD5}&quot;</ETag><Size>43</Size>`);
    });

    it('keeps empty objects, and overwrites in place without a version id', async () => {
      const empty = await s3().put('/objects/empty', '');
      expect(empty.headers.etag).to.equal('"d41d8cd98f00b204e9800998ecf8427e"');
      const head = await s3().head('/objects/empty');
      expect(head.headers['content-length']).to.equal('0');
      const over = await s3().put('/objects/empty', 'no more');
      expect(over.headers).to.not.have.property('x-amz-version-id');
      expect((await s3().get('/objects/empty')).text).to.equal('no more');
    });

    it('deletes, and deletes what is gone, with 204', async () => {
      await s3().put('/objects/doomed', BODY);
      const first = await s3().delete('/objects/doomed');
      const second = await s3().delete('/objects/doomed');
      expect([first.status, second.status, second.text]).to.deep.equal([204, 204, '']);
      const gone = await s3().get('/objects/doomed');
      expect([gone.status, gone.code]).to.deep.equal([404, 'NoSuchKey']);
      expect(gone.text).to.contain('<Key>doomed</Key>');
    });

    it('knows the null version and no other while the bucket keeps none', async () => {
      await s3().put('/objects/versioned', BODY);
      const id = '0123456789abcdef0123456789abcdef';
      expect((await s3().get('/objects/versioned?versionId=null')).text).to.equal(BODY);
      expect((await s3().get(`/objects/versioned?versionId=${id}`)).code).to.equal('NoSuchVersion');
      expect((await s3().get('/objects/versioned?versionId=NULL')).code).to.equal(
        'InvalidArgument',
      );
      expect((await s3().delete(`/objects/versioned?versionId=${id}`)).status).to.equal(204);
      expect((await s3().head('/objects/versioned')).status).to.equal(200);
      expect((await s3().delete('/objects/versioned?versionId=null')).status).to.equal(204);
      expect((await s3().head('/objects/versioned')).status).to.equal(404);
    });

    it('stores storage classes that are configured, and nothing for others', async () => {
      const cold = await s3().put('/objects/cold', BODY, { 'x-amz-storage-class': 'GLACIER' });
      expect(cold.status).to.equal(200);
      const head = await s3().head('/objects/cold');
      expect(head.headers['x-amz-storage-class']).to.equal('GLACIER');
      expect((await s3().get('/objects?prefix=cold')).text).to.contain(
        '<StorageClass>GLACIER</StorageClass>',
      );
      const odd = await s3().put('/objects/odd', BODY, { 'x-amz-storage-class': 'PLATINUM' });
      expect([odd.status, odd.code]).to.deep.equal([400, 'InvalidStorageClass']);
      expect((await s3().head('/objects/odd')).status).to.equal(404);
    });
  });

  describe('ranges', () => {
    before(() => s3().put('/objects/range', '0123456789'));

    for (const [range, status, text, contentRange] of [
      ['bytes=0-3', 206, '0123', 'bytes 0-3/10'],
      ['bytes=7-', 206, '789', 'bytes 7-9/10'],
      ['bytes=-4', 206, '6789', 'bytes 6-9/10'],
      ['bytes=5-500', 206, '56789', 'bytes 5-9/10'],
      ['bytes=0-1,4-5', 200, '0123456789', undefined],
      ['bytes=4-2', 200, '0123456789', undefined],
      ['lines=1-2', 200, '0123456789', undefined],
    ] as const) {
      it(`answers ${range} with ${String(status)}`, async () => {
        const answer = await s3().get('/objects/range', { range });
        expect([answer.status, answer.text]).to.deep.equal([status, text]);
        expect(answer.headers['content-range']).to.equal(contentRange);
        const head = await s3().head('/objects/range', { range });
        expect([head.status, head.headers['content-length']]).to.deep.equal([
          status,
          String(text.length),
        ]);
      });
    }

    it('answers 416 with the size for a range outside the object', async () => {
      const answer = await s3().get('/objects/range', { range: 'bytes=10-' });
      expect([answer.status, answer.code]).to.deep.equal([416, 'InvalidRange']);
      expect(answer.headers['content-range']).to.equal('bytes */10');
    });

    it('sends the whole object when If-Range names another one', async () => {
      const { headers } = await s3().head('/objects/range');
      const same = { range: 'bytes=0-0', 'if-range': headers.etag ?? '' };
      expect((await s3().get('/objects/range', same)).text).to.equal('0');
      const other = { range: 'bytes=0-0', 'if-range': '"other"' };
      expect((await s3().get('/objects/range', other)).text).to.equal('0123456789');
    });
  });

  describe('conditions', () => {
    before(() => s3().put('/objects/condition', BODY));

    it('answers 304 with ETag and Last-Modified, and 412, for reads', async () => {
      const fresh = await s3().get('/objects/condition', { 'if-none-match': ETAG });
      expect([fresh.status, fresh.text, fresh.headers.etag]).to.deep.equal([304, '', ETAG]);
      expect(fresh.headers).to.have.property('last-modified');
      const failed = await s3().get('/objects/condition', { 'if-match': '"other"' });
      expect([failed.status, failed.code]).to.deep.equal([412, 'PreconditionFailed']);
      const since = { 'if-modified-since': new Date().toUTCString() };
      expect((await s3().head('/objects/condition', since)).status).to.equal(304);
    });

    it('creates only what is absent', async () => {
      const absent = { 'if-none-match': '*' };
      expect((await s3().put('/objects/once', 'first', absent)).status).to.equal(200);
      const second = await s3().put('/objects/once', 'second', absent);
      expect([second.status, second.code]).to.deep.equal([412, 'PreconditionFailed']);
      expect((await s3().get('/objects/once')).text).to.equal('first');
    });

    it('replaces only what it knows', async function () {
      onlyOn(this, 'embedded', 'a store that can replace atomically');
      await s3().put('/objects/once', 'first');
      const stale = await s3().put('/objects/once', 'third', { 'if-match': ETAG });
      expect(stale.code).to.equal('PreconditionFailed');
      const nothing = await s3().put('/objects/never', 'third', { 'if-match': ETAG });
      expect([nothing.status, nothing.code]).to.deep.equal([404, 'NoSuchKey']);
      const { headers } = await s3().head('/objects/once');
      const known = { 'if-match': headers.etag ?? '' };
      expect((await s3().put('/objects/once', 'fourth', known)).status).to.equal(200);
      expect((await s3().delete('/objects/once', known)).status).to.equal(412);
      expect((await s3().get('/objects/once')).text).to.equal('fourth');
    });

    it('says where it cannot do so', async function () {
      onlyOn(this, 'swift', 'a store that cannot replace atomically');
      await s3().put('/objects/replaced', 'first');
      const { headers } = await s3().head('/objects/replaced');
      const known = { 'if-match': headers.etag ?? '' };
      for (const answer of [await s3().put('/objects/replaced', 'second', known)]) {
        expect([answer.status, answer.code]).to.deep.equal([501, 'NotImplemented']);
      }
      expect((await s3().get('/objects/replaced')).text).to.equal('first');
    });
  });

  it('overrides response headers as a signed query asks', async () => {
    await s3().put('/objects/override', BODY);
    const answer = await s3().get(
      '/objects/override?response-content-type=text%2Fcsv&response-content-disposition=attachment',
    );
    expect(answer.headers).to.include({
      'content-type': 'text/csv',
      'content-disposition': 'attachment',
    });
    const split = await s3().get('/objects/override?response-content-type=a%0D%0Ab:c');
    expect([split.status, split.code]).to.deep.equal([400, 'InvalidArgument']);
  });

  describe('digests', () => {
    it('returns the checksum it was sent, on demand', async () => {
      const headers = { 'x-amz-checksum-crc32': 'QU+jOQ==' };
      const put = await s3().put('/objects/summed', BODY, headers);
      expect([put.status, put.headers['x-amz-checksum-crc32']]).to.deep.equal([200, 'QU+jOQ==']);
      const plain = await s3().head('/objects/summed');
      expect(plain.headers).to.not.have.property('x-amz-checksum-crc32');
      const asked = await s3().get('/objects/summed', { 'x-amz-checksum-mode': 'ENABLED' });
      expect(asked.headers).to.include({
        'x-amz-checksum-crc32': 'QU+jOQ==',
        'x-amz-checksum-type': 'FULL_OBJECT',
      });
    });

    for (const [what, headers, contentSha256, code] of [
      [
        'a wrong Content-MD5',
        { 'content-md5': 'AAAAAAAAAAAAAAAAAAAAAA==' },
        undefined,
        'BadDigest',
      ],
      ['a malformed Content-MD5', { 'content-md5': 'what' }, undefined, 'InvalidDigest'],
      ['a wrong checksum', { 'x-amz-checksum-crc32': 'AAAAAA==' }, undefined, 'BadDigest'],
      ['a malformed checksum', { 'x-amz-checksum-crc32': '!' }, undefined, 'InvalidRequest'],
      ['a wrong payload hash', {}, 'a'.repeat(64), 'XAmzContentSHA256Mismatch'],
    ] as const) {
      it(`stores nothing of a body with ${what}, small or large`, async () => {
        for (const body of [BODY, 'x'.repeat(3_000_000)]) {
          const answer = await s3().send({
            method: 'PUT',
            path: '/objects/refused',
            body,
            headers,
            ...(contentSha256 === undefined ? {} : { contentSha256 }),
          });
          expect([answer.status, answer.code]).to.deep.equal([400, code]);
          expect((await s3().head('/objects/refused')).status).to.equal(404);
        }
      });
    }
  });

  it('streams a large body in and out unharmed', async () => {
    const body = Buffer.alloc(24 * 1024 * 1024 + 5);
    for (let i = 0; i < body.length; i += 1) body.writeUInt8((i * 31) % 251, i);
    const put = await s3().put('/objects/large', body);
    const md5 = createHash('md5').update(body).digest('hex');
    expect([put.status, put.headers.etag]).to.deep.equal([200, `"${md5}"`]);
    const whole = await s3().get('/objects/large');
    expect(body.equals(whole.body)).to.be.true;
    const part = await s3().get('/objects/large', { range: 'bytes=9999999-20000000' });
    expect(body.subarray(9_999_999, 20_000_001).equals(part.body)).to.be.true;
  });
});
