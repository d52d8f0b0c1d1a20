import { join } from 'node:path';
import { expect } from 'chai';
import { describeWith, pythonModule } from '../support/needs.js';
import { useBench } from './harness.js';
import { sha256OfFile, writeBigFile } from './material.js';
import { runBoto3 } from './programs.js';

const MIB = 1024 * 1024;

describeWith([pythonModule('boto3')], 'client: boto3, multipart', function () {
  const bench = useBench(this);

  it('uploads, copies and downloads in parts, lists, aborts, and is told what is wrong', async () => {
    const { folder } = bench();
    const sha256 = await writeBigFile(join(folder, 'file'), 35 * MIB);
    const job = { file: join(folder, 'file'), copy: join(folder, 'copy') };
    const done = await runBoto3<Record<string, unknown>>(bench(), 'multipart.py', job);
    const { etag, etag_of_copy, ...report } = done;
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
