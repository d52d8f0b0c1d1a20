import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { type Client, CopyConditions } from 'minio';
import { minioClient, useBench } from './harness.js';
import { bodyOf, ODD_KEYS } from './odd-keys.js';

describe('client: minio, copies, multi-delete and tags', function () {
  const bench = useBench(this);
  let minio: Client;

  before(async () => {
    minio = minioClient(bench().service);
    await minio.makeBucket('copies');
    await minio.makeBucket('targets');
  });

  async function listAll(): Promise<string[]> {
    const names: string[] = [];
    for await (const item of minio.listObjectsV2('copies', '', true)) {
      names.push((item as { name: string }).name);
    }
    return names;
  }

  it('copies objects of odd keys, and removes thousands at once', async () => {
    for (const key of ODD_KEYS) {
      await minio.putObject('copies', key, bodyOf(key));
      await minio.copyObject('targets', key, `/copies/${key}`);
      const copied = await minio.getObject('targets', key);
      expect(await text(copied)).to.equal(bodyOf(key));
    }
    const missing = Array.from({ length: 1500 }, (_, i) => `missing-${i}`);
    const present = await listAll();
    expect(present).to.have.length(ODD_KEYS.length);
    await minio.removeObjects('copies', [...missing, ...present]);
    expect(await listAll()).to.deep.equal([]);
  });

  it('copies under conditions', async () => {
    const { etag } = await minio.putObject('copies', 'source', 'x');
    const copy = async (conditions: CopyConditions): Promise<string> => {
      try {
        await minio.copyObject('copies', 'target', '/copies/source', conditions);
        return 'copied';
      } catch (error) {
        return (error as { code: string }).code;
      }
    };
    const matching = new CopyConditions();
    matching.setMatchETag(etag);
    expect(await copy(matching)).to.equal('copied');
    const different = new CopyConditions();
    different.setMatchETagExcept(etag);
    expect(await copy(different)).to.equal('PreconditionFailed');
  });

  it('sets, gets and removes tags of objects and buckets', async () => {
    const tags = { colour: 'brown fox', empty: '' };
    const expected = [
      { Key: 'colour', Value: 'brown fox' },
      { Key: 'empty', Value: '' },
    ];
    await minio.putObject('copies', 'tagged', 'x');
    await minio.setObjectTagging('copies', 'tagged', tags);
    expect(await minio.getObjectTagging('copies', 'tagged')).to.deep.equal(expected);
    await minio.removeObjectTagging('copies', 'tagged', { versionId: 'null' });
    expect(await minio.getObjectTagging('copies', 'tagged')).to.be.empty;

    await minio.setBucketTagging('copies', tags);
    expect(await minio.getBucketTagging('copies')).to.deep.equal(expected);
    await minio.removeBucketTagging('copies');
    const none: unknown = await minio.getBucketTagging('copies').catch((error: unknown) => error);
    expect(none).to.have.property('code', 'NoSuchTagSet');
  });
});
