import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { eventually } from '../support/eventually.js';
import { useOnce } from '../support/fixture.js';
import { describeWith } from '../support/needs.js';
import type { S3Answer } from '../support/s3-client.js';
import { sharedSwiftLab } from '../support/shared-swift-lab.js';
import type { SwiftAnswer } from '../support/swift-client.js';
import { SWIFT_NEEDS } from '../support/swift-lab.js';
import { complete, initiate, uploadPart } from './drop-in.js';
import { ENABLED, s3Of, useGateway, useSwiftClient } from './support.js';

const LARGE = randomBytes(2000);
const QUOTA = '1000';
/** No other suite writes there. */
const ACCOUNT = '/v1/AUTH_test6';

describeWith(SWIFT_NEEDS, 'quotas of Swift, for what comes through the gateway', function () {
  this.timeout(120_000);

  const lab = useOnce(sharedSwiftLab);
  // Looks of the gateway after its buckets would have proxies keep what they read a moment before a
  // quota was set.
  const { service } = useGateway(lab, { swift_container_cache_ms: 60_000 });
  const ours = useOnce(() => s3Of(lab(), service().endpoint, 'test6:tester6'), 'close');
  const theirs = useOnce(() => s3Of(lab(), lab().state.s3api, 'test6:tester6'), 'close');
  const admin = useSwiftClient(lab, 'admin:admin');

  async function setAccountQuota(bytes: string): Promise<void> {
    const name = 'x-account-meta-quota-bytes';
    expect((await admin().send('POST', ACCOUNT, { headers: { [name]: bytes } })).status).to.equal(
      204,
    );
    await known(ACCOUNT, ({ headers }) => (headers[name] ?? '') === bytes);
  }

  async function setBucketQuota(bucket: string, kind: 'bytes' | 'count', value: string) {
    const name = `x-container-meta-quota-${kind}`;
    const path = `${ACCOUNT}/${bucket}`;
    const { status } = await admin().send('POST', path, { headers: { [name]: value } });
    expect(status).to.equal(204);
    await known(path, ({ headers }) => headers[name] === value);
  }

  /**
   * Resolves when proxies go by what holds: a HEAD asks one of three servers, of which the last may
   * hear of a change after it was acknowledged, and proxies keep its answer.
   */
  async function known(path: string, holds: (answer: SwiftAnswer) => boolean): Promise<void> {
    await eventually(() => admin().send('HEAD', path), holds);
  }

  async function makeBucket(options: { versions?: boolean } = {}): Promise<string> {
    const bucket = `quota-${randomBytes(5).toString('hex')}`;
    expectDone(await ours().put(`/${bucket}`));
    if (options.versions === true) expectDone(await ours().put(`/${bucket}?versioning`, ENABLED));
    return bucket;
  }

  describe('of an account', () => {
    let plain: string;
    let versioned: string;
    let upload: { path: string; id: string };
    let partEtag: string;

    before(async () => {
      plain = await makeBucket();
      versioned = await makeBucket({ versions: true });
      for (const bucket of [plain, versioned])
        expectDone(await ours().put(`/${bucket}/old`, LARGE));
      upload = { path: `/${plain}/parts`, id: await initiate(ours(), `/${plain}/parts`) };
      partEtag = await uploadPart(ours(), upload.path, upload.id, 1, Buffer.from('a part'));
    });

    beforeEach(() => setAccountQuota(QUOTA));
    afterEach(() => setAccountQuota(''));

    it('holds for a PUT, with the answer of s3api', async () => {
      expectOver(await ours().put(`/${plain}/new`, LARGE));
      expectOver(await theirs().put(`/${plain}/new`, LARGE));
      expect((await ours().head(`/${plain}/new`)).status).to.equal(404);
      expectDone(await ours().put(`/${plain}/small`, Buffer.alloc(10)));
    });

    it('holds for a body that is streamed', async () => {
      expectOver(await ours().put(`/${plain}/stream`, randomBytes(200_000)));
    });

    it('holds for a part, and lets a small upload be completed', async () => {
      const query = `partNumber=2&uploadId=${encodeURIComponent(upload.id)}`;
      expectOver(await ours().put(`${upload.path}?${query}`, LARGE));
      await complete(ours(), upload.path, upload.id, [partEtag]);
      expect((await ours().get(upload.path)).text).to.equal('a part');
    });

    it('holds for copies', async () => {
      const headers = { 'x-amz-copy-source': `/${plain}/old` };
      expectOver(await ours().send({ method: 'PUT', path: `/${plain}/copy`, headers }));
      expectOver(await ours().send({ method: 'PUT', path: `/${versioned}/copy`, headers }));
    });

    it('holds for a new version, and leaves the old one', async () => {
      expectOver(await ours().put(`/${versioned}/old`, randomBytes(2000)));
      expect((await ours().get(`/${versioned}/old`)).body.equals(LARGE)).to.equal(true);
    });

    it('lets everything be deleted', async () => {
      await setAccountQuota('0');
      expectOver(await ours().put(`/${plain}/one-byte`, Buffer.alloc(1)));
      const marker = await ours().delete(`/${versioned}/old`);
      expectDone(marker);
      expect(marker.headers['x-amz-delete-marker']).to.equal('true');
      for (const id of await versionIds(versioned)) {
        expectDone(await ours().delete(`/${versioned}/old?versionId=${id}`));
      }
      expect(await versionIds(versioned)).to.deep.equal([]);
      expectDone(await ours().delete(`/${plain}/old`));
      expect((await ours().head(`/${plain}/old`)).status).to.equal(404);
    });
  });

  describe('of a bucket', () => {
    it('holds in bytes for objects, parts and versions', async () => {
      const [plain, versioned] = [await makeBucket(), await makeBucket({ versions: true })];
      for (const bucket of [plain, versioned]) await setBucketQuota(bucket, 'bytes', QUOTA);
      expectOver(await ours().put(`/${plain}/a`, LARGE));
      const path = `/${plain}/parts`;
      const id = encodeURIComponent(await initiate(ours(), path));
      expectOver(await ours().put(`${path}?partNumber=1&uploadId=${id}`, LARGE));
      expectOver(await ours().put(`/${versioned}/a`, LARGE));
      expectDone(await ours().put(`/${versioned}/a`, Buffer.alloc(10)));
    });

    it('counts the bytes of earlier parts and versions', async () => {
      const bucket = await makeBucket({ versions: true });
      for (let version = 1; version <= 2; version++) {
        expectDone(await ours().put(`/${bucket}/a`, Buffer.alloc(600)));
      }
      await known(`${ACCOUNT}/${bucket}+versions`, ({ headers }) => {
        return Number(headers['x-container-bytes-used']) >= 600;
      });
      await setBucketQuota(bucket, 'bytes', QUOTA);
      expectOver(await ours().put(`/${bucket}/b`, Buffer.alloc(10)));
    });

    it('holds in objects for new keys with versions, and lets them be deleted', async () => {
      const bucket = await makeBucket({ versions: true });
      expectDone(await ours().put(`/${bucket}/first`, 'x'));
      await setBucketQuota(bucket, 'count', '1');
      await known(`${ACCOUNT}/${bucket}`, ({ headers }) => {
        return headers['x-container-object-count'] === '1';
      });
      expectOver(await ours().put(`/${bucket}/second`, 'x'));
      expect((await ours().head(`/${bucket}/second`)).status).to.equal(404);
      expectDone(await ours().delete(`/${bucket}/first`));
    });
  });

  async function versionIds(bucket: string): Promise<string[]> {
    const { text } = await ours().get(`/${bucket}?versions`);
    return [...text.matchAll(/<VersionId>([^<]+)</gu)].map(([, id]) => id!);
  }
});

function expectOver({ status, code, text }: S3Answer): void {
  expect([status, code], text).to.deep.equal([400, 'EntityTooLarge']);
}

function expectDone({ status, text }: S3Answer): void {
  expect(status, text).to.be.oneOf([200, 204]);
}
