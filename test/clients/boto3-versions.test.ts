import { expect } from 'chai';
import { describeWith, pythonModule } from '../support/needs.js';
import { useBench } from './harness.js';
import { runBoto3 } from './programs.js';

describeWith([pythonModule('boto3')], 'client: boto3, versions and locks', function () {
  const bench = useBench(this);

  it('keeps, lists, locks and deletes versions', async () => {
    expect(await runBoto3(bench(), 'versions.py', {})).to.deep.equal({
      states: [
        ['second', 'first', 'plain'],
        'NoSuchKey',
        'MethodNotAllowed',
        'first',
        // botocore has but the status of a HEAD.
        '404',
        'InvalidArgument',
      ],
      pages: [8, 8, 8, 8],
      suspended: [['null', 'null'], 1, 'null'],
      configuration: [
        { ObjectLockEnabled: 'Enabled' },
        'ObjectLockConfigurationNotFoundError',
        true,
        'MalformedXML',
        'InvalidBucketState',
      ],
      locks: ['AccessDenied', 'AccessDenied', 'AccessDenied', 'AccessDenied'],
      emptied: ['BucketNotEmpty', 'NoSuchBucket'],
    });
  });
});
