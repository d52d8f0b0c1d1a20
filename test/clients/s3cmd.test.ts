import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { request } from 'undici';
import { describeWith, program } from '../support/needs.js';
import { mustRun } from '../support/programs.js';
import { S3TestClient } from '../support/s3-client.js';
import { useBench } from './harness.js';
import { BIG_FILE_BYTES, makeTree, sha256OfFile, treeHashes, writeBigFile } from './material.js';
import { useS3cmd } from './programs.js';

describeWith([program('s3cmd')], 'client: s3cmd', function () {
  const bench = useBench(this);
  const s3cmd = useS3cmd(bench);

  it('puts and gets a tree of files recursively, byte-identical', async () => {
    const { folder } = bench();
    const count = await makeTree(join(folder, 'source'), 'some');
    expect(count).to.be.greaterThan(100);

    await s3cmd('mb', 's3://tree');
    await s3cmd('put', '--recursive', 'source/', 's3://tree/prefix/');
    await mkdir(join(folder, 'copy'));
    await s3cmd('get', '--recursive', 's3://tree/prefix/', 'copy/');
    const source = await treeHashes(join(folder, 'source'));
    expect(await treeHashes(join(folder, 'copy'))).to.deep.equal(source);
  });

  it('lists folders, all below them, and buckets', async () => {
    const top = await s3cmd('ls', 's3://tree/prefix/');
    expect(top.stdout).to.match(/DIR +s3:\/\/tree\/prefix\/pino\//);
    const odd = await s3cmd('ls', '--recursive', 's3://tree/prefix/odd/');
    expect(odd.stdout).to.contain('s3://tree/prefix/odd/plus+and%percent%2Fliteral.txt');
    expect((await s3cmd('ls')).stdout).to.match(/ s3:\/\/tree\n/);
  });

  it('puts and gets one big file, byte-identical', async () => {
    const { folder } = bench();
    const sha256 = await writeBigFile(join(folder, 'big'), BIG_FILE_BYTES);
    await s3cmd('put', 'big', 's3://tree/big');
    await s3cmd('get', 's3://tree/big', 'big-copy');
    expect(await sha256OfFile(join(folder, 'big-copy'))).to.equal(sha256);
  });

  it('deletes objects one by one', async () => {
    await s3cmd('del', 's3://tree/big');
    await s3cmd('del', 's3://tree/prefix/odd/with space.txt');
    expect((await s3cmd('ls', 's3://tree/')).stdout).not.to.contain('big');
    expect((await s3cmd('ls', 's3://tree/prefix/odd/')).stdout).not.to.contain('with space');
  });

  it('refuses to remove a bucket that is not empty, and removes an empty one', async () => {
    await s3cmd('mb', 's3://empty');
    await s3cmd('rb', 's3://empty');
    const error = await s3cmd('rb', 's3://tree').then(String, String);
    expect(error).to.contain('BucketNotEmpty');
  });
});

describeWith([program('s3cmd')], 'client: s3cmd --signature-v2', function () {
  const bench = useBench(this);
  const s3cmd = useS3cmd(bench, { signature_v2: 'True' });

  it('puts, lists and gets a tree of files, byte-identical', async () => {
    const { folder } = bench();
    await makeTree(join(folder, 'source'), 'some');
    await s3cmd('mb', 's3://tree');
    await s3cmd('put', '--recursive', 'source/', 's3://tree/prefix/');
    const odd = await s3cmd('ls', '--recursive', 's3://tree/prefix/odd/');
    expect(odd.stdout).to.contain('s3://tree/prefix/odd/plus+and%percent%2Fliteral.txt');
    await mkdir(join(folder, 'copy'));
    await s3cmd('get', '--recursive', 's3://tree/prefix/', 'copy/');
    const source = await treeHashes(join(folder, 'source'));
    expect(await treeHashes(join(folder, 'copy'))).to.deep.equal(source);
    expect((await s3cmd('info', 's3://tree')).stdout).to.contain('us-east-1');
  });

  it('signs URLs', async () => {
    const { folder } = bench();
    await writeFile(join(folder, 'signed'), 'by s3cmd');
    await s3cmd('put', 'signed', 's3://tree/a b+c/signed');
    const { stdout } = await s3cmd('signurl', 's3://tree/a b+c/signed', '+600');
    const url = stdout.trim();
    expect(url).to.contain('AWSAccessKeyId=').and.to.contain('Signature=');
    const answer = await request(url);
    expect(await answer.body.text()).to.equal('by s3cmd');
    const late = await request(url.replace(/Expires=\d+/, 'Expires=1'));
    expect(await late.body.text()).to.contain('Request has expired');
  });

  it('deletes what is not needed any more', async () => {
    await s3cmd('del', 's3://tree/a b+c/signed');
    expect((await s3cmd('ls', 's3://tree/')).stdout).not.to.contain('a b+c');
  });
});

describeWith([program('s3cmd')], 'client: s3cmd, copies and multi-delete', function () {
  const bench = useBench(this);
  const s3cmd = useS3cmd(bench);

  before(async () => {
    await s3cmd('mb', 's3://first');
    await s3cmd('mb', 's3://second');
  });

  it('copies and moves a tree between buckets, byte-identical', async () => {
    const { folder } = bench();
    await makeTree(join(folder, 'source'), 'some');
    await s3cmd('put', '--recursive', 'source/', 's3://first/tree/');
    await s3cmd('cp', '--recursive', 's3://first/tree/', 's3://second/copied/');
    await s3cmd('mv', '--recursive', 's3://second/copied/', 's3://second/moved/');
    expect((await s3cmd('ls', '--recursive', 's3://second/copied/')).stdout).to.equal('');
    await mkdir(join(folder, 'copy'));
    await s3cmd('get', '--recursive', 's3://second/moved/', 'copy/');
    const expected = await treeHashes(join(folder, 'source'));
    expect(await treeHashes(join(folder, 'copy'))).to.deep.equal(expected);
  });

  it('changes headers in place: a copy onto itself', async () => {
    await writeFile(join(bench().folder, 'note.txt'), 'a note');
    await s3cmd('put', 'note.txt', 's3://first/note.txt');
    await s3cmd('modify', '--add-header', 'x-amz-meta-colour: blue', 's3://first/note.txt');
    const info = await s3cmd('info', 's3://first/note.txt');
    expect(info.stdout).to.match(/x-amz-meta-colour:\s+blue/);
    await s3cmd('get', 's3://first/note.txt', 'note-copy.txt');
    const { stdout } = await mustRun('cat', [join(bench().folder, 'note-copy.txt')]);
    expect(stdout).to.equal('a note');
  });

  it('deletes a tree with few requests', async () => {
    await s3cmd('del', '--recursive', '--force', 's3://second');
    expect((await s3cmd('ls', '--recursive', 's3://second')).stdout).to.equal('');
    await s3cmd('rb', 's3://second');
  });
});

describeWith([program('s3cmd')], 'client: s3cmd, multipart', function () {
  const bench = useBench(this);
  const s3cmd = useS3cmd(bench);

  before(async () => {
    await s3cmd('mb', 's3://parts');
  });

  it('puts and gets a file in its default parts, byte-identical', async () => {
    const { folder } = bench();
    const sha256 = await writeBigFile(join(folder, 'file'), 40 * 1024 * 1024);
    await s3cmd('put', 'file', 's3://parts/file');
    const info = await s3cmd('info', 's3://parts/file');
    expect(info.stdout).to.contain('File size: 41943040');
    await s3cmd('get', 's3://parts/file', 'copy');
    expect(await sha256OfFile(join(folder, 'copy'))).to.equal(sha256);
  });

  it('lists open uploads and their parts, and aborts them', async () => {
    const s3 = new S3TestClient(bench().service);
    const created = await s3.send({ method: 'POST', path: '/parts/left%20open?uploads' });
    const uploadId = /<UploadId>(\w+)</.exec(created.text)?.[1] ?? '';
    await s3.put(`/parts/left%20open?partNumber=2&uploadId=${uploadId}`, 'part');
    await s3.close();

    const uploads = await s3cmd('multipart', 's3://parts');
    expect(uploads.stdout).to.contain('s3://parts/left open').and.to.contain(uploadId);
    const parts = await s3cmd('listmp', 's3://parts/left open', uploadId);
    expect(parts.stdout).to.match(/\t2\t/);
    await s3cmd('abortmp', 's3://parts/left open', uploadId);
    const after = await s3cmd('multipart', 's3://parts');
    expect(after.stdout).not.to.contain(uploadId);
  });
});

const ENABLED = '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>';

/** It has no commands for versions, and must not need to know of them. */
describeWith([program('s3cmd')], 'client: s3cmd, in a bucket with versions', function () {
  const bench = useBench(this);
  const s3cmd = useS3cmd(bench);

  it('puts, gets, lists, moves and deletes as in any other', async () => {
    const { folder, service } = bench();
    await s3cmd('mb', 's3://versions');
    const s3 = new S3TestClient(service);
    expect((await s3.put('/versions?versioning', ENABLED)).status).to.equal(200);
    for (const content of ['first', 'second']) {
      await writeFile(join(folder, 'file'), content);
      await s3cmd('put', 'file', 's3://versions/file');
    }
    await s3cmd('get', 's3://versions/file', 'got');
    expect(await readFile(join(folder, 'got'), 'utf8')).to.equal('second');
    await s3cmd('mv', 's3://versions/file', 's3://versions/moved');
    expect((await s3cmd('ls', 's3://versions')).stdout).to.match(
      /^\S+ \S+ +6 +s3:\/\/versions\/moved\n$/,
    );
    await s3cmd('del', '--recursive', '--force', 's3://versions');
    expect((await s3cmd('ls', 's3://versions')).stdout).to.equal('');
    const refused = await s3cmd.attempt('rb', 's3://versions');
    expect(refused.stderr).to.contain('BucketNotEmpty');
    const { text } = await s3.get('/versions?versions');
    expect(text.match(/<Version>/g)).to.have.length(3);
    expect(text.match(/<DeleteMarker>/g)).to.have.length(2);
    await s3.close();
  });
});
