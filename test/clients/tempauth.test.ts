import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GetObjectCommand } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { expect } from 'chai';
import { request } from 'undici';
import { describeWith, program } from '../support/needs.js';
import type { Service } from '../support/service.js';
import { sdkOf, useBench, type ClientBench } from './harness.js';
import { useAwsCli, useRclone, useS3cmd } from './programs.js';

const CONF = join(process.cwd(), 'test/clients/tempauth.conf');
/** Short, and with a colon in the access key: as Swift's s3api has them. */
const ACCESS_KEY = 'test:tester';
const SECRET_KEY = 'testing';

const NEEDS = [program('aws'), program('rclone'), program('s3cmd')];

describeWith(NEEDS, 'client: access keys of tempauth', function () {
  const started = useBench(this, {
    config: { credentials_source: 'tempauth', tempauth_conf: CONF },
  });
  const bench = (): ClientBench => {
    const { folder, service } = started();
    const as = { accessKey: { value: ACCESS_KEY }, secretKey: { value: SECRET_KEY } };
    return { folder, service: Object.create(service, as) as Service };
  };
  const aws = useAwsCli(bench);
  const rclone = useRclone(bench);
  const s3cmd = useS3cmd(bench);

  before(() => writeFile(join(bench().folder, 'file'), 'by a client'));

  it('are taken from the AWS SDK, in headers and in presigned URLs', async () => {
    const s3 = sdkOf(bench().service);
    const object = { Bucket: 'sdk', Key: 'key' };
    await s3.createBucket({ Bucket: 'sdk' });
    await s3.putObject({ ...object, Body: 'by the SDK' });
    const url = await getSignedUrl(s3, new GetObjectCommand(object));
    expect(url).to.include('X-Amz-Credential=test%3Atester%2F');
    expect(await (await request(url)).body.text()).to.equal('by the SDK');
    const forged = url.replace('test%3Atester%2F', 'test%3Atester2%2F');
    expect((await request(forged)).statusCode).to.equal(403);
    s3.destroy();
  });

  it('are taken from aws cli', async () => {
    await aws('s3', 'mb', 's3://cli');
    await aws('s3', 'cp', 'file', 's3://cli/key');
    const { stdout } = await aws('s3', 'cp', 's3://cli/key', '-');
    expect(stdout).to.equal('by a client');
    const url = (await aws('s3', 'presign', 's3://cli/key')).stdout.trim();
    expect(await (await request(url)).body.text()).to.equal('by a client');
  });

  it('are taken from rclone', async () => {
    await rclone('copyto', 'file', 'rw:rclone/key');
    expect((await rclone('cat', 'rw:rclone/key')).stdout).to.equal('by a client');
  });

  it('are taken from s3cmd', async () => {
    await s3cmd('mb', 's3://s3cmd');
    await s3cmd('put', 'file', 's3://s3cmd/key');
    await s3cmd('get', 's3://s3cmd/key', 'copy');
    expect(await readFile(join(bench().folder, 'copy'), 'utf8')).to.equal('by a client');
  });

  it('are taken from s3cmd with version 2, also in signed URLs', async () => {
    const v2 = (...args: string[]) => s3cmd('--signature-v2', ...args);
    await v2('put', 'file', 's3://s3cmd/v2');
    expect((await v2('ls', 's3://s3cmd')).stdout).to.include('s3://s3cmd/v2');
    const url = (await v2('signurl', 's3://s3cmd/v2', '+600')).stdout.trim();
    expect(url).to.match(/AWSAccessKeyId=test(?::|%3A)tester/);
    expect(await (await request(url)).body.text()).to.equal('by a client');
  });
});
