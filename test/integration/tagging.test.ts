import { expect } from 'chai';
import { useOnce } from '../support/fixture.js';
import { S3TestClient } from '../support/s3-client.js';
import { startService, stopCleanly } from '../support/service.js';

const TAGS = [
  ['colour', 'brown'],
  ['a b+c@d', ' =/:_.- '],
  ['日本', 'Größe'],
  ['empty', ''],
] as const;

type TagList = readonly (readonly [key: string, value: string])[];

describe('tagging over the wire', () => {
  const service = useOnce(startService, stopCleanly);
  const s3 = useOnce(() => new S3TestClient(service()), 'close');

  before(async () => {
    await s3().put('/tagged');
  });

  async function tagsOf(path: string): Promise<TagList> {
    const answer = await s3().get(`${path}?tagging`);
    expect([answer.status, answer.headers['content-type']]).to.deep.equal([200, 'application/xml']);
    return [...answer.text.matchAll(/<Tag><Key>([^<]*)<\/Key><Value>([^<]*)<\/Value><\/Tag>/g)].map(
      (match): [string, string] => [match[1] ?? '', match[2] ?? ''],
    );
  }

  describe('of objects', () => {
    it('keeps, replaces and deletes tags, and changes nothing else', async () => {
      const written = { 'x-amz-meta-kept': 'yes', 'x-amz-checksum-crc32': 'y/Q5Jg==' };
      await s3().put('/tagged/object', '123456789', written);
      const checked = { 'x-amz-checksum-mode': 'ENABLED' };
      const before = described((await s3().head('/tagged/object', checked)).headers);
      expect(before).to.not.have.property('x-amz-tagging-count');

      const put = await s3().put('/tagged/object?tagging', documentOf(TAGS));
      expect([put.status, put.text]).to.deep.equal([200, '']);
      expect(await tagsOf('/tagged/object')).to.deep.equal(TAGS);
      const { headers } = await s3().head('/tagged/object', checked);
      expect(headers).to.include({ ...before, 'x-amz-tagging-count': '4' });
      const got = await s3().get('/tagged/object', { range: 'bytes=0-1' });
      expect([got.text, got.headers['x-amz-tagging-count']]).to.deep.equal(['12', '4']);

      await s3().put('/tagged/object?tagging', documentOf([['only', 'one']]));
      expect(await tagsOf('/tagged/object')).to.deep.equal([['only', 'one']]);

      const removed = await s3().delete('/tagged/object?tagging');
      expect([removed.status, removed.text]).to.deep.equal([204, '']);
      expect((await s3().delete('/tagged/object?tagging')).status).to.equal(204);
      expect(await tagsOf('/tagged/object')).to.deep.equal([]);
      const after = await s3().get('/tagged/object', checked);
      expect(after.text).to.equal('123456789');
      expect(after.headers).to.include(before).and.not.have.property('x-amz-tagging-count');
    });

    it('takes an empty set for no tags', async () => {
      await s3().put('/tagged/emptied', '', { 'x-amz-tagging': 'a=b' });
      expect((await s3().put('/tagged/emptied?tagging', documentOf([]))).status).to.equal(200);
      expect(await tagsOf('/tagged/emptied')).to.deep.equal([]);
      const { headers } = await s3().head('/tagged/emptied');
      expect(headers).to.not.have.property('x-amz-tagging-count');
    });

    it('takes tags from the header of a PUT, and drops those of the object before', async () => {
      const tagging =
        'colour=brown&a+b%2Bc%40d=+%3D/:_.-+&%E6%97%A5%E6%9C%AC=Gr%C3%B6%C3%9Fe&empty';
      const headers = { 'x-amz-tagging': tagging, 'x-amz-storage-class': 'STANDARD' };
      expect((await s3().put('/tagged/by-header', 'x', headers)).status).to.equal(200);
      expect(await tagsOf('/tagged/by-header')).to.deep.equal(TAGS);
      await s3().put('/tagged/by-header', 'y');
      expect(await tagsOf('/tagged/by-header')).to.deep.equal([]);
    });

    it('stores nothing of a PUT with tags that cannot be', async () => {
      for (const [tagging, code] of [
        ['a=1&a=2', 'InvalidArgument'],
        ['a=%zz', 'InvalidArgument'],
        ['aws:a=1', 'InvalidTag'],
        [`${'k'.repeat(129)}=v`, 'InvalidTag'],
        [Array.from({ length: 11 }, (_, i) => `k${i}=v`).join('&'), 'BadRequest'],
      ] as const) {
        const answer = await s3().put('/tagged/refused', 'x', { 'x-amz-tagging': tagging });
        expect([answer.status, answer.code], tagging).to.deep.equal([400, code]);
      }
      expect((await s3().head('/tagged/refused')).status).to.equal(404);
    });

    it('changes nothing when the document is refused', async () => {
      await s3().put('/tagged/steady', 'x', { 'x-amz-tagging': 'as=before' });
      const eleven = Array.from({ length: 11 }, (_, i): [string, string] => [`k${i}`, 'v']);
      for (const [body, code] of [
        ['<Tagging/>', 'MalformedXML'],
        ['', 'MalformedXML'],
        [documentOf([['aws:x', 'v']]), 'InvalidTag'],
        [documentOf([['k', 'v'.repeat(257)]]), 'InvalidTag'],
        [documentOf(eleven), 'BadRequest'],
      ] as const) {
        const answer = await s3().put('/tagged/steady?tagging', body);
        expect([answer.status, answer.code], body).to.deep.equal([400, code]);
      }
      const flipped = await s3().put('/tagged/steady?tagging', documentOf(TAGS), {
        'content-md5': 'AAAAAAAAAAAAAAAAAAAAAA==',
      });
      expect(flipped.code).to.equal('BadDigest');
      expect(await tagsOf('/tagged/steady')).to.deep.equal([['as', 'before']]);
    });

    it('knows the null version and no other', async () => {
      await s3().put('/tagged/version', 'x');
      const id = '0123456789abcdef0123456789abcdef';
      const put = (version: string) =>
        s3().put(`/tagged/version?tagging&versionId=${version}`, documentOf([['k', 'v']]));
      expect((await put(id)).code).to.equal('NoSuchVersion');
      expect((await put('what')).code).to.equal('InvalidArgument');
      expect((await s3().get(`/tagged/version?tagging&versionId=${id}`)).code).to.equal(
        'NoSuchVersion',
      );
      expect(await tagsOf('/tagged/version')).to.deep.equal([]);
      expect((await put('null')).status).to.equal(200);
      expect(await tagsOf('/tagged/version')).to.deep.equal([['k', 'v']]);
    });

    it('tells a missing object from a missing bucket', async () => {
      for (const [path, code] of [
        ['/tagged/absent?tagging', 'NoSuchKey'],
        ['/absent/object?tagging', 'NoSuchBucket'],
      ] as const) {
        expect((await s3().get(path)).code).to.equal(code);
        expect((await s3().put(path, documentOf(TAGS))).code).to.equal(code);
        expect((await s3().delete(path)).code).to.equal(code);
      }
    });
  });

  describe('of buckets', () => {
    it('keeps, replaces and deletes tags', async () => {
      const put = await s3().put('/tagged?tagging', documentOf(TAGS));
      expect([put.status, put.text]).to.deep.equal([200, '']);
      expect(await tagsOf('/tagged')).to.deep.equal(TAGS);

      const fifty = Array.from({ length: 50 }, (_, i): [string, string] => [
        `${i}${'k'.repeat(126)}`,
        '日'.repeat(256),
      ]);
      expect((await s3().put('/tagged?tagging', documentOf(fifty))).status).to.equal(200);
      expect(await tagsOf('/tagged')).to.deep.equal(fifty);

      expect((await s3().delete('/tagged?tagging')).status).to.equal(204);
      expect((await s3().delete('/tagged?tagging')).status).to.equal(204);
      const none = await s3().get('/tagged?tagging');
      expect([none.status, none.code]).to.deep.equal([404, 'NoSuchTagSet']);
      expect(none.text).to.contain('<BucketName>tagged</BucketName>');
    });

    it('has no set after an empty one, and is refused more than 50', async () => {
      await s3().put('/tagged?tagging', documentOf(TAGS));
      expect((await s3().put('/tagged?tagging', documentOf([]))).status).to.equal(200);
      expect((await s3().get('/tagged?tagging')).code).to.equal('NoSuchTagSet');
      const many = Array.from({ length: 51 }, (_, i): [string, string] => [`k${i}`, 'v']);
      expect((await s3().put('/tagged?tagging', documentOf(many))).code).to.equal('BadRequest');
      expect((await s3().get('/tagged?tagging')).code).to.equal('NoSuchTagSet');
    });

    it('answers NoSuchBucket for one that is not there', async () => {
      expect((await s3().get('/absent?tagging')).code).to.equal('NoSuchBucket');
      expect((await s3().put('/absent?tagging', documentOf(TAGS))).code).to.equal('NoSuchBucket');
      expect((await s3().delete('/absent?tagging')).code).to.equal('NoSuchBucket');
    });
  });
});

/** The headers that tell of the object, and not of the request. */
function described(headers: Readonly<Record<string, string>>): Record<string, string> {
  const ofRequest = ['date', 'x-amz-request-id', 'x-amz-id-2'];
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !ofRequest.includes(name)));
}

function documentOf(tags: TagList): string {
  const set = tags.map(([key, value]) => `<Tag><Key>${key}</Key><Value>${value}</Value></Tag>`);
  return `<Tagging xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><TagSet>${set.join('')}</TagSet></Tagging>`;
}
