import { expect } from 'chai';
import { mintUploadId } from '../../src/s3/rules/upload-id.js';
import { useUploadBench } from './multipart-bench.js';

/** Texts of all elements of that name, in order. */
function texts(xml: string, element: string): string[] {
  return [...xml.matchAll(new RegExp(`<${element}>([^<]*)</${element}>`, 'g'))].map(
    ([, text = '']) => text,
  );
}

describe('listings of multipart uploads over the wire', () => {
  const bench = useUploadBench({ storage_classes: ['STANDARD', 'GLACIER'] });

  describe('ListMultipartUploads', () => {
    /** In the order of keys, which is not that of the names in the store. */
    const KEYS = ['a', 'a', 'a!', 'a/', 'a/b', 'b', 'dir/x', 'dir/y'];
    const ids: string[] = [];

    before(async () => {
      for (const key of KEYS) {
        const checksum = key === 'b' ? { 'x-amz-checksum-algorithm': 'CRC64NVME' } : {};
        const headers = { 'x-amz-storage-class': 'GLACIER', ...checksum };
        ids.push(await bench.create(`/parts/${encodeURIComponent(key)}`, headers));
      }
      for (const number of [1, 2, 3]) {
        await bench.part('/parts/a', ids[0] ?? '', number, Buffer.from('part'));
      }
      const done = await bench.smallUpload('/parts/a!', 'completed, so that it is not listed');
      await bench.complete('/parts/a!', done.uploadId, done.parts);
    });

    it('shows what is open, in the order of keys and of beginnings', async () => {
      const answer = await bench.s3.get('/parts?uploads');
      expect(answer.status).to.equal(200);
      expect(texts(answer.text, 'Key')).to.deep.equal(KEYS);
      expect(texts(answer.text, 'UploadId')).to.deep.equal(ids);
      expect(new Set(texts(answer.text, 'StorageClass'))).to.deep.equal(new Set(['GLACIER']));
      expect(texts(answer.text, 'ChecksumAlgorithm')).to.deep.equal(['CRC64NVME']);
      expect(texts(answer.text, 'ChecksumType')).to.deep.equal(['FULL_OBJECT']);
      expect(texts(answer.text, 'IsTruncated')).to.deep.equal(['false']);
      for (const initiated of texts(answer.text, 'Initiated')) {
        expect(initiated).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/);
      }
    });

    for (const size of [1, 2, 3, 7]) {
      it(`shows the same in pages of ${size}`, async () => {
        const seen: string[] = [];
        let markers = '';
        for (;;) {
          const { text } = await bench.s3.get(`/parts?uploads&max-uploads=${size}${markers}`);
          seen.push(...texts(text, 'UploadId'));
          if (texts(text, 'IsTruncated')[0] === 'false') break;
          const [key = ''] = texts(text, 'NextKeyMarker');
          const [id = ''] = texts(text, 'NextUploadIdMarker');
          markers = `&key-marker=${encodeURIComponent(key)}&upload-id-marker=${id}`;
        }
        expect(seen).to.deep.equal(ids);
      });
    }

    it('rolls up by a delimiter, and encodes names for URLs', async () => {
      const rolled = await bench.s3.get('/parts?uploads&delimiter=%2F');
      expect(texts(rolled.text, 'Key')).to.deep.equal(['a', 'a', 'a!', 'b']);
      expect(rolled.text).to.contain('<CommonPrefixes><Prefix>a/</Prefix></CommonPrefixes>');
      const below = await bench.s3.get('/parts?uploads&prefix=a!&encoding-type=url');
      expect(texts(below.text, 'Key')).to.deep.equal(['a%21']);
      expect(texts(below.text, 'EncodingType')).to.deep.equal(['url']);
    });

    it('is empty where nothing was ever uploaded, and knows missing buckets', async () => {
      await bench.s3.put('/empty');
      const empty = await bench.s3.get('/empty?uploads');
      expect([empty.status, texts(empty.text, 'Upload')]).to.deep.equal([200, []]);
      const none = await bench.s3.get('/parts?uploads&max-uploads=0');
      expect(texts(none.text, 'UploadId')).to.deep.equal([]);
      expect((await bench.s3.get('/missing?uploads')).code).to.equal('NoSuchBucket');
      expect((await bench.s3.get('/parts?uploads&max-uploads=x')).code).to.equal('InvalidArgument');
    });

    it('is for GET on buckets and POST on objects alone', async () => {
      for (const [method, path] of [
        ['PUT', '/parts?uploads'],
        ['POST', '/parts?uploads'],
        ['DELETE', '/parts?uploads'],
        ['GET', '/parts/key?uploads'],
        ['PUT', '/parts/key?uploads'],
        ['DELETE', '/parts/key?uploads'],
      ] as const) {
        const answer = await bench.s3.send({ method, path });
        expect([answer.status, answer.code], `${method} ${path}`).to.deep.equal([
          405,
          'MethodNotAllowed',
        ]);
      }
    });
  });

  describe('ListParts', () => {
    it('shows parts in the order of their numbers, in pages of every size', async () => {
      const numbers = [1, 2, 3, 9, 10, 11, 20, 100, 1000, 1001, 9999, 10_000];
      const uploadId = await bench.create('/parts/listed');
      for (const number of [...numbers].reverse()) {
        await bench.part('/parts/listed', uploadId, number, Buffer.from(`part ${number}`));
      }
      for (const size of [1, 5, 12, 1000]) {
        const seen: number[] = [];
        let marker = '0';
        for (;;) {
          const { text } = await bench.s3.get(
            `/parts/listed?uploadId=${uploadId}&max-parts=${size}&part-number-marker=${marker}`,
          );
          seen.push(...texts(text, 'PartNumber').map(Number));
          if (texts(text, 'IsTruncated')[0] === 'false') break;
          [marker = ''] = texts(text, 'NextPartNumberMarker');
        }
        expect(seen, `pages of ${size}`).to.deep.equal(numbers);
      }
    });

    it('shows what each part is', async () => {
      const uploadId = await bench.create('/parts/shown', { 'x-amz-checksum-algorithm': 'SHA256' });
      const etag = await bench.checkedPart('/parts/shown', uploadId, 3, Buffer.from('three'));
      const { text } = await bench.s3.get(`/parts/shown?uploadId=${uploadId}`);
      expect(text).to.contain(`<ETag>${etag.replaceAll('"', '&quot;')}</ETag><Size>5</Size>`);
      expect(texts(text, 'ChecksumSHA256')).to.have.lengthOf(1);
      expect(texts(text, 'ChecksumAlgorithm')).to.deep.equal(['SHA256']);
      expect(texts(text, 'Bucket')).to.deep.equal(['parts']);
      expect(texts(text, 'Key')).to.deep.equal(['shown']);
    });
  });

  describe('uploads that are not there', () => {
    it('are NoSuchUpload for every user: never begun, aborted, completed, of another key', async () => {
      const aborted = await bench.smallUpload('/parts/gone', 'aborted');
      const path = `/parts/gone?uploadId=${aborted.uploadId}`;
      expect((await bench.s3.delete(path)).status).to.equal(204);
      const completed = await bench.smallUpload('/parts/gone', 'completed');
      await bench.complete('/parts/gone', completed.uploadId, completed.parts);
      const other = await bench.create('/parts/other');
      const unknown = mintUploadId(Date.now());
      for (const uploadId of [aborted.uploadId, completed.uploadId, other, unknown, 'no-id', '']) {
        const target = `/parts/gone?uploadId=${uploadId}`;
        const answers = [
          await bench.s3.get(target),
          await bench.s3.put(`${target}&partNumber=1`, 'x'),
          await bench.s3.delete(target),
        ];
        if (uploadId !== completed.uploadId) {
          answers.push(await bench.complete('/parts/gone', uploadId, completed.parts));
        }
        for (const answer of answers) {
          expect([answer.status, answer.code], uploadId).to.deep.equal([404, 'NoSuchUpload']);
        }
      }
      expect((await bench.s3.get('/parts/gone')).text).to.equal('completed');
    });

    it('are NoSuchBucket without their bucket', async () => {
      const uploadId = mintUploadId(Date.now());
      const answer = await bench.s3.get(`/missing/key?uploadId=${uploadId}`);
      expect(answer.code).to.equal('NoSuchBucket');
      const created = await bench.s3.send({ method: 'POST', path: '/missing/key?uploads' });
      expect(created.code).to.equal('NoSuchBucket');
    });
  });
});
