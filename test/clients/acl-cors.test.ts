import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { describeWith, program, pythonModule } from '../support/needs.js';
import { useBench, useSdk } from './harness.js';
import { runBoto3, useAwsCli, useRclone, useS3cmd } from './programs.js';

/** ACLs and CORS rules, set and read back by real clients. */

const OWNER = 'main:RINGWAYTESTKEY';
const GRANTEE = 'main:anna';
const FULL = `${OWNER} FULL_CONTROL`;

describe('ACLs and CORS rules of real clients', function () {
  const bench = useBench(this, { config: { anonymous_account: 'AUTH_main' } });

  describeWith([pythonModule('boto3')], 'client: boto3, ACLs and CORS', () => {
    it('sets and reads them', async () => {
      const report = await runBoto3(bench(), 'acl_cors.py', { grantee: GRANTEE });
      expect(report).to.deep.equal({
        put: ['AllUsers READ', FULL],
        headers: [`${GRANTEE} READ`],
        owner: OWNER,
        document: [FULL, `${GRANTEE} WRITE`],
        'no rules': 'NoSuchCORSConfiguration',
        rules: true,
        'rules removed': 'NoSuchCORSConfiguration',
      });
      expect((await fetch(`${bench().service.endpoint}/acl-boto3/key`)).status).to.equal(403);
    });
  });

  describeWith([program('aws')], 'client: aws cli, ACLs and CORS', () => {
    const aws = useAwsCli(bench);

    async function grants(...args: string[]): Promise<string[]> {
      interface Policy {
        readonly Grants: readonly { Grantee: { ID?: string; URI?: string }; Permission: string }[];
      }
      const policy = await aws.s3api<Policy>(...args);
      return policy.Grants.map(
        ({ Grantee, Permission }) =>
          `${Grantee.ID ?? Grantee.URI?.split('/').at(-1)} ${Permission}`,
      );
    }

    it('sets and reads ACLs, by name and by grants', async () => {
      const { folder, service } = bench();
      await aws.s3api('create-bucket', '--bucket', 'cli', '--acl', 'public-read');
      expect(await grants('get-bucket-acl', '--bucket', 'cli')).to.have.members([
        FULL,
        'AllUsers READ',
      ]);
      expect((await fetch(`${service.endpoint}/cli`)).status).to.equal(200);
      await aws.s3api('put-bucket-acl', '--bucket', 'cli', '--acl', 'private');
      expect(await grants('get-bucket-acl', '--bucket', 'cli')).to.deep.equal([FULL]);

      const target = ['--bucket', 'cli', '--key', 'key'];
      await writeFile(join(folder, 'body'), 'body');
      await aws.s3api('put-object', ...target, '--body', 'body', '--grant-read', `id=${GRANTEE}`);
      expect(await grants('get-object-acl', ...target)).to.deep.equal([`${GRANTEE} READ`]);
      await aws.s3api('put-object-acl', ...target, '--acl', 'public-read');
      expect(await (await fetch(`${service.endpoint}/cli/key`)).text()).to.equal('body');
    });

    it('sets, reads and removes CORS rules', async () => {
      const rules = {
        CORSRules: [{ AllowedMethods: ['GET'], AllowedOrigins: ['https://*.example'] }],
      };
      const target = ['--bucket', 'cli'];
      await aws.s3api('put-bucket-cors', ...target, '--cors-configuration', JSON.stringify(rules));
      expect(await aws.s3api('get-bucket-cors', ...target)).to.deep.equal(rules);
      const { endpoint } = bench().service;
      const answer = await fetch(`${endpoint}/cli/key`, {
        headers: { Origin: 'https://a.example' },
      });
      expect(answer.headers.get('access-control-allow-origin')).to.equal('https://a.example');
      await aws.s3api('delete-bucket-cors', ...target);
      const gone = await aws.attempt('s3api', 'get-bucket-cors', ...target);
      expect(gone.stderr).to.contain('NoSuchCORSConfiguration');
    });
  });

  describeWith([program('s3cmd')], 'client: s3cmd, ACLs and CORS', () => {
    const s3cmd = useS3cmd(bench);

    it('opens and closes buckets and objects with setacl', async () => {
      const { folder, service } = bench();
      const statusOf = async (path: string) => (await fetch(`${service.endpoint}${path}`)).status;
      await writeFile(join(folder, 'body'), 'body');
      await s3cmd('mb', 's3://acls');
      await s3cmd('put', '--acl-public', 'body', 's3://acls/key');
      expect(await statusOf('/acls/key')).to.equal(200);
      await s3cmd('setacl', '--acl-private', 's3://acls/key');
      expect(await statusOf('/acls/key')).to.equal(403);
      await s3cmd('setacl', '--acl-public', 's3://acls');
      expect(await statusOf('/acls')).to.equal(200);
      await s3cmd('setacl', '--acl-private', 's3://acls');
      expect(await statusOf('/acls')).to.equal(403);
    });

    it('grants to users and revokes it', async () => {
      await s3cmd('setacl', `--acl-grant=read:${GRANTEE}`, 's3://acls/key');
      expect((await s3cmd('info', 's3://acls/key')).stdout).to.match(/ACL: +main:anna: READ/);
      await s3cmd('setacl', `--acl-revoke=read:${GRANTEE}`, 's3://acls/key');
      expect((await s3cmd('info', 's3://acls/key')).stdout).to.not.contain('anna');
    });

    it('sets and removes CORS rules', async () => {
      const { folder } = bench();
      const rule =
        '<CORSRule><AllowedOrigin>https://app.example</AllowedOrigin><AllowedMethod>GET</AllowedMethod></CORSRule>';
      const document = `<CORSConfiguration>${rule}</CORSConfiguration>`;
      await writeFile(join(folder, 'cors.xml'), document);
      await s3cmd('setcors', 'cors.xml', 's3://acls');
      expect((await s3cmd('info', 's3://acls')).stdout).to.contain('https://app.example');
      await s3cmd('delcors', 's3://acls');
      expect((await s3cmd('info', 's3://acls')).stdout).to.not.contain('app.example');
    });
  });

  describeWith([program('rclone')], 'client: rclone, ACLs', () => {
    const rclone = useRclone(bench);

    async function statusOf(path: string): Promise<number> {
      return (await fetch(`${bench().service.endpoint}${path}`)).status;
    }

    it('uploads and copies publicly when it is told to, and privately otherwise', async () => {
      await rclone.fed('body', 'rcat', 'rw:remote/private');
      await rclone.fed('body', 'rcat', '--s3-acl', 'public-read', 'rw:remote/public');
      await rclone('copyto', '--s3-acl', 'public-read', 'rw:remote/private', 'rw:remote/copy');
      expect(await statusOf('/remote/private')).to.equal(403);
      expect(await statusOf('/remote/public')).to.equal(200);
      expect(await statusOf('/remote/copy')).to.equal(200);
      expect(await statusOf('/remote')).to.equal(403);
    });

    it('makes public buckets, and links to private objects', async () => {
      await rclone('mkdir', '--s3-bucket-acl', 'public-read', 'rw:open');
      expect(await statusOf('/open')).to.equal(200);
      const { stdout } = await rclone('link', '--expire', '1m', 'rw:remote/private');
      expect(await (await fetch(stdout.trim())).text()).to.equal('body');
    });
  });

  describe('client: aws sdk, ACLs and CORS', () => {
    const sdk = useSdk(bench);
    const bucket = { Bucket: 'sdk' };
    const target = { ...bucket, Key: 'key' };

    it('sets and reads ACLs, by name, by grants and by document', async () => {
      const s3 = sdk();
      const statusOf = async () => (await fetch(`${bench().service.endpoint}/sdk/key`)).status;
      const grants = async (): Promise<string[]> => {
        const { Grants = [] } = await s3.getObjectAcl(target);
        return Grants.map(({ Grantee, Permission = '' }) => `${Grantee?.ID ?? ''} ${Permission}`);
      };
      await s3.createBucket(bucket);
      await s3.putObject({ ...target, Body: 'body', ACL: 'public-read' });
      expect(await statusOf()).to.equal(200);
      await s3.putObjectAcl({ ...target, GrantRead: `id=${GRANTEE}` });
      expect(await grants()).to.deep.equal([`${GRANTEE} READ`]);
      expect(await statusOf()).to.equal(403);

      const { Owner, Grants = [] } = await s3.getBucketAcl(bucket);
      const granted = {
        Grantee: { Type: 'CanonicalUser', ID: GRANTEE },
        Permission: 'WRITE',
      } as const;
      const AccessControlPolicy = { Owner, Grants: [...Grants, granted] };
      await s3.putBucketAcl({ ...bucket, AccessControlPolicy });
      const found = await s3.getBucketAcl(bucket);
      expect(found.Grants?.map(({ Permission }) => Permission)).to.have.members([
        'FULL_CONTROL',
        'WRITE',
      ]);
    });

    it('sets, reads and removes CORS rules', async () => {
      const s3 = sdk();
      const CORSRules = [{ AllowedMethods: ['GET'], AllowedOrigins: ['https://*.example'] }];
      const CORSConfiguration = { CORSRules };
      await s3.putBucketCors({ ...bucket, CORSConfiguration });
      const read = () => s3.getBucketCors(bucket);
      expect((await read()).CORSRules).to.deep.equal(CORSRules);
      await s3.deleteBucketCors(bucket);
      const gone = await read().catch((error: unknown) => error);
      expect(gone).to.have.property('name', 'NoSuchCORSConfiguration');
    });
  });
});
