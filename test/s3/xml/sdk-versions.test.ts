import * as sdk from '@aws-sdk/client-s3';
import { expect } from 'chai';
import { lockHeaders, parseLockHeaders } from '../../../src/s3/rules/object-lock/headers.js';
import { lockMetadata } from '../../../src/s3/rules/object-lock/stored.js';
import { parseLegalHold, renderLegalHold } from '../../../src/s3/xml/legal-hold.js';
import { renderListVersionsResult } from '../../../src/s3/xml/list-versions-result.js';
import {
  parseObjectLockConfiguration,
  renderObjectLockConfiguration,
} from '../../../src/s3/xml/object-lock-configuration.js';
import { parseRetention, renderRetention } from '../../../src/s3/xml/retention.js';
import {
  parseVersioningConfiguration,
  renderVersioningConfiguration,
} from '../../../src/s3/xml/versioning-configuration.js';
import { headers } from '../support.js';
import { SdkExchange } from './sdk-exchange.js';
import { OWNER, SDK_OWNER } from './support.js';

/** The AWS SDK as oracle of what is said about versions and their locks. */

const BUCKET = { Bucket: 'bucket' };
const TARGET = { ...BUCKET, Key: 'key' };
const NOW = Date.UTC(2026, 0, 1);
const UNTIL = new Date(Date.UTC(2030, 0, 1));
const ID = '0123456789abcdef0123456789abcdef';

describe('s3 xml: versions and locks, with the AWS SDK as oracle', () => {
  const exchange = new SdkExchange();
  const { client } = exchange;

  after(() => {
    client.destroy();
  });

  it('VersioningConfiguration', async () => {
    for (const Status of ['Enabled', 'Suspended'] as const) {
      await client.send(
        new sdk.PutBucketVersioningCommand({ ...BUCKET, VersioningConfiguration: { Status } }),
      );
      exchange.answer = renderVersioningConfiguration(parseVersioningConfiguration(exchange.body));
      const got = await client.send(new sdk.GetBucketVersioningCommand(BUCKET));
      expect(got.Status).to.equal(Status);
    }
    exchange.answer = renderVersioningConfiguration('unversioned');
    const got = await client.send(new sdk.GetBucketVersioningCommand(BUCKET));
    expect(got).not.to.have.property('Status');
  });

  it('ListVersionsResult', async () => {
    exchange.answer = renderListVersionsResult({
      bucket: 'bucket',
      query: {
        prefix: '',
        delimiter: '/',
        keyMarker: 'a<',
        versionIdMarker: 'null',
        maxKeys: 3,
        urlEncoded: false,
      },
      entries: [
        {
          kind: 'delete-marker',
          key: 'k<&>',
          versionId: ID,
          isLatest: true,
          lastModified: NOW,
          owner: OWNER,
        },
        {
          kind: 'version',
          key: 'k<&>',
          versionId: 'null',
          isLatest: false,
          lastModified: NOW,
          etag: 'abc',
          size: 5,
          storageClass: 'STANDARD',
          owner: OWNER,
          checksumAlgorithm: 'CRC32',
        },
      ],
      commonPrefixes: ['p/'],
      truncated: true,
      nextKeyMarker: 'p/',
    }).toString();
    const { $metadata, ...got } = await client.send(new sdk.ListObjectVersionsCommand(BUCKET));
    expect($metadata.httpStatusCode).to.equal(200);
    expect(got).to.deep.include({
      IsTruncated: true,
      KeyMarker: 'a<',
      VersionIdMarker: 'null',
      NextKeyMarker: 'p/',
      MaxKeys: 3,
      CommonPrefixes: [{ Prefix: 'p/' }],
      DeleteMarkers: [
        {
          Key: 'k<&>',
          VersionId: ID,
          IsLatest: true,
          LastModified: new Date(NOW),
          Owner: SDK_OWNER,
        },
      ],
      Versions: [
        {
          Key: 'k<&>',
          VersionId: 'null',
          IsLatest: false,
          LastModified: new Date(NOW),
          ETag: '"abc"',
          Size: 5,
          StorageClass: 'STANDARD',
          Owner: SDK_OWNER,
          ChecksumAlgorithm: ['CRC32'],
        },
      ],
    });
    expect(got.NextVersionIdMarker).to.equal(undefined);
  });

  it('ObjectLockConfiguration', async () => {
    const configurations: sdk.ObjectLockConfiguration[] = [
      { ObjectLockEnabled: 'Enabled' },
      {
        ObjectLockEnabled: 'Enabled',
        Rule: { DefaultRetention: { Mode: 'GOVERNANCE', Days: 30 } },
      },
      {
        ObjectLockEnabled: 'Enabled',
        Rule: { DefaultRetention: { Mode: 'COMPLIANCE', Years: 7 } },
      },
    ];
    for (const ObjectLockConfiguration of configurations) {
      await client.send(
        new sdk.PutObjectLockConfigurationCommand({ ...BUCKET, ObjectLockConfiguration }),
      );
      exchange.answer = renderObjectLockConfiguration(parseObjectLockConfiguration(exchange.body));
      const got = await client.send(new sdk.GetObjectLockConfigurationCommand(BUCKET));
      expect(got.ObjectLockConfiguration).to.deep.equal(ObjectLockConfiguration);
    }
  });

  it('Retention', async () => {
    const Retention = { Mode: 'GOVERNANCE', RetainUntilDate: UNTIL } as const;
    await client.send(new sdk.PutObjectRetentionCommand({ ...TARGET, Retention }));
    const parsed = parseRetention(exchange.body, NOW);
    expect(parsed).to.deep.equal({ mode: 'GOVERNANCE', retainUntil: UNTIL.getTime() });
    exchange.answer = renderRetention(parsed!);
    const got = await client.send(new sdk.GetObjectRetentionCommand(TARGET));
    expect(got.Retention).to.deep.equal(Retention);
  });

  it('Retention, to be removed', async () => {
    const command = new sdk.PutObjectRetentionCommand({
      ...TARGET,
      Retention: {},
      BypassGovernanceRetention: true,
    });
    await client.send(command);
    expect(exchange.headers['x-amz-bypass-governance-retention']).to.equal('true');
    expect(parseRetention(exchange.body, NOW)).to.equal(undefined);
  });

  it('LegalHold', async () => {
    for (const Status of ['ON', 'OFF'] as const) {
      const command = new sdk.PutObjectLegalHoldCommand({ ...TARGET, LegalHold: { Status } });
      await client.send(command);
      exchange.answer = renderLegalHold(parseLegalHold(exchange.body));
      const got = await client.send(new sdk.GetObjectLegalHoldCommand(TARGET));
      expect(got.LegalHold).to.deep.equal({ Status });
    }
  });

  it('headers of Object Lock', async () => {
    const locks = {
      ObjectLockMode: 'COMPLIANCE',
      ObjectLockRetainUntilDate: UNTIL,
      ObjectLockLegalHoldStatus: 'ON',
    } as const;
    await client.send(new sdk.PutObjectCommand({ ...TARGET, ...locks, Body: 'x' }));
    const { retention, legalHold } = parseLockHeaders(headers(exchange.headers), NOW);
    exchange.answer = '';
    exchange.answerHeaders = Object.fromEntries(lockHeaders(lockMetadata(retention, legalHold)));
    const got = await client.send(new sdk.HeadObjectCommand(TARGET));
    expect(got).to.deep.include(locks);
  });
});
