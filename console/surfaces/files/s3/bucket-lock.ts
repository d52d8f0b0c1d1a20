import { z } from 'zod';
import { S3StatusError } from '../../../s3/errors.js';
import { children, textIn } from '../../../s3/xml.js';
import { ApiError } from '../../../server/api-error.js';
import { orNone } from './failure.js';
import { BYPASS_GOVERNANCE, type S3Bucket, type S3Place } from './s3-bucket.js';
import { s3ObjectInfo } from './s3-objects.js';

/** Object Lock of a bucket and of its versions, as S3 has it (docs/s3-compatibility.md). */

const MODE = z.enum(['GOVERNANCE', 'COMPLIANCE']);
/** AWS and the gateway take a hundred years at most. */
const YEARS_MAX = 100;
/** The last second of the year 9999: dates of S3 have four digits for the year. */
const UNTIL_MAX_S = 253_402_300_799;

/** The retention of versions that are written without one of their own. */
const defaultRetention = z.strictObject({
  mode: MODE,
  unit: z.enum(['days', 'years']),
  count: z.int().min(1),
});
export type DefaultRetention = z.infer<typeof defaultRetention>;

/** The retention of new versions; null for none. */
export const NEW_RETENTION = defaultRetention
  .refine(({ unit, count }) => count <= YEARS_MAX * (unit === 'years' ? 1 : 365), {
    error: 'at most a hundred years',
  })
  .nullable();

export const BUCKET_LOCK = z.strictObject({
  enabled: z.boolean(),
  default_retention: defaultRetention.nullable(),
});
export type BucketLock = z.infer<typeof BUCKET_LOCK>;

/** The retention of one version. */
export const RETENTION = z.strictObject({
  mode: MODE,
  until_unix_s: z.int().positive().max(UNTIL_MAX_S),
});
type Retention = z.infer<typeof RETENTION>;

const NAMESPACE = 'xmlns="http://s3.amazonaws.com/doc/2006-03-01/"';

/** @throws S3StatusError; UpstreamError */
export async function bucketLock({ s3, name: bucket }: S3Place): Promise<BucketLock> {
  const root = await s3.read('GET', { bucket, query: { 'object-lock': '' } }).catch(orNone);
  if (root === undefined) return { enabled: false, default_retention: null };
  const [rule = ''] = children(root, 'Rule');
  const [given] = children(rule, 'DefaultRetention');
  return {
    enabled: textIn(root, 'ObjectLockEnabled') === 'Enabled',
    default_retention: given === undefined ? null : defaultOf(given),
  };
}

function defaultOf(node: Parameters<typeof textIn>[0]): DefaultRetention {
  const years = textIn(node, 'Years');
  const mode = textIn(node, 'Mode') as DefaultRetention['mode'];
  return years === ''
    ? { mode, unit: 'days', count: Number(textIn(node, 'Days')) }
    : { mode, unit: 'years', count: Number(years) };
}

/** A default retention in the audit log. */
export function defaultText(given: DefaultRetention | null): string {
  return given === null ? 'none' : `${given.mode} ${given.count} ${given.unit}`;
}

/**
 * Turns Object Lock on, for good, where it is not, and sets the default retention.
 * @throws S3StatusError 409 where the bucket does not keep versions
 */
export async function setBucketLock(
  { s3, name: bucket }: S3Place,
  retention: DefaultRetention | null,
): Promise<void> {
  const period = retention?.unit === 'years' ? 'Years' : 'Days';
  const rule =
    retention === null
      ? ''
      : `<Rule><DefaultRetention><Mode>${retention.mode}</Mode><${period}>${retention.count}</${period}></DefaultRetention></Rule>`;
  const body = `<ObjectLockConfiguration ${NAMESPACE}><ObjectLockEnabled>Enabled</ObjectLockEnabled>${rule}</ObjectLockConfiguration>`;
  await s3.do([200], 'PUT', { bucket, query: { 'object-lock': '' }, body });
}

/**
 * Gives a version another retention, or none.
 * @param bypass - may shorten, remove or change one in governance mode
 * @throws ApiError object_locked
 */
export async function setRetention(
  bucket: S3Bucket,
  key: string,
  versionId: string,
  retention: Retention | null,
  bypass: boolean,
): Promise<void> {
  const inner =
    retention === null
      ? ''
      : `<Mode>${retention.mode}</Mode><RetainUntilDate>${new Date(retention.until_unix_s * 1000).toISOString()}</RetainUntilDate>`;
  const body = `<Retention ${NAMESPACE}>${inner}</Retention>`;
  const place = { bucket: bucket.name, key, query: { retention: '', versionId } };
  const headers = bypass ? BYPASS_GOVERNANCE : {};
  try {
    await bucket.s3.do([200], 'PUT', { ...place, headers, body });
  } catch (error) {
    if (!(error instanceof S3StatusError && error.status === 403)) throw error;
    throw (await refusalOf(bucket, key, versionId)) ?? error;
  }
}

async function refusalOf(
  bucket: S3Bucket,
  key: string,
  versionId: string,
): Promise<ApiError | undefined> {
  const info = await s3ObjectInfo(bucket, key, versionId).catch(() => undefined);
  const { lock_mode: mode = null, retain_until: until = null } = info?.s3 ?? {};
  if (mode === null) return undefined;
  const message =
    mode === 'COMPLIANCE'
      ? 'Compliance-mode retention can only be extended until it expires.'
      : 'Governance-mode retention can be extended. To shorten or remove it, bypass governance retention.';
  return new ApiError('object_locked', message, { mode, retain_until: until });
}

export async function setLegalHold(
  bucket: S3Bucket,
  key: string,
  versionId: string,
  isOn: boolean,
): Promise<void> {
  const body = `<LegalHold ${NAMESPACE}><Status>${isOn ? 'ON' : 'OFF'}</Status></LegalHold>`;
  const query = { 'legal-hold': '', versionId };
  await bucket.s3.do([200], 'PUT', { bucket: bucket.name, key, query, body });
}
