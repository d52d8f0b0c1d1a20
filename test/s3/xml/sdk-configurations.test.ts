import * as sdk from '@aws-sdk/client-s3';
import { expect } from 'chai';
import { validateLifecycle } from '../../../src/s3/rules/lifecycle/validate.js';
import {
  parseAccessControlPolicy,
  renderAccessControlPolicy,
} from '../../../src/s3/xml/access-control-policy.js';
import {
  parseCorsConfiguration,
  renderCorsConfiguration,
} from '../../../src/s3/xml/cors-configuration.js';
import {
  parseLifecycleConfiguration,
  renderLifecycleConfiguration,
} from '../../../src/s3/xml/lifecycle-configuration.js';
import { SdkExchange } from './sdk-exchange.js';

/**
 * The AWS SDK as oracle of configurations: what it puts is parsed and rendered by us, and what it
 * then gets is what it was given.
 */

const BUCKET = { Bucket: 'bucket' };
const USER = 'test:<b&b>"\'ä😀 ';

const RULES: sdk.LifecycleRule[] = [
  {
    ID: 'all',
    Status: 'Enabled',
    Filter: {
      And: {
        Prefix: 'logs/ä ',
        Tags: [
          { Key: 'a', Value: '<1>' },
          { Key: 'b', Value: '' },
        ],
        ObjectSizeGreaterThan: 1,
        ObjectSizeLessThan: 5_000_000_000,
      },
    },
    Expiration: { Days: 90 },
    Transitions: [
      { Days: 30, StorageClass: 'STANDARD_IA' },
      { Days: 60, StorageClass: 'GLACIER' },
    ],
    NoncurrentVersionExpiration: { NoncurrentDays: 9, NewerNoncurrentVersions: 5 },
    NoncurrentVersionTransitions: [{ NoncurrentDays: 3, StorageClass: 'GLACIER' }],
  },
  {
    ID: 'dates',
    Status: 'Disabled',
    Filter: { Tag: { Key: 'k', Value: 'v' } },
    Expiration: { Date: new Date('2030-01-02T00:00:00Z') },
    Transitions: [{ Date: new Date('2030-01-01T00:00:00Z'), StorageClass: 'GLACIER' }],
  },
  {
    ID: 'rest',
    Status: 'Enabled',
    Filter: { Prefix: '' },
    Expiration: { ExpiredObjectDeleteMarker: true },
    AbortIncompleteMultipartUpload: { DaysAfterInitiation: 7 },
  },
];

describe('s3 xml: configurations, with the AWS SDK as oracle', () => {
  const exchange = new SdkExchange();
  const { client } = exchange;

  beforeEach(() => {
    exchange.answer = '';
  });
  after(() => {
    client.destroy();
  });

  it('AccessControlPolicy', async () => {
    const policy: sdk.AccessControlPolicy = {
      Owner: { ID: 'test:owner', DisplayName: 'test:owner' },
      Grants: [
        {
          Grantee: { Type: 'CanonicalUser', ID: USER.trim(), DisplayName: USER.trim() },
          Permission: 'FULL_CONTROL',
        },
        {
          Grantee: { Type: 'Group', URI: 'http://acs.amazonaws.com/groups/global/AllUsers' },
          Permission: 'READ_ACP',
        },
      ],
    };
    await client.send(new sdk.PutBucketAclCommand({ ...BUCKET, AccessControlPolicy: policy }));
    exchange.answer = renderAccessControlPolicy(parseAccessControlPolicy(exchange.body));
    const { Owner, Grants } = await client.send(new sdk.GetBucketAclCommand(BUCKET));
    expect({ Owner, Grants }).to.deep.equal(policy);
  });

  it('CORSConfiguration', async () => {
    const rules: sdk.CORSRule[] = [
      {
        ID: 'a & b',
        AllowedOrigins: ['https://*.example.com', 'null'],
        AllowedMethods: ['GET', 'PUT'],
        AllowedHeaders: ['X-Amz-*', 'content-type'],
        ExposeHeaders: ['ETag'],
        MaxAgeSeconds: 3000,
      },
      { AllowedOrigins: ['*'], AllowedMethods: ['HEAD'] },
    ];
    const configuration = { CORSRules: rules };
    await client.send(
      new sdk.PutBucketCorsCommand({ ...BUCKET, CORSConfiguration: configuration }),
    );
    exchange.answer = renderCorsConfiguration(parseCorsConfiguration(exchange.body));
    const { CORSRules } = await client.send(new sdk.GetBucketCorsCommand(BUCKET));
    expect(CORSRules).to.deep.equal(rules);
  });

  it('LifecycleConfiguration', async () => {
    const command = new sdk.PutBucketLifecycleConfigurationCommand({
      ...BUCKET,
      LifecycleConfiguration: { Rules: RULES },
    });
    await client.send(command);
    const configuration = parseLifecycleConfiguration(exchange.body);
    validateLifecycle(configuration, ['STANDARD', 'STANDARD_IA', 'GLACIER']);
    exchange.answer = renderLifecycleConfiguration(configuration);
    const got = await client.send(new sdk.GetBucketLifecycleConfigurationCommand(BUCKET));
    expect(got.Rules).to.deep.equal(RULES);
  });
});
