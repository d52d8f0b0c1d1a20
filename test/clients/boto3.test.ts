import { join } from 'node:path';
import { expect } from 'chai';
import { describeWith, pythonModule } from '../support/needs.js';
import { mustRun } from '../support/programs.js';
import { useBench } from './harness.js';
import { BIG_FILE_BYTES, makeTree, sha256OfFile, treeHashes, writeBigFile } from './material.js';
import { ODD_KEYS } from './odd-keys.js';

const SCRIPT = join(process.cwd(), 'test/clients/python/round_trip.py');

interface Report {
  readonly files: number;
  readonly odd_keys: readonly string[];
  readonly errors: Readonly<Record<string, string>>;
  readonly range: string;
}

describeWith([pythonModule('boto3')], 'client: boto3', function () {
  const bench = useBench(this);

  it('round-trips a tree, odd keys, ranges, errors and one big file', async () => {
    const { folder, service } = bench();
    const inFolder = (name: string): string => join(folder, name);
    const count = await makeTree(inFolder('source'), 'some');
    const sha256 = await writeBigFile(inFolder('big'), BIG_FILE_BYTES);
    const job = {
      endpoint: service.endpoint,
      access_key: service.accessKey,
      secret_key: service.secretKey,
      source: inFolder('source'),
      copy: inFolder('copy'),
      big: inFolder('big'),
      big_copy: inFolder('big-copy'),
      odd_keys: ODD_KEYS,
    };
    const env = { HOME: folder, AWS_EC2_METADATA_DISABLED: 'true', BOTO_DISABLE_CRT: 'true' };
    const { stdout } = await mustRun('python3', [SCRIPT], { env, input: JSON.stringify(job) });
    const report = JSON.parse(stdout) as Report;

    expect(report.files).to.equal(count);
    expect(await treeHashes(inFolder('copy'))).to.deep.equal(await treeHashes(inFolder('source')));
    expect(await sha256OfFile(inFolder('big-copy'))).to.equal(sha256);
    const bytewise = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));
    expect(report.odd_keys).to.deep.equal([...ODD_KEYS].sort(bytewise));
    expect(report.range).to.equal('234');
    expect(report.errors).to.deep.equal({
      'absent key': 'NoSuchKey',
      'absent bucket': 'NoSuchBucket',
      'full bucket': 'BucketNotEmpty',
    });
  });
});
