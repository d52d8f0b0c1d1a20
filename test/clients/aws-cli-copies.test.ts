import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { describeWith, program } from '../support/needs.js';
import { mustRun, runProgram, type ProgramResult } from '../support/programs.js';
import { useBench } from './harness.js';
import { makeTree, treeHashes } from './material.js';

describeWith([program('aws')], 'client: aws cli, copies, multi-delete and tags', function () {
  const bench = useBench(this);
  let env: Record<string, string>;

  before(async () => {
    const { folder, service } = bench();
    await writeFile(join(folder, 'aws-config'), '[default]\nregion = us-east-1\n');
    env = {
      HOME: folder,
      AWS_CONFIG_FILE: join(folder, 'aws-config'),
      AWS_ACCESS_KEY_ID: service.accessKey,
      AWS_SECRET_ACCESS_KEY: service.secretKey,
      AWS_EC2_METADATA_DISABLED: 'true',
      // Debian's build of the client and its optional native runtime do not fit each other.
      BOTO_DISABLE_CRT: 'true',
    };
    await aws('s3', 'mb', 's3://first');
    await aws('s3', 'mb', 's3://second');
  });

  function aws(...args: string[]): Promise<ProgramResult> {
    return mustRun('aws', withEndpoint(args), { env, cwd: bench().folder });
  }

  function withEndpoint(args: readonly string[]): string[] {
    return ['--endpoint-url', bench().service.endpoint, ...args];
  }

  async function s3api<T>(...args: string[]): Promise<T> {
    return JSON.parse((await aws('s3api', ...args)).stdout) as T;
  }

  it('copies and moves a tree between buckets, byte-identical', async () => {
    const { folder } = bench();
    const source = join(folder, 'source');
    const count = await makeTree(source, 'some');
    await aws('s3', 'cp', '--only-show-errors', '--recursive', source, 's3://first/tree');
    await aws('s3', 'cp', '--only-show-errors', '--recursive', 's3://first/tree', 's3://second/a');
    await aws('s3', 'mv', '--only-show-errors', '--recursive', 's3://first/tree', 's3://second/b');
    const moved = await runProgram('aws', withEndpoint(['s3', 'ls', 's3://first']), { env });
    expect(moved.stdout).to.equal('');

    await aws('s3', 'sync', '--only-show-errors', 's3://second/b', 'copy');
    const expected = await treeHashes(source);
    expect(Object.keys(expected)).to.have.length(count);
    expect(await treeHashes(join(folder, 'copy'))).to.deep.equal(expected);
    const same = await aws('s3', 'sync', '--size-only', 's3://second/a', 's3://second/b');
    expect(same.stdout).to.equal('');
  });

  it('keeps or replaces content type and metadata', async () => {
    await writeFile(join(bench().folder, 'note.txt'), 'a note');
    const described = ['--content-type', 'text/x-note', '--metadata', 'colour=blue'];
    await aws('s3', 'cp', 'note.txt', 's3://first/note', ...described);
    await aws('s3', 'cp', 's3://first/note', 's3://second/kept');
    const replace = ['--metadata-directive', 'REPLACE', '--metadata', 'colour=red'];
    await aws('s3', 'cp', 's3://first/note', 's3://first/note', ...replace);

    const head = (bucket: string, key: string) =>
      s3api<Record<string, unknown>>('head-object', '--bucket', bucket, '--key', key);
    expect(await head('second', 'kept')).to.deep.include({
      ContentType: 'text/x-note',
      Metadata: { colour: 'blue' },
    });
    expect(await head('first', 'note')).to.deep.include({ Metadata: { colour: 'red' } });
    expect((await aws('s3', 'cp', 's3://first/note', '-')).stdout).to.equal('a note');
  });

  it('removes a tree, and many keys with one request', async () => {
    await aws('s3', 'rm', '--only-show-errors', '--recursive', 's3://second/a');
    const left = await aws('s3api', 'list-objects-v2', '--bucket', 'second', '--prefix', 'a/');
    expect(left.stdout).to.not.contain('Contents');
    const Objects = [{ Key: 'kept' }, { Key: 'absent' }];
    const result = await s3api<{ Deleted: unknown; Errors: { Code: string }[] }>(
      'delete-objects',
      ...['--bucket', 'second', '--delete', JSON.stringify({ Objects })],
    );
    expect(result.Deleted).to.deep.equal([{ Key: 'kept' }]);
    expect(result.Errors.map(({ Code }) => Code)).to.deep.equal(['NoSuchKey']);
  });

  it('puts, gets and deletes tags', async () => {
    const TagSet = [
      { Key: 'colour', Value: 'brown fox' },
      { Key: 'größe', Value: '' },
    ];
    const tagging = ['--tagging', JSON.stringify({ TagSet })];
    const object = ['--bucket', 'first', '--key', 'note'];
    await aws('s3api', 'put-object-tagging', ...object, ...tagging);
    expect(await s3api('get-object-tagging', ...object)).to.deep.equal({ TagSet });
    await aws('s3api', 'delete-object-tagging', ...object);
    expect(await s3api('get-object-tagging', ...object)).to.deep.equal({ TagSet: [] });

    await aws('s3api', 'put-bucket-tagging', '--bucket', 'first', ...tagging);
    expect(await s3api('get-bucket-tagging', '--bucket', 'first')).to.deep.equal({ TagSet });
    await aws('s3api', 'delete-bucket-tagging', '--bucket', 'first');
    const none = ['s3api', 'get-bucket-tagging', '--bucket', 'first'];
    const refused = await runProgram('aws', withEndpoint(none), { env });
    expect(refused.stderr).to.contain('NoSuchTagSet');
  });
});
