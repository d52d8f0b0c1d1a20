import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { describeWith, program } from '../support/needs.js';
import { useBench } from './harness.js';
import { useAwsCli } from './programs.js';

interface Listed {
  readonly Versions?: readonly {
    Key: string;
    VersionId: string;
    IsLatest: boolean;
    Size: number;
  }[];
  readonly DeleteMarkers?: readonly { Key: string; VersionId: string; IsLatest: boolean }[];
}

interface Written {
  readonly VersionId?: string;
  readonly DeleteMarker?: boolean;
}

describeWith([program('aws')], 'client: aws cli, versions and locks', function () {
  const bench = useBench(this);
  const aws = useAwsCli(bench);
  const s3api: typeof aws.s3api = (...args) => aws.s3api(...args);

  const OBJECT = ['--bucket', 'versions', '--key', 'dir/file.txt'];
  const LOCKED = ['--bucket', 'locked', '--key', 'file.txt'];

  /** @returns the version id */
  async function put(content: string, of = OBJECT, ...more: string[]): Promise<string> {
    await writeFile(join(bench().folder, 'file.txt'), content);
    const written = await s3api<Written>('put-object', ...of, '--body', 'file.txt', ...more);
    return written.VersionId ?? '';
  }

  async function get(...version: string[]): Promise<string> {
    await s3api('get-object', ...OBJECT, ...version, 'got.txt');
    return readFile(join(bench().folder, 'got.txt'), 'utf8');
  }

  function list(...more: string[]): Promise<Listed> {
    return s3api<Listed>('list-object-versions', '--bucket', 'versions', ...more);
  }

  async function refused(...args: string[]): Promise<string> {
    const { code, stderr } = await aws.attempt('s3api', ...args);
    expect(code).to.not.equal(0);
    return /\((\w+)\)/.exec(stderr)?.[1] ?? stderr;
  }

  it('turns versioning on, and an object from before stays version null', async () => {
    await aws('s3', 'mb', 's3://versions');
    expect(await s3api('get-bucket-versioning', '--bucket', 'versions')).to.deep.equal({});
    expect(await put('plain')).to.equal('');
    const enabled = ['--versioning-configuration', 'Status=Enabled'];
    await s3api('put-bucket-versioning', '--bucket', 'versions', ...enabled);
    expect(await s3api('get-bucket-versioning', '--bucket', 'versions')).to.deep.equal({
      Status: 'Enabled',
    });
    const id = await put('new');
    const { Versions = [] } = await list();
    expect(
      Versions.map(({ VersionId, IsLatest, Size }) => [VersionId, IsLatest, Size]),
    ).to.deep.equal([
      [id, true, 3],
      ['null', false, 5],
    ]);
    expect([await get(), await get('--version-id', 'null')]).to.deep.equal(['new', 'plain']);
  });

  it('removes and brings back', async () => {
    await aws('s3', 'rm', 's3://versions/dir/file.txt');
    expect((await aws('s3', 'ls', '--recursive', 's3://versions/')).stdout).to.equal('');
    const { DeleteMarkers: [marker] = [] } = await list('--prefix', 'dir/');
    expect(marker).to.deep.include({ Key: 'dir/file.txt', IsLatest: true });
    expect(await refused('get-object', ...OBJECT, 'got.txt')).to.equal('NoSuchKey');
    const id = marker?.VersionId ?? '';
    expect(await refused('get-object', ...OBJECT, '--version-id', id, 'got.txt')).to.equal(
      'MethodNotAllowed',
    );
    const deleted = await s3api<Written>('delete-object', ...OBJECT, '--version-id', id);
    expect(deleted).to.deep.equal({ DeleteMarker: true, VersionId: id });
    expect(await get()).to.equal('new');
  });

  it('copies an old version back', async () => {
    const source = 'versions/dir/file.txt?versionId=null';
    const copied = await s3api<Written>('copy-object', ...OBJECT, '--copy-source', source);
    expect(copied).to.deep.include({ CopySourceVersionId: 'null' });
    expect(await get()).to.equal('plain');
  });

  it('pages through versions', async () => {
    for (const content of ['1', '2']) await put(content);
    const all = await list();
    for (const size of ['1', '3']) {
      expect(await list('--page-size', size)).to.deep.equal(all);
    }
    expect(all.Versions).to.have.length(5);
    const first = await list('--max-items', '2');
    expect(first.Versions).to.deep.equal(all.Versions?.slice(0, 2));
  });

  it('suspends, and overwrites the version null', async () => {
    const suspended = ['--versioning-configuration', 'Status=Suspended'];
    await s3api('put-bucket-versioning', '--bucket', 'versions', ...suspended);
    expect([await put('one'), await put('other')]).to.deep.equal(['null', 'null']);
    const { Versions = [] } = await list();
    expect(Versions.filter(({ VersionId }) => VersionId === 'null')).to.have.length(1);
    const marked = await s3api<Written>('delete-object', ...OBJECT);
    expect(marked).to.deep.equal({ DeleteMarker: true, VersionId: 'null' });
  });

  it('tells what is wrong with a version id', async () => {
    const get = (id: string) => refused('get-object', ...OBJECT, '--version-id', id, 'got.txt');
    expect(await get('what')).to.equal('InvalidArgument');
    expect(await get('f'.repeat(32))).to.equal('NoSuchVersion');
  });

  it('empties a bucket of its versions, and removes it', async () => {
    const rb = await aws.attempt('s3', 'rb', '--force', 's3://versions');
    expect(rb.stdout + rb.stderr).to.contain('BucketNotEmpty');
    const { Versions = [], DeleteMarkers = [] } = await list();
    const Objects = [...Versions, ...DeleteMarkers].map(({ Key, VersionId }) => ({
      Key,
      VersionId,
    }));
    const document = JSON.stringify({ Objects, Quiet: true });
    await s3api('delete-objects', '--bucket', 'versions', '--delete', document);
    await aws('s3', 'rb', 's3://versions');
  });

  it('configures locks', async () => {
    await s3api('create-bucket', '--bucket', 'locked', '--object-lock-enabled-for-bucket');
    const bucket = ['--bucket', 'locked'];
    expect(await s3api('get-object-lock-configuration', ...bucket)).to.deep.equal({
      ObjectLockConfiguration: { ObjectLockEnabled: 'Enabled' },
    });
    const configuration = {
      ObjectLockEnabled: 'Enabled',
      Rule: { DefaultRetention: { Mode: 'GOVERNANCE', Days: 1 } },
    };
    const put = ['put-object-lock-configuration', ...bucket, '--object-lock-configuration'];
    await s3api(...put, JSON.stringify(configuration));
    expect(await s3api('get-object-lock-configuration', ...bucket)).to.deep.equal({
      ObjectLockConfiguration: configuration,
    });
    const neither = { ...configuration, Rule: { DefaultRetention: { Mode: 'GOVERNANCE' } } };
    expect(await refused(...put, JSON.stringify(neither))).to.equal('MalformedXML');
  });

  it('retains by default and by hand, and bypasses GOVERNANCE', async () => {
    const id = await put('kept', LOCKED);
    const version = [...LOCKED, '--version-id', id];
    const { Retention } = await s3api<{ Retention: { Mode: string } }>(
      'get-object-retention',
      ...version,
    );
    expect(Retention.Mode).to.equal('GOVERNANCE');
    expect(await refused('delete-object', ...version)).to.equal('AccessDenied');

    const set = (until: string, ...more: string[]) => [
      ...['put-object-retention', ...version, ...more],
      ...['--retention', `Mode=GOVERNANCE,RetainUntilDate=${until}`],
    ];
    await s3api(...set('2099-01-01T00:00:00Z'));
    expect(await refused(...set('2098-01-01T00:00:00Z'))).to.equal('AccessDenied');
    expect(await refused(...set('2001-01-01T00:00:00Z'))).to.equal('InvalidArgument');
    await s3api(...set('2098-01-01T00:00:00Z', '--bypass-governance-retention'));
    await s3api('delete-object', ...version, '--bypass-governance-retention');
    expect(await refused('head-object', ...version)).to.equal('404');
  });

  it('holds until told otherwise', async () => {
    const id = await put('held', LOCKED, '--object-lock-legal-hold-status', 'ON');
    const version = [...LOCKED, '--version-id', id];
    expect(await s3api('get-object-legal-hold', ...version)).to.deep.equal({
      LegalHold: { Status: 'ON' },
    });
    const remove = ['delete-object', ...version, '--bypass-governance-retention'];
    expect(await refused(...remove)).to.equal('AccessDenied');
    await s3api('put-object-legal-hold', ...version, '--legal-hold', 'Status=OFF');
    await s3api(...remove);
  });

  it('gets past COMPLIANCE in no way', async () => {
    const until = ['--object-lock-retain-until-date', '2099-01-01T00:00:00Z'];
    const id = await put('for long', LOCKED, '--object-lock-mode', 'COMPLIANCE', ...until);
    const version = [...LOCKED, '--version-id', id];
    const bypass = '--bypass-governance-retention';
    expect(await refused('delete-object', ...version, bypass)).to.equal('AccessDenied');
    const objects = JSON.stringify({ Objects: [{ Key: 'file.txt', VersionId: id }] });
    const { Errors } = await s3api<{ Errors: readonly { Code: string }[] }>(
      ...['delete-objects', '--bucket', 'locked', '--delete', objects, bypass],
    );
    expect(Errors.map(({ Code }) => Code)).to.deep.equal(['AccessDenied']);
    await aws('s3', 'rm', 's3://locked/file.txt');
    const rb = await aws.attempt('s3', 'rb', 's3://locked');
    expect(rb.stderr).to.contain('BucketNotEmpty');
    const head = await s3api('head-object', ...version);
    expect(head).to.include({ ObjectLockMode: 'COMPLIANCE', ContentLength: 8 });
  });
});
