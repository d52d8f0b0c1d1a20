import { join } from 'node:path';
import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  HeadObjectCommand,
  RestoreObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { expect } from 'chai';
import { loadConfig } from '../../src/config/load.js';
import { AccountJanitor, type Observer } from '../../src/janitor/account-janitor.js';
import { janitorDeps } from '../../src/janitor/assemble.js';
import { SYSTEM_CLOCK } from '../../src/janitor/clock.js';
import { UNCHECKED } from '../../src/clock/index.js';
import { openStore } from '../../src/processes/open-store.js';
import { seededBytes } from '../backend/embedded/support.js';
import type { ProgramResult } from '../support/programs.js';
import { readXml, S3TestClient, type S3Answer } from '../support/s3-client.js';
import { startService, type Service } from '../support/service.js';
import { useTempFolderOnce } from '../support/temp-folder.js';
import { janitorDryRun, janitorOnce, linesOf } from './janitor-once.js';
import { sdkOf } from './multipart-bench.js';
import { expectAnswer, versioning } from './versions/bench.js';

const MIB = 1024 * 1024;
const MINUTE_MS = 60_000;
const COLD = { 'x-amz-storage-class': 'GLACIER' };
const RESTORED = /^ongoing-request="false", expiry-date="\w{3}, \d\d \w{3} \d{4} 00:00:00 GMT"$/;

const CONFIG = {
  cold_storage_classes: ['GLACIER:3'],
  cold_backend: 'directory',
  delete_hot: true,
  cold_sweep_age_ms: 0,
  segment_grace_ms: 0,
  janitor_interval_ms: 0,
};

/** Due at once: the only rule that is, for objects that were just written. */
const RULES =
  '<LifecycleConfiguration><Rule><ID>past</ID><Filter><Prefix>logs/</Prefix></Filter>' +
  '<Status>Enabled</Status><Transition><Date>2020-01-01T00:00:00Z</Date>' +
  '<StorageClass>GLACIER</StorageClass></Transition></Rule></LifecycleConfiguration>';

function restoreOf(days: number): string {
  return `<RestoreRequest><Days>${days}</Days></RestoreRequest>`;
}

describe('cold tier over the wire', function () {
  this.timeout(60_000);
  const folder = useTempFolderOnce('cold-tier');
  let service: Service;
  let s3: S3TestClient;

  before(async () => {
    await start();
    await s3.put('/cold');
    await s3.put('/cold?lifecycle', RULES);
  });

  after(async () => {
    await s3.close();
    expect(await service.stop()).to.equal(0);
  });

  async function start(): Promise<void> {
    service = await startService({ dataDir: join(folder(), 'data'), config: CONFIG });
    s3 = new S3TestClient(service);
  }

  /** A pass beside the service, a minute later, by a janitor in this process. @returns what it did, in order */
  async function janitor(): Promise<string[]> {
    const { options } = loadConfig({
      flags: { ...CONFIG, data_dir: service.dataDir },
      cwd: folder(),
    });
    const { backend: store } = await openStore(options, []);
    const told: string[] = [];
    const failed = (...args: readonly unknown[]): void => void told.push(args.join(' '));
    const observer: Observer = {
      report: ({ action, key }, outcome) => told.push(`${action} ${outcome} ${key}`),
      looked: () => undefined,
      unreadable: failed,
      interrupted: failed,
    };
    const parts = {
      ...(await janitorDeps(options, store, observer, UNCHECKED)),
      // Objects just written are old by then, also where the clock was set back meanwhile.
      clock: { ...SYSTEM_CLOCK, now: () => Date.now() + MINUTE_MS },
    };
    await new AccountJanitor(parts, 'AUTH_main').visit(new AbortController().signal, 'now');
    await store.close();
    return told.sort();
  }

  /** Two passes, which have nothing else to do. */
  async function archiveAndRelease(key: string): Promise<void> {
    for (const what of ['archive', 'release']) {
      expect(await janitor()).to.deep.equal([`${what} done ${key}`]);
    }
  }

  /** Of `ringway janitor`, beside the service. */
  function acts(result: ProgramResult): string[] {
    const lines = linesOf(result).slice(0, -1);
    return lines.map((line) => [line.action, line.outcome, line.key].join(' ')).sort();
  }

  function restore(path: string, days = 1): Promise<S3Answer> {
    return s3.send({ method: 'POST', path: `${path}?restore`, body: restoreOf(days) });
  }

  async function listedAt(key: string): Promise<Readonly<Record<string, string>>> {
    const { text } = await s3.get(`/cold?prefix=${key}&max-keys=1`);
    const { ListBucketResult: page } = readXml(text) as {
      ListBucketResult: { Contents: Readonly<Record<string, string>>[] };
    };
    return page.Contents[0] ?? {};
  }

  async function expectCold(path: string): Promise<void> {
    expectAnswer(await s3.get(path), 400, 'InvalidObjectState');
    expectAnswer(await s3.get(path, { range: 'bytes=0-1' }), 400, 'InvalidObjectState');
    const head = await s3.head(path);
    expect([head.status, head.text]).to.deep.equal([400, '']);
    const partOf = `${path}${path.includes('?') ? '&' : '?'}partNumber=1`;
    for (const method of ['GET', 'HEAD']) {
      expect((await s3.send({ method, path: partOf })).status).to.equal(400);
    }
    const copied = await s3.put('/cold/copy', '', { 'x-amz-copy-source': path });
    expectAnswer(copied, 400, 'InvalidObjectState');
    expectAnswer(await s3.get('/cold/copy'), 404, 'NoSuchKey');
  }

  it('takes an object through all of its states', async () => {
    const bytes = seededBytes(3 * MIB, 1);
    await s3.put('/cold/logs/a', bytes, { 'x-amz-meta-title': 'kept' });
    const before = await s3.head('/cold/logs/a');
    const entry = await listedAt('logs/a');
    expect(acts(await janitorDryRun(service, CONFIG))).to.deep.equal(['transition planned logs/a']);
    expect(acts(await janitorOnce(service, CONFIG))).to.deep.equal([
      'archive done logs/a',
      'transition done logs/a',
    ]);
    await expectCold('/cold/logs/a');
    expect((await s3.get('/cold/logs/a')).text).to.contain('<StorageClass>GLACIER</StorageClass>');
    expect(await janitor()).to.deep.equal(['release done logs/a']);
    await expectCold('/cold/logs/a');
    expect(await listedAt('logs/a')).to.deep.equal({ ...entry, StorageClass: 'GLACIER' });
    expect(await janitor()).to.deep.equal([]);

    const restored = await restore('/cold/logs/a', 2);
    expect([restored.status, restored.text]).to.deep.equal([202, '']);
    const got = await s3.get('/cold/logs/a');
    expect(got.body.equals(bytes)).to.be.true;
    expect(got.headers['x-amz-restore']).to.match(RESTORED);
    const head = await s3.head('/cold/logs/a');
    expect(head.headers).to.deep.include({
      etag: before.headers.etag,
      'last-modified': before.headers['last-modified'],
      'x-amz-meta-title': 'kept',
      'x-amz-storage-class': 'GLACIER',
      'x-amz-restore': got.headers['x-amz-restore'],
    });
    const again = await restore('/cold/logs/a', 30);
    expect(again.status).to.equal(200);
    const later = (await s3.head('/cold/logs/a')).headers['x-amz-restore'];
    expect(later).to.match(RESTORED).and.not.equal(got.headers['x-amz-restore']);
    expect(await janitor(), 'while the window is open').to.deep.equal([]);

    const warm = { 'x-amz-copy-source': '/cold/logs/a', 'x-amz-storage-class': 'STANDARD' };
    expect((await s3.put('/cold/logs/a', '', warm)).status).to.equal(200);
    expect((await s3.get('/cold/logs/a')).headers).to.not.have.property('x-amz-restore');
    await s3.delete('/cold/logs/a');
    expect(await janitor()).to.deep.equal(['discard done logs/a']);
  });

  it('takes what is written with a cold class for cold, and what replaces it for new', async () => {
    expect((await s3.put('/cold/direct', 'body', COLD)).status).to.equal(200);
    await expectCold('/cold/direct');
    expect(await janitor()).to.deep.equal(['archive done direct']);
    expect((await restore('/cold/direct')).status).to.equal(202);
    expect((await s3.get('/cold/direct')).text).to.equal('body');
    expect((await s3.put('/cold/direct', 'warm')).status).to.equal(200);
    expect((await s3.get('/cold/direct')).text).to.equal('warm');
    expect(await janitor()).to.deep.equal(['discard done direct']);
  });

  it('answers restores that make no sense as AWS does', async () => {
    await s3.put('/cold/warm', 'x');
    await s3.put('/cold/due', 'x', COLD);
    for (const [path, body, status, code] of [
      ['/cold/warm', restoreOf(1), 400, 'InvalidObjectState'],
      ['/cold/missing', restoreOf(1), 404, 'NoSuchKey'],
      ['/missing-bucket/key', restoreOf(1), 404, 'NoSuchBucket'],
      ['/cold/due', '', 400, 'MalformedXML'],
      ['/cold/due', restoreOf(0), 400, 'InvalidArgument'],
      ['/cold/due', '<RestoreRequest><Type>SELECT</Type></RestoreRequest>', 501, 'NotImplemented'],
    ] as const) {
      const answer = await s3.send({ method: 'POST', path: `${path}?restore`, body });
      expect([answer.status, answer.code], `${path} ${body}`).to.deep.equal([status, code]);
    }
    await expectCold('/cold/due');
    await s3.delete('/cold/due');
  });

  it('refuses classes that are not in the map', async () => {
    const deep = { 'x-amz-storage-class': 'DEEP_ARCHIVE' };
    expectAnswer(await s3.put('/cold/deep', 'x', deep), 400, 'InvalidStorageClass');
  });

  it('gives a multipart object back to the SDK, part by part, also after a crash', async () => {
    const client = sdkOf(service);
    const target = { Bucket: 'cold', Key: 'large' };
    const parts = [seededBytes(5 * MIB, 2), seededBytes(1000, 3)];
    const { UploadId } = await client.send(
      new CreateMultipartUploadCommand({ ...target, StorageClass: 'GLACIER' }),
    );
    const Parts = [];
    for (const [index, Body] of parts.entries()) {
      const PartNumber = index + 1;
      const part = { ...target, UploadId, PartNumber, Body };
      const { ETag } = await client.send(new UploadPartCommand(part));
      Parts.push({ PartNumber, ETag });
    }
    const completion = { ...target, UploadId, MultipartUpload: { Parts } };
    const { ETag } = await client.send(new CompleteMultipartUploadCommand(completion));
    await archiveAndRelease('large');
    await service.kill9();
    await s3.close();
    await start();
    await expectCold('/cold/large');

    const again = sdkOf(service);
    const RestoreRequest = { Days: 1, GlacierJobParameters: { Tier: 'Expedited' as const } };
    const answer = await again.send(new RestoreObjectCommand({ ...target, RestoreRequest }));
    expect(answer.$metadata.httpStatusCode).to.equal(202);
    const head = await again.send(new HeadObjectCommand({ ...target, PartNumber: 2 }));
    expect(head).to.include({ ETag, PartsCount: 2, ContentLength: 1000, StorageClass: 'GLACIER' });
    expect(head.Restore).to.match(RESTORED);
    const { Body } = await again.send(new GetObjectCommand(target));
    const bytes = Buffer.from((await Body?.transformToByteArray()) ?? []);
    expect(bytes.equals(Buffer.concat(parts))).to.be.true;
    client.destroy();
    again.destroy();
  });

  it('treats each version by itself, and what has become one too', async () => {
    await s3.put('/versions');
    await s3.put('/versions/key', 'null version', COLD);
    await archiveAndRelease('key');
    expect((await s3.put('/versions?versioning', versioning('Enabled'))).status).to.equal(200);
    const first = await s3.put('/versions/key', 'first', COLD);
    const second = await s3.put('/versions/key', 'second');
    const id = first.headers['x-amz-version-id'] ?? '';
    expect((await s3.get('/versions/key')).text).to.equal('second');
    await expectCold(`/versions/key?versionId=null`);
    await expectCold(`/versions/key?versionId=${id}`);
    await archiveAndRelease('key');
    for (const [versionId, text] of [
      ['null', 'null version'],
      [id, 'first'],
    ] as const) {
      const path = `/versions/key?restore&versionId=${versionId}`;
      const restored = await s3.send({ method: 'POST', path, body: restoreOf(1) });
      expect([restored.status, restored.text]).to.deep.equal([202, '']);
      const got = await s3.get(`/versions/key?versionId=${versionId}`);
      expect(got.text).to.equal(text);
      expect(got.headers).to.include({ 'x-amz-version-id': versionId });
      expect(got.headers['x-amz-restore']).to.match(RESTORED);
    }
    expect(await janitor(), 'all copies are in use').to.deep.equal([]);
    await s3.delete(`/versions/key?versionId=${id}`);
    expect(await janitor()).to.deep.equal(['discard done key']);
    expect((await s3.get('/versions/key?versionId=null')).text).to.equal('null version');
    expect((await s3.get('/versions/key')).headers).to.include({
      'x-amz-version-id': second.headers['x-amz-version-id'],
    });
  });

  it('moves the current version of a key', async () => {
    await s3.put('/moved');
    await s3.put('/moved?lifecycle', RULES);
    await s3.put('/moved?versioning', versioning('Enabled'));
    for (const body of ['one', 'two']) await s3.put('/moved/logs/b', body);
    expect(await janitor()).to.deep.equal(['archive done logs/b', 'transition done logs/b']);
    await expectCold('/moved/logs/b');
    expect(await janitor()).to.deep.equal(['release done logs/b']);
    expect(await janitor()).to.deep.equal([]);
    const { text } = await s3.get('/moved?prefix=logs/b');
    expect(text).to.contain('<StorageClass>GLACIER</StorageClass>');
    expect((await restore('/moved/logs/b')).status).to.equal(202);
    expect((await s3.get('/moved/logs/b')).text).to.equal('two');
  });
});

describe('cold tier that was switched off', function () {
  this.timeout(30_000);

  it('restores nothing, and says so', async () => {
    const service = await startService({ listeners: 1 });
    const s3 = new S3TestClient(service);
    await s3.put('/bucket');
    await s3.put('/bucket/key', 'x');
    for (const body of [restoreOf(1), '', 'no xml']) {
      const answer = await s3.send({ method: 'POST', path: '/bucket/key?restore', body });
      expectAnswer(answer, 400, 'InvalidObjectState');
    }
    expect((await s3.put('/bucket/cold', 'x', COLD)).code).to.equal('InvalidStorageClass');
    await s3.close();
    expect(await service.stop()).to.equal(0);
  });
});
