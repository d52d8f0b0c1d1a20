import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { useOnce } from '../support/fixture.js';
import { S3TestClient, type S3Answer } from '../support/s3-client.js';
import { startService, stopCleanly } from '../support/service.js';
import { onlyOn } from '../support/stack.js';
import { expectAnswer } from './versions/bench.js';

const BODY = '123456789';
const ETAG = `"${createHash('md5').update(BODY).digest('hex')}"`;
const OTHER_ETAG = `"${'0'.repeat(32)}"`;
const YESTERDAY = new Date(Date.now() - 86_400_000).toUTCString();
const TOMORROW = new Date(Date.now() + 86_400_000).toUTCString();

const WRITTEN = {
  'content-type': 'text/plain',
  'cache-control': 'max-age=60',
  'content-language': 'en',
  'x-amz-meta-colour': 'brown',
  'x-amz-tagging': 'tag=source',
  'x-amz-storage-class': 'GLACIER',
  'x-amz-checksum-crc32': 'y/Q5Jg==',
};

describe('CopyObject over the wire', () => {
  const service = useOnce(
    () => startService({ config: { storage_classes: ['STANDARD', 'GLACIER'] } }),
    stopCleanly,
  );
  const s3 = useOnce(() => new S3TestClient(service()), 'close');

  before(async () => {
    await s3().put('/copies');
    await s3().put('/source');
    await s3().put('/source/object', BODY, WRITTEN);
  });

  function copy(target: string, source: string, headers: Record<string, string> = {}) {
    return s3().put(target, '', { 'x-amz-copy-source': source, ...headers });
  }

  async function tagsOf(path: string): Promise<string[]> {
    const { text } = await s3().get(`${path}?tagging`);
    return [...text.matchAll(/<Key>([^<]*)<\/Key><Value>([^<]*)</g)].map(
      ([, key = '', value = '']) => `${key}=${value}`,
    );
  }

  async function expectNothingAt(path: string): Promise<void> {
    expect((await s3().head(path)).status).to.equal(404);
  }

  describe('what is copied', () => {
    it('answers with ETag, ISO time and checksum, and the copy reads like the source', async () => {
      const answer = await copy('/copies/plain', '/source/object');
      expect([answer.status, answer.headers['content-type']]).to.deep.equal([
        200,
        'application/xml',
      ]);
      expect(answer.headers).to.not.have.property('x-amz-copy-source-version-id');
      expect(answer.text).to.match(
        /<CopyObjectResult xmlns="[^"]*"><LastModified>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z<\/LastModified>/,
      );
      expect(answer.text).to.contain(`<ETag>${ETAG.replaceAll('"', '&quot;')}</ETag>`);
      expect(answer.text).to.contain('<ChecksumCRC32>y/Q5Jg==</ChecksumCRC32>');

      const got = await s3().get('/copies/plain', { 'x-amz-checksum-mode': 'ENABLED' });
      expect(got.text).to.equal(BODY);
      expect(got.headers).to.include({
        etag: ETAG,
        'content-type': 'text/plain',
        'cache-control': 'max-age=60',
        'content-language': 'en',
        'x-amz-meta-colour': 'brown',
        'x-amz-tagging-count': '1',
        'x-amz-checksum-crc32': 'y/Q5Jg==',
      });
      expect(await tagsOf('/copies/plain')).to.deep.equal(['tag=source']);
      expect(got.headers, 'the class is not copied').to.not.have.property('x-amz-storage-class');
      const listed = await s3().get('/copies?prefix=plain');
      expect(listed.text)
        .to.contain('<StorageClass>STANDARD</StorageClass>')
        .and.contain('<ChecksumAlgorithm>CRC32</ChecksumAlgorithm>');
    });

    it('leaves the request’s metadata and tags aside unless it says REPLACE', async () => {
      const headers = { 'x-amz-meta-colour': 'red', 'x-amz-tagging': 'tag=new' };
      await copy('/copies/kept', '/source/object', headers);
      expect((await s3().head('/copies/kept')).headers).to.include({
        'x-amz-meta-colour': 'brown',
      });
      expect(await tagsOf('/copies/kept')).to.deep.equal(['tag=source']);
    });

    it('replaces metadata and keeps tags', async () => {
      await copy('/copies/new-metadata', '/source/object', {
        'x-amz-metadata-directive': 'REPLACE',
        'content-type': 'text/csv',
        'x-amz-meta-shape': 'round',
      });
      const { headers } = await s3().head('/copies/new-metadata');
      expect(headers).to.include({ 'content-type': 'text/csv', 'x-amz-meta-shape': 'round' });
      expect(headers).to.not.have.any.keys('x-amz-meta-colour', 'cache-control');
      expect(await tagsOf('/copies/new-metadata')).to.deep.equal(['tag=source']);
    });

    it('replaces tags, also by none, and keeps metadata', async () => {
      const directive = { 'x-amz-tagging-directive': 'REPLACE' };
      await copy('/copies/new-tags', '/source/object', { ...directive, 'x-amz-tagging': 'a=b&c' });
      expect(await tagsOf('/copies/new-tags')).to.deep.equal(['a=b', 'c=']);
      await copy('/copies/no-tags', '/source/object', directive);
      expect(await tagsOf('/copies/no-tags')).to.deep.equal([]);
      expect((await s3().head('/copies/no-tags')).headers).to.include({
        'x-amz-meta-colour': 'brown',
      });
    });

    it('stores the class that it is asked for', async () => {
      await copy('/copies/cold', '/source/object', { 'x-amz-storage-class': 'GLACIER' });
      expect((await s3().head('/copies/cold')).headers).to.include({
        'x-amz-storage-class': 'GLACIER',
      });
      const listed = await s3().get('/copies?prefix=cold');
      expect(listed.text).to.contain('<StorageClass>GLACIER</StorageClass>');
    });

    it('copies empty objects, large ones, and keys of any kind', async () => {
      const large = Buffer.alloc(9 * 1024 * 1024 + 1, 'large');
      await s3().put('/source/large', large);
      await s3().put('/source/empty');
      await s3().put('/source/a%2Fb%20%2B%25%3F%E6%97%A5', 'odd');
      for (const [source, body] of [
        ['source/large', large],
        ['source%2Fempty', Buffer.alloc(0)],
        ['/source/a/b+%2B%25%3F%E6%97%A5?versionId=null', Buffer.from('odd')],
      ] as const) {
        expect((await copy('/copies/any', source)).status, source).to.equal(200);
        expect(body.equals((await s3().get('/copies/any')).body), source).to.be.true;
      }
    });

    it('overwrites the target, and outlives the source', async () => {
      await s3().put('/copies/over', 'before', { 'x-amz-meta-old': 'x' });
      await s3().put('/source/mortal', BODY);
      await copy('/copies/over', '/source/mortal');
      await s3().delete('/source/mortal');
      const got = await s3().get('/copies/over');
      expect(got.text).to.equal(BODY);
      expect(got.headers).to.not.have.property('x-amz-meta-old');
    });
  });

  describe('onto itself', () => {
    before(() => s3().put('/copies/self', BODY, WRITTEN));

    it('is refused without a change', async () => {
      expectAnswer(await copy('/copies/self', '/copies/self'), 400, 'InvalidRequest');
      const tags = await copy('/copies/self', '/copies/self', {
        'x-amz-tagging-directive': 'REPLACE',
      });
      expect(tags.code).to.equal('InvalidRequest');
    });

    it('replaces metadata in place', async () => {
      const answer = await copy('/copies/self', '/copies/self', {
        'x-amz-metadata-directive': 'REPLACE',
        'x-amz-meta-shape': 'square',
      });
      expect(answer.status).to.equal(200);
      const got = await s3().get('/copies/self');
      expect([got.text, got.headers.etag]).to.deep.equal([BODY, ETAG]);
      expect(got.headers).to.include({ 'x-amz-meta-shape': 'square' });
      expect(got.headers).to.not.have.property('x-amz-meta-colour');
      expect(await tagsOf('/copies/self')).to.deep.equal(['tag=source']);
    });

    it('changes the storage class in place', async () => {
      const cold = { 'x-amz-storage-class': 'GLACIER' };
      expect((await copy('/copies/self', '/copies/self', cold)).status).to.equal(200);
      expect((await s3().head('/copies/self')).headers).to.include(cold);
    });
  });

  describe('conditions', () => {
    for (const [headers, status, condition] of [
      [{ 'if-match': ETAG }, 200, ''],
      [{ 'if-match': OTHER_ETAG }, 412, 'If-Match'],
      [{ 'if-none-match': OTHER_ETAG }, 200, ''],
      [{ 'if-none-match': ETAG }, 412, 'If-None-Match'],
      [{ 'if-modified-since': YESTERDAY }, 200, ''],
      [{ 'if-modified-since': new Date(Date.now() - 1000).toUTCString() }, 200, ''],
      [{ 'if-unmodified-since': TOMORROW }, 200, ''],
      [{ 'if-unmodified-since': YESTERDAY }, 412, 'If-Unmodified-Since'],
      [{ 'if-match': ETAG, 'if-unmodified-since': YESTERDAY }, 200, ''],
      [{ 'if-none-match': ETAG, 'if-modified-since': YESTERDAY }, 412, 'If-None-Match'],
    ] as const) {
      const asked = JSON.stringify(headers);
      it(`answers ${status} to a source with ${asked}`, async () => {
        await s3().put('/source/fresh', BODY);
        const onSource = Object.entries(headers).map(([name, value]): [string, string] => [
          `x-amz-copy-source-${name}`,
          value,
        ]);
        await s3().delete('/copies/if');
        const answer = await copy('/copies/if', '/source/fresh', Object.fromEntries(onSource));
        expect(answer.status).to.equal(status);
        expect((await s3().head('/copies/if')).status).to.equal(status === 200 ? 200 : 404);
        if (condition === '') return;
        expect(answer.code).to.equal('PreconditionFailed');
        expect(answer.text).to.contain(`<Condition>x-amz-copy-source-${condition}</Condition>`);
      });
    }

    it('creates only what is absent', async () => {
      const absent = { 'if-none-match': '*' };
      expect((await copy('/copies/once', '/source/object', absent)).status).to.equal(200);
      expectAnswer(await copy('/copies/once', '/source/large', absent), 412, 'PreconditionFailed');
    });

    it('replaces only what it knows', async function () {
      onlyOn(this, 'embedded', 'a store that can replace atomically');
      await copy('/copies/once', '/source/object');
      const stale = await copy('/copies/once', '/source/large', { 'if-match': OTHER_ETAG });
      expect(stale.code).to.equal('PreconditionFailed');
      const known = { 'if-match': ETAG };
      expect((await copy('/copies/once', '/source/empty', known)).status).to.equal(200);
    });
  });

  describe('copies nothing', () => {
    const id = '0123456789abcdef0123456789abcdef';
    for (const [what, source, headers, status, code] of [
      ['from a key that is not there', '/source/absent', {}, 404, 'NoSuchKey'],
      ['from a bucket that is not there', '/absent/object', {}, 404, 'NoSuchBucket'],
      [
        'from a version that is not there',
        `/source/object?versionId=${id}`,
        {},
        404,
        'NoSuchVersion',
      ],
      ['from no version', '/source/object?versionId=x', {}, 400, 'InvalidArgument'],
      ['from a bucket alone', '/source', {}, 400, 'InvalidArgument'],
      ['from nothing', '', {}, 400, 'InvalidArgument'],
      ['from bad encoding', '/source/%zz', {}, 400, 'InvalidArgument'],
      ['from the parts of a bucket', '/source%2Bsegments/x', {}, 400, 'InvalidArgument'],
      [
        'with an unknown directive',
        '/source/object',
        { 'x-amz-metadata-directive': 'MERGE' },
        400,
        'InvalidArgument',
      ],
      [
        'with tags that cannot be',
        '/source/object',
        { 'x-amz-tagging-directive': 'REPLACE', 'x-amz-tagging': 'aws:x=1' },
        400,
        'InvalidTag',
      ],
      [
        'with too much metadata',
        '/source/object',
        { 'x-amz-metadata-directive': 'REPLACE', 'x-amz-meta-m': 'v'.repeat(2048) },
        400,
        'MetadataTooLarge',
      ],
      [
        'into an unknown storage class',
        '/source/object',
        { 'x-amz-storage-class': 'PLATINUM' },
        400,
        'InvalidStorageClass',
      ],
      [
        'with a checksum that would have to be computed',
        '/source/object',
        { 'x-amz-checksum-algorithm': 'SHA256' },
        501,
        'NotImplemented',
      ],
      [
        'with a condition on the target that is none',
        '/source/object',
        { 'if-none-match': '"x"' },
        501,
        'NotImplemented',
      ],
      [
        'with encryption',
        '/source/object',
        { 'x-amz-copy-source-server-side-encryption-customer-algorithm': 'AES256' },
        501,
        'NotImplemented',
      ],
    ] as const) {
      it(what, async () => {
        expectAnswer(await copy('/copies/refused', source, headers), status, code);
        await expectNothingAt('/copies/refused');
      });
    }

    it('names the source when that is missing, and the target when that is', async () => {
      const key = await copy('/copies/refused', '/source/absent');
      expectNamed(key, 'source', 'absent');
      const bucket = await copy('/copies/refused', '/absent/object');
      expectNamed(bucket, 'absent', 'object');
      const target = await copy('/nowhere/refused', '/source/object');
      expect(target.code).to.equal('NoSuchBucket');
      expectNamed(target, 'nowhere', 'refused');
    });
  });

  it('gives a checksum of the same algorithm when the client asks for it', async () => {
    const asked = { 'x-amz-checksum-algorithm': 'crc32' };
    expect((await copy('/copies/same', '/source/object', asked)).status).to.equal(200);
  });

  it('is one of the written bodies, whole, while the source is overwritten', async () => {
    const bodies = ['a', 'b', 'c'].map((letter) => letter.repeat(200_000));
    await s3().put('/source/busy', bodies[0] ?? '');
    const writer = new S3TestClient(service());
    let writing = true;
    const writes = (async () => {
      while (writing) for (const body of bodies) await writer.put('/source/busy', body);
    })();
    try {
      for (let round = 0; round < 40; round++) {
        const answer = await copy('/copies/busy', '/source/busy');
        expect(answer.status).to.be.oneOf([200, 409]);
        if (answer.status === 409) continue;
        const got = await s3().get('/copies/busy');
        expect(bodies).to.include(got.text);
        const md5 = createHash('md5').update(got.body).digest('hex');
        expect(answer.text).to.contain(md5);
      }
    } finally {
      writing = false;
      await writes;
      await writer.close();
    }
  });
});

function expectNamed({ text }: S3Answer, bucket: string, key: string): void {
  expect(text).to.contain(`<BucketName>${bucket}</BucketName>`).and.contain(`<Key>${key}</Key>`);
}
