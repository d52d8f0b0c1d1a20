import { statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { mountTmpfs } from '../backend/embedded/tmpfs.js';
import { seededBytes } from '../backend/embedded/support.js';
import { describeWith } from '../support/needs.js';
import { S3TestClient } from '../support/s3-client.js';
import { type Service, startService } from '../support/service.js';
import { useTempFolder } from '../support/temp-folder.js';

const ROOT = { name: 'root, to mount a tmpfs', isMet: () => process.getuid?.() === 0 };

const MIB = 1024 * 1024;

describeWith([ROOT], 'a service on a device that others fill', () => {
  const file = seededBytes(MIB, 1);
  const small = seededBytes(20_000, 2);
  const folder = useTempFolder('full');
  let mount: { unmount(): void } | undefined;
  let service: Service | undefined;
  let s3: S3TestClient;
  let listeners: number[];

  beforeEach(async () => {
    mount = mountTmpfs(folder(), 'size=128m');
    if (mount === undefined) throw new Error('root cannot mount a tmpfs here');
    await start();
    await s3.put('/bucket');
    await s3.put('/bucket/file', file);
    await s3.put('/bucket/small', small);
  });

  afterEach(async () => {
    await s3.close();
    await service?.stop();
    mount?.unmount();
  });

  async function start(): Promise<void> {
    service = await startService({ dataDir: join(folder(), 'data') });
    s3 = new S3TestClient(service);
    listeners = service.pids();
  }

  /** Somebody else's file takes all the room but this. */
  function fill(leaveBytes: number): void {
    const ballast = join(folder(), 'ballast');
    writeFileSync(ballast, '');
    const { bavail, bsize } = statfsSync(folder());
    writeFileSync(ballast, Buffer.alloc(Math.max(0, bavail * bsize - leaveBytes)));
  }

  /** Who crashed would have been replaced. */
  function expectNoCrash(): void {
    expect(service?.pids()).to.deep.equal(listeners);
  }

  it('goes on, refuses writes, and takes them again when there is room', async () => {
    fill(0);
    for (let i = 0; i < 6; i++) {
      // Creating a bucket reaches the index whatever the room; a put does before anybody has looked.
      expect((await s3.put(`/bucket/new-${i}`, small)).status).to.equal(507);
      expect((await s3.put(`/bucket-${i}`)).status).to.equal(507);
    }
    expect((await s3.put('/bucket/large', file)).status).to.equal(507);
    expect((await s3.get('/bucket/file')).body.equals(file)).to.be.true;
    expect((await s3.get('/bucket/small')).body.equals(small)).to.be.true;
    expectNoCrash();

    fill(4 * MIB);
    expect((await s3.put('/bucket/new', small)).status).to.equal(507);
    for (const name of ['file', 'small']) {
      expect((await s3.delete(`/bucket/${name}`)).status).to.equal(204);
      expect((await s3.get(`/bucket/${name}`)).status).to.equal(404);
    }
    expectNoCrash();

    fill(64 * MIB);
    expect((await s3.put('/bucket/new', small)).status).to.equal(200);
    expect((await s3.put('/bucket/large', file)).status).to.equal(200);
    expect((await s3.get('/bucket/large')).body.equals(file)).to.be.true;
    expectNoCrash();
  });

  it('can be emptied of versions', async () => {
    const enabled = '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>';
    expect((await s3.put('/bucket?versioning', enabled)).status).to.equal(200);
    const put = async (): Promise<string> => {
      const { status, headers } = await s3.put('/bucket/file', file);
      expect(status).to.equal(200);
      return headers['x-amz-version-id'] ?? '';
    };
    const older = await put();
    const newer = await put();
    fill(4 * MIB);
    // Of a large one, the store looks; and small ones go by that.
    expect((await s3.put('/bucket/file', file)).status).to.equal(507);
    for (const id of [newer, older, 'null']) {
      expect((await s3.delete(`/bucket/file?versionId=${id}`)).status, id).to.equal(204);
    }
    expect((await s3.get('/bucket/file')).status).to.equal(404);
    expect((await s3.delete('/bucket/small?versionId=null')).status).to.equal(204);
    expect((await s3.get('/bucket/small')).status).to.equal(404);
    expect((await s3.delete('/bucket')).status).to.equal(204);
    expectNoCrash();
  });

  for (const leaveBytes of [0, 128 * 1024]) {
    it(`starts again with ${leaveBytes} bytes free, to be read and emptied`, async () => {
      await s3.close();
      // So that there is something to recover.
      await service?.kill9();
      fill(leaveBytes);
      await start();
      expect((await s3.put('/bucket/new', small)).status).to.equal(507);
      expect((await s3.get('/bucket/file')).body.equals(file)).to.be.true;
      expect((await s3.delete('/bucket/file')).status).to.equal(204);
      expect((await s3.get('/bucket/small')).body.equals(small)).to.be.true;
      expectNoCrash();
    });
  }
});
