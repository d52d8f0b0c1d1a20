import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { describeWith, program } from '../support/needs.js';
import { useBench } from './harness.js';
import { makeTree, treeHashes } from './material.js';
import { useAwsCli } from './programs.js';

describeWith([program('aws')], 'client: aws cli, copies, multi-delete and tags', function () {
  const bench = useBench(this);
  const aws = useAwsCli(bench);

  before(async () => {
    await aws('s3', 'mb', 's3://first');
    await aws('s3', 'mb', 's3://second');
  });

  it('copies and moves a tree between buckets, byte-identical', async () => {
    const { folder } = bench();
    const source = join(folder, 'source');
    const count = await makeTree(source, 'some');
    await aws('s3', 'cp', '--only-show-errors', '--recursive', source, 's3://first/tree');
    await aws('s3', 'cp', '--only-show-errors', '--recursive', 's3://first/tree', 's3://second/a');
    await aws('s3', 'mv', '--only-show-errors', '--recursive', 's3://first/tree', 's3://second/b');
    const moved = await aws.attempt('s3', 'ls', 's3://first');
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
      aws.s3api('head-object', '--bucket', bucket, '--key', key);
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
    const result = await aws.s3api<{ Deleted: unknown; Errors: { Code: string }[] }>(
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
    expect(await aws.s3api('get-object-tagging', ...object)).to.deep.equal({ TagSet });
    await aws('s3api', 'delete-object-tagging', ...object);
    expect(await aws.s3api('get-object-tagging', ...object)).to.deep.equal({ TagSet: [] });

    await aws('s3api', 'put-bucket-tagging', '--bucket', 'first', ...tagging);
    expect(await aws.s3api('get-bucket-tagging', '--bucket', 'first')).to.deep.equal({ TagSet });
    await aws('s3api', 'delete-bucket-tagging', '--bucket', 'first');
    const refused = await aws.attempt('s3api', 'get-bucket-tagging', '--bucket', 'first');
    expect(refused.stderr).to.contain('NoSuchTagSet');
  });
});
