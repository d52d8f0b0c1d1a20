import { join } from 'node:path';
import { expect } from 'chai';
import { describeWith, pythonModule } from '../support/needs.js';
import { mustRun } from '../support/programs.js';
import { useBench } from './harness.js';
import { ODD_KEYS } from './odd-keys.js';

const SCRIPT = join(process.cwd(), 'test/clients/python/copies.py');

const TAGS = [
  { Key: 'colour', Value: 'brown fox' },
  { Key: 'größe+/=@', Value: '' },
];

describeWith([pythonModule('boto3')], 'client: boto3, copies and tags', function () {
  const bench = useBench(this);

  it('copies odd keys, deletes many at once, and keeps tags', async () => {
    const { folder, service } = bench();
    const job = {
      endpoint: service.endpoint,
      access_key: service.accessKey,
      secret_key: service.secretKey,
      odd_keys: ODD_KEYS,
    };
    const env = { HOME: folder, AWS_EC2_METADATA_DISABLED: 'true', BOTO_DISABLE_CRT: 'true' };
    const { stdout } = await mustRun('python3', [SCRIPT], { env, input: JSON.stringify(job) });
    expect(JSON.parse(stdout)).to.deep.equal({
      copied: Object.fromEntries(ODD_KEYS.map((key) => [key, key])),
      deleted: { deleted: 1, errors: ['NoSuchKey'], left: 0 },
      metadata: { b: '2' },
      object_tags: [TAGS, []],
      bucket_tags: [TAGS, 'NoSuchTagSet'],
    });
  });
});
