import { join } from 'node:path';
import { expect } from 'chai';
import { describeWith, pythonModule } from '../support/needs.js';
import { mustRun } from '../support/programs.js';
import { useBench } from './harness.js';
import { sha256OfFile, writeBigFile } from './material.js';

const SCRIPT = join(process.cwd(), 'test/clients/python/multipart.py');
const MIB = 1024 * 1024;

describeWith([pythonModule('boto3')], 'client: boto3, multipart', function () {
  const bench = useBench(this);

  it('uploads, copies and downloads in parts, lists, aborts, and is told what is wrong', async () => {
    const { folder, service } = bench();
    const sha256 = await writeBigFile(join(folder, 'file'), 35 * MIB);
    const job = {
      endpoint: service.endpoint,
      access_key: service.accessKey,
      secret_key: service.secretKey,
      file: join(folder, 'file'),
      copy: join(folder, 'copy'),
    };
    const env = { HOME: folder, AWS_EC2_METADATA_DISABLED: 'true', BOTO_DISABLE_CRT: 'true' };
    const { stdout } = await mustRun('python3', [SCRIPT], { env, input: JSON.stringify(job) });
    const { etag, etag_of_copy, ...report } = JSON.parse(stdout) as Record<string, unknown>;
    expect(await sha256OfFile(join(folder, 'copy'))).to.equal(sha256);
    expect(etag).to.match(/^"[0-9a-f]{32}-5"$/);
    expect(etag_of_copy).to.equal(etag);
    expect(report).to.deep.equal({
      parts: 5,
      part_bytes: 8 * MIB,
      open: ['a', 'a', 'a!', 'a/b', 'b'],
      errors: {
        'small parts': 'EntityTooSmall',
        'wrong order': 'InvalidPartOrder',
        'missing part': 'InvalidPart',
        aborted: 'NoSuchUpload',
      },
    });
  });
});
