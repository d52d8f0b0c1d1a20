import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { Companion } from '../integration/companion.js';
import { eventually } from '../support/eventually.js';
import { describeWith, program } from '../support/needs.js';
import { findProgram, mustRun } from '../support/programs.js';
import { onlyOn } from '../support/stack.js';
import { useBench } from './harness.js';
import { sha256OfFile, writeBigFile } from './material.js';
import { AWS_CONFIG, useAwsCli } from './programs.js';

const FILE_BYTES = 64 * 1024 * 1024;

describeWith([program('aws')], 'client: aws cli, multipart', function () {
  const bench = useBench(this, {});
  const aws = useAwsCli(bench);
  let sha256: string;

  before(async () => {
    const { folder } = bench();
    // One part after the other: the first is there long before the last.
    const slow = `${AWS_CONFIG}    max_bandwidth = 8MB/s\n    max_concurrent_requests = 1\n`;
    await writeFile(join(folder, 'slow-config'), slow);
    sha256 = await writeBigFile(join(folder, 'file'), FILE_BYTES);
    await aws('s3', 'mb', 's3://parts');
  });

  async function openUploads(): Promise<readonly { Key: string; UploadId: string }[]> {
    const { Uploads = [] } = await aws.s3api('list-multipart-uploads', '--bucket', 'parts');
    return Uploads as { Key: string; UploadId: string }[];
  }

  it('copies 64 MiB up and down in its default parts, byte-identical', async () => {
    const { folder } = bench();
    await aws('s3', 'cp', '--only-show-errors', 'file', 's3://parts/file');
    const head = await aws.s3api('head-object', '--bucket', 'parts', '--key', 'file');
    expect(head).to.include({ ContentLength: FILE_BYTES });
    expect(head.ETag).to.match(/^"[0-9a-f]{32}-8"$/);
    await aws('s3', 'cp', '--only-show-errors', 's3://parts/file', 'copy');
    expect(await sha256OfFile(join(folder, 'copy'))).to.equal(sha256);
    expect(await openUploads()).to.deep.equal([]);
  });

  it('copies an object on the service, in parts too', async () => {
    const { folder } = bench();
    await aws('s3', 'cp', '--only-show-errors', 's3://parts/file', 's3://parts/file-2');
    const head = await aws.s3api('head-object', '--bucket', 'parts', '--key', 'file-2');
    expect(head.ETag).to.match(/-8"$/);
    await aws('s3', 'cp', '--only-show-errors', 's3://parts/file-2', 'copy-2');
    expect(await sha256OfFile(join(folder, 'copy-2'))).to.equal(sha256);
  });

  it('streams from stdin in parts', async () => {
    const { args, ...options } = aws.settings();
    const pipe = ['-c', 'aws "$@" < file', 'sh', ...args, 's3', 'cp', '-', 's3://parts/piped'];
    await mustRun('sh', pipe, options);
    await aws('s3', 'cp', '--only-show-errors', 's3://parts/piped', 'piped');
    expect(await sha256OfFile(join(bench().folder, 'piped'))).to.equal(sha256);
  });

  it('is killed in the middle, and what it left can be listed and aborted', async function () {
    onlyOn(this, 'embedded', 'an embedded store, which the test looks into');
    const { folder, service } = bench();
    const companion = await Companion.open(service);
    try {
      await aws('s3', 'rm', '--only-show-errors', '--recursive', 's3://parts');
      const { args, env } = aws.settings();
      const copy = [...args, 's3', 'cp', 'file', 's3://parts/killed'];
      const client = spawn(findProgram('aws') ?? 'aws', copy, {
        cwd: folder,
        env: { PATH: process.env.PATH, ...env, AWS_CONFIG_FILE: join(folder, 'slow-config') },
        stdio: 'ignore',
        detached: true,
      });
      const exit = once(client, 'exit');
      const isPart = (name: string): boolean => /\/\d+$/.test(name);
      await eventually(
        () => companion.names('parts'),
        (names) => names.some((name) => name.startsWith('killed/') && isPart(name)),
      );
      // It runs below a launcher on some machines: the group.
      process.kill(-(client.pid ?? 0), 'SIGKILL');
      await exit;

      const [left] = await openUploads();
      expect(left?.Key).to.equal('killed');
      const upload = ['--bucket', 'parts', '--key', 'killed', '--upload-id', left?.UploadId ?? ''];
      const { Parts } = await aws.s3api('list-parts', ...upload);
      expect(Parts).to.be.an('array').that.is.not.empty;
      await aws('s3api', 'abort-multipart-upload', ...upload);
      expect(await openUploads()).to.deep.equal([]);
      const killedParts = (names: string[]) => names.filter((name) => name.startsWith('killed/'));
      expect(killedParts(await companion.names('parts'))).to.deep.equal([]);
    } finally {
      await companion.close();
    }
  });

  it('uploads part by part, as scripts do', async () => {
    const { folder } = bench();
    await writeFile(join(folder, 'last'), 'the last part');
    const target = ['--bucket', 'parts', '--key', 'by-hand'];
    const { UploadId } = await aws.s3api('create-multipart-upload', ...target);
    const upload = [...target, '--upload-id', String(UploadId)];
    const { ETag } = await aws.s3api(
      'upload-part',
      ...upload,
      '--part-number',
      '3',
      '--body',
      'last',
    );
    const parts = JSON.stringify({ Parts: [{ PartNumber: 3, ETag }] });
    const done = await aws.s3api(
      'complete-multipart-upload',
      ...upload,
      '--multipart-upload',
      parts,
    );
    expect(done.ETag).to.match(/-1"$/);
    await aws('s3', 'cp', '--only-show-errors', 's3://parts/by-hand', 'by-hand');
    const fetched = await mustRun('cat', [join(folder, 'by-hand')]);
    expect(fetched.stdout).to.equal('the last part');
  });
});
