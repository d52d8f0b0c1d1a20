import { expect } from 'chai';
import { describeWith, pythonModule } from '../support/needs.js';
import { useBench } from './harness.js';
import { ODD_KEYS } from './odd-keys.js';
import { runBoto3 } from './programs.js';

const TAGS = [
  { Key: 'colour', Value: 'brown fox' },
  { Key: 'größe+/=@', Value: '' },
];

describeWith([pythonModule('boto3')], 'client: boto3, copies and tags', function () {
  const bench = useBench(this);

  it('copies odd keys, deletes many at once, and keeps tags', async () => {
    const report = await runBoto3(bench(), 'copies.py', { odd_keys: ODD_KEYS });
    expect(report).to.deep.equal({
      copied: Object.fromEntries(ODD_KEYS.map((key) => [key, key])),
      deleted: { deleted: 1, errors: ['NoSuchKey'], left: 0 },
      metadata: { b: '2' },
      object_tags: [TAGS, []],
      bucket_tags: [TAGS, 'NoSuchTagSet'],
    });
  });
});
