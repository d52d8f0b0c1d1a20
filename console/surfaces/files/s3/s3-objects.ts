import type { IncomingHttpHeaders } from 'node:http';
import { changedMeta, sentValue } from '../meta-values.js';
import { S3StatusError } from '../../../s3/errors.js';
import { ApiError } from '../../../server/api-error.js';
import { headerText, textOfHeader } from '../../../swift/login.js';
import type { SwiftAccount } from '../../../swift/account.js';
import type { Place } from '../copy-object.js';
import {
  BODY_HEADERS,
  changedSince,
  keptIn,
  metaIn,
  ownMeta,
  type ObjectInfo,
} from '../object-info.js';
import { translate } from '../translate.js';
import type { Target } from '../write-effect.js';
import { NULL_VERSION, onlyOver, type S3Bucket, type S3Current } from './s3-bucket.js';
import { coldClassOf } from './s3-facts.js';

const META = 'x-amz-meta-';
const KEPT = [...BODY_HEADERS, 'x-amz-storage-class'];
/** Largest body of one request, of S3 and of Swift. */
const PLAIN_BYTES_MAX = 5 * 1024 ** 3;
/** More versions of one key than one removal reads at a time. */
const VERSIONS_AT_ONCE = 1000;
const VERSIONS_READ_MAX = 10_000;

/** The properties of one version in S3. */
export interface S3ObjectView {
  readonly type: 'object' | 'marker';
  readonly bytes: number;
  readonly etag: string;
  readonly content_type: string;
  readonly last_modified: string;
  readonly delete_at_unix_s: null;
  readonly headers: Readonly<Record<string, string>>;
  readonly segments: null;
  /** The metadata by names in lower case, without `x-amz-meta-`. */
  readonly meta: Readonly<Record<string, string>>;
  readonly s3: S3VersionView;
}

/** The facts of a version that S3 alone knows. */
export interface S3VersionView {
  readonly version_id: string;
  readonly storage_class: string;
  /** `x-amz-restore` as it was sent; null where nothing is restored from cold storage. */
  readonly restore: string | null;
  readonly lock_mode: string | null;
  readonly retain_until: string | null;
  readonly legal_hold: boolean;
  /** The number of its tags. */
  readonly tags: number;
  /** It is in cold storage, where S3 shows no metadata. */
  readonly cold: boolean;
}

/** The properties in S3 of the current version of an object, or of another. */
export async function s3ObjectInfo(
  bucket: S3Bucket,
  key: string,
  versionId?: string,
): Promise<S3ObjectView> {
  const answer = await bucket.head(key, versionId).catch((error: unknown) => {
    // The answer to a HEAD says no more.
    if (error instanceof S3StatusError && error.status === 400) return undefined;
    throw error;
  });
  return answer === undefined ? coldInfo(bucket, key, versionId) : infoOf(answer.headers);
}

function infoOf(headers: IncomingHttpHeaders): S3ObjectView {
  const text = (name: string) => textOfHeader(headers[name]);
  return {
    type: text('content-type') === 'application/directory' ? 'marker' : 'object',
    bytes: Number(headers['content-length'] ?? 0),
    etag: text('etag').replaceAll('"', ''),
    content_type: text('content-type'),
    last_modified: text('last-modified'),
    delete_at_unix_s: null,
    headers: keptIn(headers, KEPT),
    segments: null,
    meta: metaIn(headers, META),
    s3: {
      version_id: text('x-amz-version-id') || NULL_VERSION,
      storage_class: text('x-amz-storage-class') || 'STANDARD',
      restore: text('x-amz-restore') || null,
      lock_mode: text('x-amz-object-lock-mode') || null,
      retain_until: text('x-amz-object-lock-retain-until-date') || null,
      legal_hold: text('x-amz-object-lock-legal-hold') === 'ON',
      tags: Number(headers['x-amz-tagging-count'] ?? 0),
      cold: false,
    },
  };
}

/** The listed properties of an object in cold storage, whose metadata S3 does not show. */
async function coldInfo(bucket: S3Bucket, key: string, versionId: string | undefined) {
  const storageClass = await coldClassOf(bucket, key, versionId);
  const versions = await bucket.versionsOf(key, VERSIONS_READ_MAX);
  const found = versions.find(({ id, is_latest: isLatest }) =>
    versionId === undefined ? isLatest : id === versionId,
  );
  if (storageClass === undefined || found === undefined) throw new S3StatusError(400, '');
  const { s3, ...known } = infoOf({});
  return {
    ...known,
    ...{ bytes: found.bytes, etag: found.etag, last_modified: found.last_modified },
    s3: { ...s3, version_id: found.id, storage_class: storageClass, cold: true },
  };
}

/** In lower case, as headers are signed. */
function metaHeaders(meta: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(meta).map(([name, value]) => [
      META + name.toLowerCase(),
      headerText(sentValue(value)),
    ]),
  );
}

/**
 * Gives an object other metadata: S3 has no way but a copy, which is a new version.
 * @param etag of what must be current
 * @throws ApiError conflict
 */
export async function replaceS3Meta(
  bucket: S3Bucket,
  key: string,
  meta: Readonly<Record<string, string>>,
  contentType: string | undefined,
  etag: string,
): Promise<void> {
  const { headers } = await bucket.head(key);
  const match = `"${etag}"`;
  await bucket
    .copyTo(
      { container: bucket.name, object: key },
      { key },
      {
        ...keptIn(headers, KEPT),
        ...metaHeaders(changedMeta(meta, metaIn(headers, META))),
        'content-type':
          contentType === undefined ? (headers['content-type'] ?? '') : headerText(contentType),
        'x-amz-metadata-directive': 'REPLACE',
        // A version that another client wrote meanwhile has a type and headers of its own.
        'x-amz-copy-source-if-match': match,
        'if-match': match,
      },
    )
    .catch(overtaken);
}

/** The object under a key, and the effect of writing there, or of a delete marker. */
export async function s3Target(bucket: S3Bucket, key: string): Promise<Target> {
  const replaces = await replacesNull(bucket, key);
  const etag = (await bucket.current(key))?.etag;
  if (replaces) return { effect: 'destroys', etag };
  return { effect: etag === undefined ? 'creates' : 'keeps', etag };
}

/** Whether something new takes the place of the version `null`, which is gone for good then. */
async function replacesNull(bucket: S3Bucket, key: string): Promise<boolean> {
  if (bucket.versioning === 'Enabled') return false;
  const versions = await bucket.versionsOf(key, VERSIONS_READ_MAX);
  // The version `null` may be among those that were not read.
  if (versions.length === VERSIONS_READ_MAX) return true;
  return versions.some(({ id, deleted }) => id === NULL_VERSION && !deleted);
}

const SUSPENDED =
  'Versioning is suspended, so this would permanently replace the “null” version. Your role does not allow that.';

/**
 * Writes a delete marker over what is current.
 * @param current what must be
 * @returns the version that was current
 * @throws ApiError no_such_object, forbidden, conflict
 */
export async function deleteInS3(
  bucket: S3Bucket,
  key: string,
  mayDestroy: boolean,
  current?: S3Current,
): Promise<string> {
  const found = current ?? (await bucket.current(key));
  if (found === undefined) throw new ApiError('no_such_object', 'The object does not exist.');
  await expectKept(bucket, key, mayDestroy);
  await bucket.delete(key, found.etag).catch((error: unknown) => {
    if (error instanceof S3StatusError && error.status === 412) throw changedSince();
    throw error;
  });
  return found.id;
}

/**
 * For what writes under a name, also where nothing is current: behind a delete marker may be the
 * version `null`.
 * @returns the condition of the write, which holds while that is so
 * @throws ApiError forbidden where that would go, and may not
 */
export async function expectKept(
  bucket: S3Bucket,
  key: string,
  mayDestroy: boolean,
): Promise<Readonly<Record<string, string>>> {
  if (mayDestroy || bucket.versioning === 'Enabled') return {};
  const current = await bucket.current(key);
  if (await replacesNull(bucket, key)) throw new ApiError('forbidden', SUSPENDED);
  return onlyOver(current?.etag);
}

/**
 * Deletes a version for good.
 * @param bypass - also one that is retained in governance mode
 * @throws ApiError object_locked
 */
export async function deleteS3Version(
  bucket: S3Bucket,
  key: string,
  id: string,
  bypass = false,
): Promise<void> {
  try {
    await bucket.deleteVersion(key, id, bypass);
  } catch (error) {
    if (!(error instanceof S3StatusError && error.status === 403)) throw error;
    throw (await lockOf(bucket, key, id)) ?? error;
  }
}

async function lockOf(bucket: S3Bucket, key: string, id: string): Promise<ApiError | undefined> {
  const info = await s3ObjectInfo(bucket, key, id).catch(() => undefined);
  if (info?.s3.legal_hold === true) {
    const held = 'This version is protected by a legal hold. Remove the hold first.';
    return new ApiError('object_locked', held);
  }
  const until = info?.s3.retain_until ?? null;
  if (until === null) return undefined;
  const message = `Object Lock protects this version until ${until.slice(0, 19).replace('T', ' ')} UTC.`;
  return new ApiError('object_locked', message, { retain_until: until });
}

/** Deletes all versions and delete markers of a key for good. @throws the first failure */
export async function purgeInS3(bucket: S3Bucket, key: string): Promise<void> {
  let failure: unknown;
  let deleted: number;
  do {
    deleted = 0;
    failure = undefined;
    const versions = await bucket.versionsOf(key, VERSIONS_AT_ONCE);
    for (const { id } of versions) {
      try {
        await deleteS3Version(bucket, key, id);
        deleted += 1;
      } catch (error) {
        failure ??= error;
      }
    }
    if (versions.length < VERSIONS_AT_ONCE) break;
  } while (deleted > 0);
  // oxlint-disable-next-line typescript/only-throw-error -- what was caught
  if (failure !== undefined) throw failure;
}

/**
 * Makes an older version the current one again, by a copy of it: a new version with a new id.
 * @throws ApiError conflict where it is the current one, or stands for a deletion
 */
export async function restoreInS3(
  bucket: S3Bucket,
  key: string,
  id: string,
  mayDestroy: boolean,
): Promise<void> {
  const current = await bucket.current(key);
  if (current?.id === id) throw new ApiError('conflict', 'This is already the current version.');
  await expectKept(bucket, key, mayDestroy);
  const condition = onlyOver(current?.etag);
  await bucket
    .copyTo({ container: bucket.name, object: key }, { key, versionId: id }, condition)
    .catch(overtaken);
}

/** @throws ApiError conflict for a condition that did not hold */
export function overtaken(error: unknown): never {
  throw translate(error, 412, 'conflict', 'The object has changed and was skipped.');
}

/**
 * Copies what Swift has into a bucket with versions: through the console, since no copy of S3 or
 * Swift has an end in either.
 * @param info what the source must still be
 * @param condition on what is current in the bucket
 * @throws ApiError too_large; SwiftStatusError and S3StatusError 412
 */
export async function copyIntoS3(
  store: SwiftAccount,
  from: Place,
  info: ObjectInfo,
  bucket: S3Bucket,
  key: string,
  condition: Readonly<Record<string, string>>,
): Promise<void> {
  if (info.bytes > PLAIN_BYTES_MAX) {
    const message = 'The object is larger than 5 GiB. Use an S3 client to copy it.';
    throw new ApiError('too_large', message);
  }
  const match = { 'if-match': `"${info.etag}"` };
  const { body, headers } = await store.expect([200], 'GET', { ...from, headers: match });
  const kept = Object.entries(info.kept).filter(([name]) => name !== 'x-object-manifest');
  try {
    await bucket.put(key, body, {
      ...Object.fromEntries(kept),
      ...metaHeaders(ownMeta(info.meta)),
      'content-type': headerText(info.contentType),
      'content-length': String(headers['content-length'] ?? info.bytes),
      ...condition,
    });
  } finally {
    // A refused body would hold its connection to the store.
    body.destroy();
  }
}
