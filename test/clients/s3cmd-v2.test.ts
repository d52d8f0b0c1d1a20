import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { request } from 'undici';
import { describeWith, program } from '../support/needs.js';
import { useBench } from './harness.js';
import { makeTree, treeHashes } from './material.js';
import { useS3cmd } from './programs.js';

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
