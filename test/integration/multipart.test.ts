import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { skipBecause } from '../support/skip.js';
import { IS_CLUSTER, onlyOn, STACK } from '../support/stack.js';
import { patternBytes, useUploadBench, MIB, partList } from './multipart-bench.js';

describe('multipart uploads over the wire', () => {
  const bench = useUploadBench({ storage_classes: ['STANDARD', 'GLACIER'] });

  describe('from beginning to end', () => {
    it('makes one object of its parts, with all that the upload was given', async () => {
      const { s3 } = bench;
      const uploadId = await bench.create('/parts/whole', {
        'content-type': 'video/x-test',
        'cache-control': 'max-age=5',
        'x-amz-meta-colour': 'blue',
        'x-amz-storage-class': 'GLACIER',
        'x-amz-tagging': 'a=1&b=2',
      });
      const bodies = [patternBytes(5 * MIB, 1), patternBytes(5 * MIB + 1, 2), patternBytes(7, 3)];
      const etags: string[] = [];
      for (const [index, body] of bodies.entries()) {
        etags.push(await bench.part('/parts/whole', uploadId, index + 1, body));
      }
      const md5s = etags.map((etag) => Buffer.from(etag.slice(1, -1), 'hex'));
      const etag = `"${createHash('md5').update(Buffer.concat(md5s)).digest('hex')}-3"`;

      const answer = await bench.complete('/parts/whole', uploadId, partList(etags));
      expect([answer.status, answer.code]).to.deep.equal([200, undefined]);
      expect(answer.text).to.contain(`<ETag>&quot;${etag.slice(1, -1)}&quot;</ETag>`);
      expect(answer.text).to.contain(`<Location>${bench.endpoint}/parts/whole</Location>`);

      const whole = Buffer.concat(bodies);
      const got = await s3.get('/parts/whole');
      expect(got.body.equals(whole)).to.equal(true);
      expect(got.headers).to.include({
        etag,
        'content-length': String(whole.length),
        'content-type': 'video/x-test',
        'cache-control': 'max-age=5',
        'x-amz-meta-colour': 'blue',
        'x-amz-storage-class': 'GLACIER',
        'x-amz-tagging-count': '2',
      });
      const across = await s3.get('/parts/whole', { range: `bytes=${5 * MIB - 2}-${5 * MIB + 1}` });
      expect(across.status).to.equal(206);
      expect(across.body.equals(whole.subarray(5 * MIB - 2, 5 * MIB + 2))).to.equal(true);
      const listed = await s3.get('/parts?prefix=whole');
      expect(listed.text).to.contain(`<ETag>&quot;${etag.slice(1, -1)}&quot;</ETag>`);
      expect(listed.text).to.contain(`<Size>${whole.length}</Size>`);
      expect(listed.text).to.contain('<StorageClass>GLACIER</StorageClass>');
    });

    it('takes parts in any order, with gaps, and empty ones', async () => {
      const { s3 } = bench;
      const uploadId = await bench.create('/parts/gaps');
      const last = await bench.part('/parts/gaps', uploadId, 10_000, Buffer.alloc(0));
      const first = await bench.part('/parts/gaps', uploadId, 7, patternBytes(5 * MIB, 4));
      const done = await bench.complete('/parts/gaps', uploadId, [
        { number: 7, etag: first },
        { number: 10_000, etag: last },
      ]);
      expect(done.status).to.equal(200);
      expect((await s3.head('/parts/gaps')).headers['content-length']).to.equal(String(5 * MIB));
    });

    it('replaces a part that is uploaded again', async () => {
      const uploadId = await bench.create('/parts/again');
      const former = await bench.part('/parts/again', uploadId, 1, Buffer.from('former'));
      const etag = await bench.part('/parts/again', uploadId, 1, Buffer.from('latter'));
      const refused = await bench.complete('/parts/again', uploadId, partList([former]));
      expect([refused.status, refused.code]).to.deep.equal([400, 'InvalidPart']);
      expect((await bench.complete('/parts/again', uploadId, partList([etag]))).status).to.equal(
        200,
      );
      expect((await bench.s3.get('/parts/again')).text).to.equal('latter');
    });

    it('answers a completion that is sent again as before, and other ones not at all', async () => {
      const uploadId = await bench.create('/parts/twice', { 'x-amz-checksum-algorithm': 'SHA256' });
      const etags = [await bench.checkedPart('/parts/twice', uploadId, 1, Buffer.from('one'))];
      const first = await bench.complete('/parts/twice', uploadId, partList(etags));
      const second = await bench.complete('/parts/twice', uploadId, partList(etags));
      expect([first.status, second.status]).to.deep.equal([200, 200]);
      expect(second.text).to.equal(first.text).and.to.contain('<ChecksumType>COMPOSITE<');
      const other = await bench.complete('/parts/twice', uploadId, partList([...etags, ...etags]));
      expect(other.code).to.equal('NoSuchUpload');
      await bench.s3.put('/parts/twice', 'over');
      const late = await bench.complete('/parts/twice', uploadId, partList(etags));
      // A busy cluster may take longer than four seconds, after which the status is 200 already.
      expect(late.status).to.be.oneOf(IS_CLUSTER ? [404, 200] : [404]);
      expect(late.code).to.equal('NoSuchUpload');
      expect((await bench.s3.get('/parts/twice')).text).to.equal('over');
    });

    it('never lets a late part replace one that an object is made of', async function () {
      if (STACK === 'faulty') skipBecause(this, 'a slow part is sent but once');
      for (const size of [1000, 200_000]) {
        const path = `/parts/late-${size}`;
        const uploadId = await bench.create(path);
        const body = patternBytes(size, 1);
        const etag = await bench.part(path, uploadId, 1, body);
        const late = bench.slowPart(path, uploadId, 1, patternBytes(size, 2));
        await late.begun;
        const done = await bench.complete(path, uploadId, partList([etag]));
        expect(done.status).to.equal(200);
        const answer = await late.finish();
        expect([answer.statusCode, answer.text]).to.satisfy(
          ([status, text]: [number, string]) => status === 404 && text.includes('NoSuchUpload'),
        );
        expect((await bench.s3.get(path)).body.equals(body)).to.equal(true);
      }
    });

    it('keeps keys of every kind apart', async () => {
      const keys = ['a', 'a/', 'a/b', '//', 'ä ö+%25', 'a/1', '😀'];
      const uploads = [];
      for (const key of keys) {
        const path = `/parts/odd/${encodeURIComponent(key)}`;
        const uploadId = await bench.create(path);
        uploads.push({ path, uploadId, key });
      }
      for (const { path, uploadId, key } of uploads) {
        const etag = await bench.part(path, uploadId, 1, Buffer.from(`body of ${key}`));
        expect((await bench.complete(path, uploadId, partList([etag]))).status).to.equal(200);
      }
      for (const { path, key } of uploads) {
        expect((await bench.s3.get(path)).text).to.equal(`body of ${key}`);
      }
    });
  });

  describe('conditions of completion', () => {
    it('If-None-Match: * makes an object only where there is none', async () => {
      const condition = { 'if-none-match': '*' };
      const first = await bench.smallUpload('/parts/once', 'first');
      const second = await bench.smallUpload('/parts/once', 'second');
      const done = await bench.complete('/parts/once', first.uploadId, first.parts, condition);
      expect(done.status).to.equal(200);
      const lost = await bench.complete('/parts/once', second.uploadId, second.parts, condition);
      expect([lost.status, lost.code]).to.deep.equal([412, 'PreconditionFailed']);
      expect((await bench.s3.get('/parts/once')).text).to.equal('first');
      // It can still be completed without the condition, or be told of its success again.
      const again = await bench.complete('/parts/once', first.uploadId, first.parts, condition);
      expect(again.status).to.equal(200);
      const over = await bench.complete('/parts/once', second.uploadId, second.parts);
      expect(over.status).to.equal(200);
    });

    it('If-Match replaces exactly what it names', async function () {
      onlyOn(this, 'embedded', 'a store that can replace atomically');
      const { headers } = await bench.s3.put('/parts/match', 'before');
      const upload = await bench.smallUpload('/parts/match', 'after');
      const wrong = { 'if-match': '"d41d8cd98f00b204e9800998ecf8427e"' };
      const refused = await bench.complete('/parts/match', upload.uploadId, upload.parts, wrong);
      expect([refused.status, refused.code]).to.deep.equal([412, 'PreconditionFailed']);
      const right = { 'if-match': headers.etag ?? '' };
      const done = await bench.complete('/parts/match', upload.uploadId, upload.parts, right);
      expect(done.status).to.equal(200);
    });

    it('x-amz-mp-object-size has to be the size of all parts', async () => {
      const upload = await bench.smallUpload('/parts/size', 'four');
      const wrong = { 'x-amz-mp-object-size': '5' };
      const refused = await bench.complete('/parts/size', upload.uploadId, upload.parts, wrong);
      expect([refused.status, refused.code]).to.deep.equal([400, 'InvalidRequest']);
      const right = { 'x-amz-mp-object-size': '4' };
      const done = await bench.complete('/parts/size', upload.uploadId, upload.parts, right);
      expect(done.status).to.equal(200);
    });
  });
});
