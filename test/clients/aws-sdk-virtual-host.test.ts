import { Agent, request, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import type { LookupFunction } from 'node:net';
import { text } from 'node:stream/consumers';
import { GetObjectCommand, S3 } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { expect } from 'chai';
import { useBench } from './harness.js';
import { bodyOf, ODD_KEYS } from './odd-keys.js';

/** Names below localhost are the loopback (RFC 6761), which resolvers do not all know. */
const toLoopback: LookupFunction = (_name, options, done) => {
  if (options.all === true) done(null, [{ address: '127.0.0.1', family: 4 }]);
  else done(null, '127.0.0.1', 4);
};

/** All defaults but the endpoint: so virtual-host style. */
describe('client: @aws-sdk/client-s3, virtual-host style', function () {
  const bench = useBench(this, { config: { base_domains: ['s3.localhost'] } });
  const agent = new Agent({ keepAlive: true, lookup: toLoopback });
  let s3: S3;

  before(() => {
    const { endpoint, accessKey, secretKey } = bench().service;
    s3 = new S3({
      endpoint: endpoint.replace('127.0.0.1', 's3.localhost'),
      region: 'us-east-1',
      credentials: { accessKeyId: accessKey, secretAccessKey: secretKey },
      requestHandler: { httpAgent: agent },
    });
  });

  after(() => {
    s3.destroy();
    agent.destroy();
  });

  for (const Bucket of ['virtual', 'with.dots-in-it']) {
    it(`round-trips odd keys in the bucket ${Bucket}`, async () => {
      await s3.createBucket({ Bucket });
      for (const Key of ODD_KEYS) {
        await s3.putObject({ Bucket, Key, Body: bodyOf(Key) });
      }
      for (const Key of ODD_KEYS) {
        const { Body } = await s3.getObject({ Bucket, Key });
        expect(await Body?.transformToString()).to.equal(bodyOf(Key));
      }
      const { Contents = [] } = await s3.listObjectsV2({ Bucket });
      expect(Contents.map(({ Key }) => Key)).to.have.members(ODD_KEYS);
      for (const Key of ODD_KEYS) await s3.deleteObject({ Bucket, Key });
      await s3.deleteBucket({ Bucket });
    });
  }

  it('presigns, with the bucket in the host', async () => {
    const object = { Bucket: 'presigned', Key: 'a+b c' };
    await s3.createBucket({ Bucket: object.Bucket });
    await s3.putObject({ ...object, Body: 'by URL' });
    const url = await getSignedUrl(s3, new GetObjectCommand(object), { expiresIn: 60 });
    expect(url).to.match(/^http:\/\/presigned\.s3\.localhost:/);
    const sent = request(url, { agent }).end();
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    expect(await text(answer)).to.equal('by URL');
  });
});
