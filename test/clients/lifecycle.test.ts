import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type LifecycleRule } from '@aws-sdk/client-s3';
import { expect } from 'chai';
import { codeOf } from '../support/failure.js';
import { describeWith, program, pythonModule } from '../support/needs.js';
import { minioClient, useBench, useSdk } from './harness.js';
import { runBoto3, useAwsCli, useS3cmd } from './programs.js';

/** Lifecycle rules, set, read back and removed by real clients. */

const RULES: LifecycleRule[] = [
  {
    ID: 'logs & more',
    Status: 'Enabled',
    Filter: { And: { Prefix: 'logs/', Tags: [{ Key: 'kept', Value: 'no' }] } },
    Expiration: { Days: 3 },
  },
  {
    ID: 'uploads',
    Status: 'Disabled',
    Filter: { Prefix: '' },
    AbortIncompleteMultipartUpload: { DaysAfterInitiation: 2 },
  },
];
const EXPIRES = /^expiry-date="\w{3}, \d\d \w{3} \d{4} 00:00:00 GMT", rule-id="logs & more"$/;
const NONE = 'NoSuchLifecycleConfiguration';

describe('lifecycle rules of real clients', function () {
  const bench = useBench(this);

  describeWith([program('aws')], 'client: aws cli, lifecycle rules', () => {
    const aws = useAwsCli(bench);

    it('sets, reads and removes them', async () => {
      const target = ['--bucket', 'ruled-aws-cli'];
      await aws('s3', 'mb', 's3://ruled-aws-cli');
      const rules = ['--lifecycle-configuration', JSON.stringify({ Rules: RULES })];
      await aws.s3api('put-bucket-lifecycle-configuration', ...target, ...rules);
      const found = await aws.s3api('get-bucket-lifecycle-configuration', ...target);
      expect(found.Rules).to.deep.equal(RULES);

      await writeFile(join(bench().folder, 'body'), 'body');
      const key = [...target, '--key', 'logs/a'];
      const put = await aws.s3api('put-object', ...key, '--body', 'body', '--tagging', 'kept=no');
      expect(put.Expiration).to.match(EXPIRES);

      await aws.s3api('delete-bucket-lifecycle', ...target);
      const gone = await aws.attempt('s3api', 'get-bucket-lifecycle-configuration', ...target);
      expect(gone.stderr).to.contain(NONE);
    });
  });

  describeWith([pythonModule('boto3')], 'client: boto3, lifecycle rules', () => {
    it('sets, reads and removes them', async () => {
      const report = await runBoto3<Record<string, unknown>>(bench(), 'lifecycle.py', {
        rules: RULES,
      });
      const { expiration, ...rest } = report;
      expect(expiration).to.match(EXPIRES);
      expect(rest).to.deep.equal({ before: NONE, rules: RULES, after: NONE });
    });
  });

  describeWith([program('s3cmd')], 'client: s3cmd, lifecycle rules', () => {
    const s3cmd = useS3cmd(bench);

    it('sets, reads and removes them', async () => {
      const rule =
        '<Rule><ID>all</ID><Prefix>logs/</Prefix><Status>Enabled</Status>' +
        '<Expiration><Days>5</Days></Expiration></Rule>';
      const document = `<LifecycleConfiguration>${rule}</LifecycleConfiguration>`;
      await writeFile(join(bench().folder, 'rules.xml'), document);
      await s3cmd('mb', 's3://ruled-s3cmd');
      await s3cmd('setlifecycle', 'rules.xml', 's3://ruled-s3cmd');
      const shown = await s3cmd('getlifecycle', 's3://ruled-s3cmd');
      expect(shown.stdout).to.match(/<ID>all<\/ID>[^]*<Days>5<\/Days>/);
      await s3cmd('expire', '--expiry-days=7', '--expiry-prefix=tmp/', 's3://ruled-s3cmd');
      const info = await s3cmd('info', 's3://ruled-s3cmd');
      expect(info.stdout).to.match(/Expiration [Rr]ule.*tmp\//);
      await s3cmd('dellifecycle', 's3://ruled-s3cmd');
      const gone = await s3cmd.attempt('getlifecycle', 's3://ruled-s3cmd');
      expect(gone.stderr).to.contain(NONE);
    });
  });

  describe('client: aws sdk, lifecycle rules', () => {
    const sdk = useSdk(bench);

    it('sets, reads and removes them', async () => {
      const s3 = sdk();
      const Bucket = 'ruled-aws-sdk';
      await s3.createBucket({ Bucket });
      const LifecycleConfiguration = { Rules: RULES };
      await s3.putBucketLifecycleConfiguration({ Bucket, LifecycleConfiguration });
      const read = () => s3.getBucketLifecycleConfiguration({ Bucket });
      expect((await read()).Rules).to.deep.equal(RULES);

      const target = { Bucket, Key: 'logs/a' };
      await s3.putObject({ ...target, Body: 'body', Tagging: 'kept=no' });
      const head = await s3.headObject(target);
      expect(head.Expiration).to.match(EXPIRES);

      await s3.deleteBucketLifecycle({ Bucket });
      expect(await read().catch((error: unknown) => error)).to.have.property('name', NONE);
    });
  });

  describe('client: minio, lifecycle rules', () => {
    it('sets, reads and removes them', async () => {
      const minio = minioClient(bench().service);
      await minio.makeBucket('ruled-minio');
      const rule = {
        ID: 'all',
        Status: 'Enabled',
        Filter: { Prefix: 'a/' },
        Expiration: { Days: 9 },
      };
      await minio.setBucketLifecycle('ruled-minio', { Rule: [rule] });
      const found = (await minio.getBucketLifecycle('ruled-minio')) as unknown as { Rule: object };
      expect(found.Rule).to.deep.include({ ID: 'all', Status: 'Enabled' });
      await minio.removeBucketLifecycle('ruled-minio');
      expect(await codeOf(minio.getBucketLifecycle('ruled-minio'))).to.equal(NONE);
    });
  });
});
