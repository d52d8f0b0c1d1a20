import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { describeWith, program } from '../support/needs.js';
import { mustRun } from '../support/programs.js';
import { useBench } from './harness.js';
import { BIG_FILE_BYTES, makeTree, sha256OfFile, treeHashes, writeBigFile } from './material.js';
import { useAwsCli } from './programs.js';

describeWith([program('aws'), program('curl')], 'client: aws cli', function () {
  const bench = useBench(this);
  const aws = useAwsCli(bench);

  it('syncs more files than a page lists up and down, byte-identical', async () => {
    const { folder } = bench();
    const source = join(folder, 'source');
    const count = await makeTree(source, 'sync');
    expect(count).to.be.greaterThan(1000);

    await aws('s3', 'mb', 's3://tree');
    await aws('s3', 'sync', '--only-show-errors', source, 's3://tree/some/prefix');
    await aws('s3', 'sync', '--only-show-errors', 's3://tree/some/prefix', join(folder, 'copy'));

    expect(await treeHashes(join(folder, 'copy'))).to.deep.equal(await treeHashes(source));
    const listed = await aws('s3', 'ls', '--recursive', '--summarize', 's3://tree/');
    expect(listed.stdout).to.match(new RegExp(`Total Objects: ${count}\\n`));
  });

  it('finds nothing to do when it syncs again', async () => {
    const { folder } = bench();
    const places = [join(folder, 'source'), 's3://tree/some/prefix'];
    const again = await aws('s3', 'sync', '--no-progress', ...places);
    // Whole in the message: chai cuts what it shows, and the names are what tells why.
    expect(again.stdout, again.stdout).to.equal('');
  });

  it('lists folders and what is in them', async () => {
    const top = await aws('s3', 'ls', 's3://tree/some/prefix/');
    expect(top.stdout)
      .to.match(/PRE lodash\//)
      .and.to.match(/ 0 empty-file/);
    const odd = await aws('s3', 'ls', 's3://tree/some/prefix/odd/');
    expect(odd.stdout).to.contain('plus+and%percent%2Fliteral.txt');
  });

  it('copies one big file up and down, byte-identical', async () => {
    const { folder } = bench();
    const sha256 = await writeBigFile(join(folder, 'big'), BIG_FILE_BYTES);
    await aws('s3', 'mb', 's3://big');
    await aws('s3', 'cp', '--only-show-errors', 'big', 's3://big/file');
    await aws('s3', 'cp', '--only-show-errors', 's3://big/file', 'big-copy');
    expect((await stat(join(folder, 'big-copy'))).size).to.equal(BIG_FILE_BYTES);
    expect(await sha256OfFile(join(folder, 'big-copy'))).to.equal(sha256);
  });

  it('streams from stdin and to stdout', async () => {
    await aws.fed('through a pipe\n', 's3', 'cp', '-', 's3://big/from-stdin');
    const { stdout } = await aws('s3', 'cp', 's3://big/from-stdin', '-');
    expect(stdout).to.equal('through a pipe\n');
  });

  it('heads an object and gets a range of it', async () => {
    const { folder } = bench();
    await writeFile(join(folder, 'small.txt'), '0123456789');
    const target = ['--bucket', 'big', '--key', 'small.txt'];
    const metadata = ['--metadata', 'colour=blue', '--content-type', 'text/plain'];
    await aws('s3api', 'put-object', ...target, '--body', 'small.txt', ...metadata);

    const head = await aws.s3api('head-object', ...target);
    expect(head).to.deep.include({
      ContentLength: 10,
      ContentType: 'text/plain',
      ETag: '"781e5e245d69b566979b86e28d23f2c7"',
      Metadata: { colour: 'blue' },
    });

    await aws('s3api', 'get-object', ...target, '--range', 'bytes=2-4', 'range.txt');
    const range = await mustRun('cat', [join(folder, 'range.txt')]);
    expect(range.stdout).to.equal('234');
  });

  it('presigns a URL that curl fetches, and that expires', async () => {
    const key = 's3://big/small.txt';
    const url = (await aws('s3', 'presign', key, '--expires-in', '60')).stdout.trim();
    const fetched = await mustRun('curl', ['--silent', '--show-error', '--fail', url]);
    expect(fetched.stdout).to.equal('0123456789');

    const altered = url.replace('X-Amz-Expires=60', 'X-Amz-Expires=61');
    const refused = await mustRun('curl', ['--silent', '--write-out', '%{http_code}', altered]);
    expect(refused.stdout).to.match(/<Code>SignatureDoesNotMatch<\/Code>[^]*403$/);
  });

  it('removes objects, then the bucket', async () => {
    const full = await aws.attempt('s3', 'rb', 's3://big');
    expect(full.code).not.to.equal(0);
    expect(full.stderr).to.contain('BucketNotEmpty');

    await aws('s3', 'rm', '--only-show-errors', '--recursive', 's3://big');
    await aws('s3', 'rb', 's3://big');
    const buckets = await aws('s3', 'ls');
    expect(buckets.stdout)
      .to.match(/ tree\n/)
      .and.not.to.match(/ big\n/);
  });
});
