import type { Backend } from '../../../src/backend/backend.js';
import { configurationPatch } from '../../../src/s3/bucket/configuration.js';
import { retentionPatch } from '../../../src/s3/rules/object-lock/stored.js';
import { versionRef } from '../../../src/s3/versions/names.js';
import type { S3TestClient } from '../../support/s3-client.js';
import type { Service } from '../../support/service.js';
import { inStoreOf } from '../companion.js';
import {
  BYPASS,
  inDays,
  legalHold,
  lockConfiguration,
  lockHeaders,
  retention,
  WITH_LOCKS,
} from '../object-lock/bench.js';
import { by, del, get, head, post, put, row, type ErrorRow, type Recipe } from './rows.js';
import { BUCKET, OBJECT } from './wire.js';

/** The codes of SPEC.md 7.2 that versions, locks, the cold tier and damage end in. */

const ACCOUNT = 'AUTH_main';
const LOCKED = '/locked';
const NEVER_LOCKED = `${LOCKED}/free`;
const MARKED = `${LOCKED}/marked`;
const COLD = '/cold/due';

/** Of the version that each of the locked keys has. */
const versions = new Map<string, string>();

/** The needs of {@link prepareVersions}: a cold class, and no janitor that moves objects. */
export const VERSION_CONFIG = {
  cold_storage_classes: ['GLACIER:3'],
  cold_backend: 'directory',
  janitor_interval_ms: 0,
};

/** Makes what the rows below are about; nothing of it in the bucket of the others. */
export async function prepareVersions(service: Service, s3: S3TestClient): Promise<void> {
  await s3.put('/damaged');
  await s3.put('/cold');
  await s3.put(COLD, 'body', { 'x-amz-storage-class': 'GLACIER' });
  await s3.put(LOCKED, '', WITH_LOCKS);
  for (const [key, headers] of Object.entries({
    free: {},
    marked: {},
    governance: lockHeaders('GOVERNANCE', inDays(9)),
    compliance: lockHeaders('COMPLIANCE', inDays(9)),
    damaged: lockHeaders('GOVERNANCE', inDays(9)),
  })) {
    const answer = await s3.put(`${LOCKED}/${key}`, 'body', headers);
    versions.set(key, answer.headers['x-amz-version-id'] ?? '');
  }
  const marker = await s3.delete(MARKED);
  versions.set('marker', marker.headers['x-amz-version-id'] ?? '');
  await inStoreOf(service, damage);
}

/** Rules and locks that nobody can read. */
async function damage(store: Backend): Promise<void> {
  const call = { requestId: 'damage' };
  await store.updateContainer(
    call,
    { account: ACCOUNT, container: 'damaged' },
    { systemMetadata: configurationPatch('lifecycle', 'damaged') },
  );
  const [name = ''] = Object.keys(retentionPatch(undefined));
  const key = { account: ACCOUNT, bucket: 'locked', key: 'damaged' };
  const version = versionRef(key, versions.get('damaged') ?? '');
  await store.updateObject(call, version, { systemMetadata: { [name]: 'damaged' } });
}

/** A request for the version of a key, which is known when the rows are sent. */
function ofVersion(
  key: string,
  title: string,
  make: (path: string) => ReturnType<Recipe['make']>,
): Recipe {
  const name = key === 'marker' ? 'marked' : key;
  return by(title, () => make(`${LOCKED}/${name}?versionId=${versions.get(key) ?? ''}`));
}

const NO_VERSION = '0123456789abcdef0123456789abcdef';

const MISSING = [
  row(404, 'NoSuchVersion', get(`${NEVER_LOCKED}?versionId=${NO_VERSION}`), {
    details: { VersionId: NO_VERSION },
  }),
  row(404, 'NoSuchVersion', get(`${NEVER_LOCKED}?acl&versionId=${NO_VERSION}`)),
  row(404, 'NoSuchVersion', get(`${NEVER_LOCKED}?tagging&versionId=${NO_VERSION}`)),
  row(
    404,
    'NoSuchVersion',
    put(`${BUCKET}/copy`, '', { 'x-amz-copy-source': `${NEVER_LOCKED}?versionId=${NO_VERSION}` }),
    { details: { BucketName: 'locked', Key: 'free', VersionId: NO_VERSION } },
  ),
  row(404, 'NoSuchBucket', get(`/absent/key?versionId=${NO_VERSION}`)),
];

const NO_LOCKS = { message: /^Bucket is missing Object Lock Configuration$/ };
const LATER = retention('GOVERNANCE', inDays(1));

const CONFIGURATION = [
  row(404, 'ObjectLockConfigurationNotFoundError', get(`${BUCKET}?object-lock`)),
  row(400, 'InvalidRequest', put(`${OBJECT}?legal-hold`, legalHold('ON')), NO_LOCKS),
  row(400, 'InvalidRequest', put(`${OBJECT}?retention`, LATER), NO_LOCKS),
  row(400, 'InvalidRequest', get(`${NEVER_LOCKED}?retention`), {
    message: /^Object is missing retention configuration$/,
  }),
  row(
    400,
    'InvalidRequest',
    put(OBJECT, 'over', { 'x-amz-object-lock-legal-hold': 'ON' }),
    NO_LOCKS,
  ),
  row(404, 'NoSuchObjectLockConfiguration', get(`${NEVER_LOCKED}?legal-hold`)),
  row(409, 'InvalidBucketState', put(`${BUCKET}?object-lock`, lockConfiguration()), {
    message: /^Versioning must be 'Enabled'/,
  }),
  row(409, 'InvalidBucketState', put(`${LOCKED}?versioning`, versioning('Suspended')), {
    message: /^An Object Lock configuration is present on this bucket/,
  }),
  row(400, 'IllegalVersioningConfigurationException', put(`${BUCKET}?versioning`, versioning(''))),
  row(400, 'MalformedXML', put(`${BUCKET}?versioning`, versioning('On'))),
  row(400, 'MalformedXML', put(`${NEVER_LOCKED}?legal-hold`, legalHold('MAYBE'))),
  ...[inDays(-1), inDays(366 * 101)].map((date) =>
    row(400, 'InvalidArgument', put(`${NEVER_LOCKED}?retention`, retention('COMPLIANCE', date)), {
      message: /date/i,
    }),
  ),
];

const SHORTER = retention('COMPLIANCE', inDays(1));

const KEPT = [
  row(403, 'AccessDenied', put(`${LOCKED}/governance?retention`, LATER)),
  row(403, 'AccessDenied', put(`${LOCKED}/compliance?retention`, SHORTER)),
  row(403, 'AccessDenied', put(`${LOCKED}/compliance?retention`, SHORTER, BYPASS)),
  row(403, 'AccessDenied', put(`${LOCKED}/compliance?retention`, LATER, BYPASS)),
  row(403, 'AccessDenied', ofVersion('governance', 'a DELETE under GOVERNANCE', del)),
  row(
    403,
    'AccessDenied',
    ofVersion('compliance', 'a DELETE under COMPLIANCE, with the bypass', (path) => ({
      ...del(path),
      headers: BYPASS,
    })),
  ),
].map((one) => ({ ...one, message: /./ }));

const MARKERS = [
  row(404, 'NoSuchKey', get(MARKED), { headers: { 'x-amz-delete-marker': 'true' } }),
  row(404, 'NoSuchKey', head(MARKED), { headers: { 'x-amz-delete-marker': 'true' } }),
  row(405, 'MethodNotAllowed', ofVersion('marker', 'a GET of a delete marker', get), {
    headers: { 'x-amz-delete-marker': 'true', allow: 'DELETE' },
  }),
];

const COLD_TIER = [
  row(400, 'InvalidObjectState', get(COLD)),
  row(400, 'InvalidObjectState', head(COLD)),
  row(400, 'InvalidObjectState', post(`${OBJECT}?restore`, restore(1)), {
    message: /^Restore is not allowed for the object's current storage class$/,
  }),
];

const DAMAGE = [
  row(500, 'InternalError', get('/damaged?lifecycle')),
  row(500, 'InternalError', get(`${LOCKED}/damaged?retention`)),
  row(500, 'InternalError', put(`${LOCKED}/damaged?retention`, LATER, BYPASS)),
  row(500, 'InternalError', ofVersion('damaged', 'a DELETE of a version with damaged locks', del)),
];

function versioning(status: string): string {
  const element = status === '' ? '' : `<Status>${status}</Status>`;
  return `<VersioningConfiguration>${element}</VersioningConfiguration>`;
}

function restore(days: number): string {
  return `<RestoreRequest><Days>${days}</Days></RestoreRequest>`;
}

export const VERSION_ROWS: readonly ErrorRow[] = [
  ...[...MISSING, ...CONFIGURATION, ...KEPT, ...MARKERS, ...COLD_TIER, ...DAMAGE],
];
