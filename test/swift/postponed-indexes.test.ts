import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { useOnce } from '../support/fixture.js';
import { describeWith } from '../support/needs.js';
import type { S3TestClient } from '../support/s3-client.js';
import { startService, type Service } from '../support/service.js';
import { sharedSwiftLab } from '../support/shared-swift-lab.js';
import { SWIFT_NEEDS } from '../support/swift-lab.js';
import { ENABLED, s3Of, useSwiftClient } from './support.js';

const VERSIONS = 6;

/** docs/versions.md, "On Swift": the index of a key may be written later than its commits. */
describeWith(SWIFT_NEEDS, 'indexes of versions that wait in a listener', function () {
  this.timeout(120_000);

  const bucket = `late-${randomBytes(5).toString('hex')}`;
  const lab = useOnce(sharedSwiftLab);
  const swift = useSwiftClient(lab);
  let service: Service;
  let s3: S3TestClient;

  before(async () => {
    await start();
    expect((await s3.put(`/${bucket}`)).status).to.equal(200);
    expect((await s3.put(`/${bucket}?versioning`, ENABLED)).status).to.equal(200);
  });

  after(async () => {
    await s3.close();
    await service.stop();
  });

  async function start(): Promise<void> {
    const config = { ...lab().gatewayKeys(), janitor_interval_ms: 0 };
    service = await startService({ config, listeners: 1 });
    s3 = s3Of(lab(), service.endpoint);
  }

  /** @returns their ids, the newest first */
  async function putVersions(key: string): Promise<string[]> {
    const ids: string[] = [];
    for (let i = 0; i < VERSIONS; i++) {
      const { status, headers, text } = await s3.put(`/${bucket}/${key}`, `version ${i}`);
      expect(status, text).to.equal(200);
      ids.unshift(String(headers['x-amz-version-id']));
    }
    return ids;
  }

  /** Of the index as it is stored, as a client of Swift reads it. */
  async function storedGeneration(key: string): Promise<number> {
    const hex = Buffer.from(key).toString('hex');
    const path = `/v1/AUTH_test/${bucket}%2Bversions/${hex}/index.json`;
    const { status, text } = await swift().send('GET', path, { headers: { 'x-newest': 'true' } });
    expect(status, text).to.equal(200);
    return (JSON.parse(text) as { generation: number }).generation;
  }

  async function listedIds(key: string): Promise<string[]> {
    const { text } = await s3.get(`/${bucket}?versions&prefix=${key}`);
    return [...text.matchAll(/<VersionId>([0-9a-f]{32})<\/VersionId>/g)].map(([, id]) =>
      String(id),
    );
  }

  it('are made up for by readers, when the listener is killed', async () => {
    const ids = await putVersions('killed');
    await service.kill9();
    await s3.close();
    await start();
    expect(await listedIds('killed')).to.deep.equal(ids);
    for (const [place, id] of ids.entries()) {
      const { status, text } = await s3.get(`/${bucket}/killed?versionId=${id}`);
      expect([status, text]).to.deep.equal([200, `version ${VERSIONS - 1 - place}`]);
    }
    expect((await s3.get(`/${bucket}/killed`)).text).to.equal(`version ${VERSIONS - 1}`);
    expect(await storedGeneration('killed')).to.equal(VERSIONS);
  });

  it('are written by a listener that is drained', async () => {
    await putVersions('drained');
    await service.stop();
    await s3.close();
    expect(await storedGeneration('drained')).to.equal(VERSIONS);
    await start();
  });
});
