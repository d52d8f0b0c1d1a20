import { createReadStream } from 'node:fs';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { expect } from 'chai';
import { describeWith, program } from '../support/needs.js';
import { findProgram, mustRun } from '../support/programs.js';
import { S3TestClient } from '../support/s3-client.js';
import { presignQuery } from '../support/sigv4.js';
import { useBench } from './harness.js';
import { sha256OfFile, writeBigFile } from './material.js';

const SIZE = 20 * 1024 * 1024;

describeWith([program('curl')], 'client: curl', function () {
  const bench = useBench(this);

  function presigned(method: string, rawPath: string): string {
    const { service } = bench();
    const headers = { host: new URL(service.endpoint).host };
    const identity = { ...service, region: 'us-east-1' };
    const query = presignQuery(identity, { method, rawPath, headers }, new Date(), 3600);
    return `${service.endpoint}${rawPath}?${query}`;
  }

  before(async () => {
    const s3 = new S3TestClient(bench().service);
    await s3.put('/curl');
    await s3.close();
  });

  it('uploads a pipe of unknown length, with -T -', async () => {
    const { folder } = bench();
    const sha256 = await writeBigFile(join(folder, 'big'), SIZE);
    const arguments_ = ['-sS', '--fail-with-body', '-T', '-', presigned('PUT', '/curl/piped')];
    const curl = spawn(findProgram('curl') ?? '', arguments_, {
      stdio: ['pipe', 'ignore', 'inherit'],
    });
    const ended = new Promise<number | null>((resolve) => curl.once('close', resolve));
    await pipeline(createReadStream(join(folder, 'big')), curl.stdin);
    expect(await ended).to.equal(0);
    await mustRun('curl', ['-sS', '--fail', '-o', 'copy', presigned('GET', '/curl/piped')], {
      cwd: folder,
    });
    expect(await sha256OfFile(join(folder, 'copy'))).to.equal(sha256);
  });

  it('uploads an empty pipe', async () => {
    const url = presigned('PUT', '/curl/empty');
    await mustRun('curl', ['-sS', '--fail-with-body', '-T', '-', url], { input: '' });
    const answer = await mustRun('curl', ['-sS', '--fail', presigned('GET', '/curl/empty')]);
    expect(answer.stdout).to.equal('');
  });
});
