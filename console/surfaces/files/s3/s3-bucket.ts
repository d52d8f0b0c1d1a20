import type { Readable } from 'node:stream';
import type { S3Account, S3Request } from '../../../s3/s3-account.js';
import { S3StatusError } from '../../../s3/errors.js';
import { ApiError } from '../../../server/api-error.js';
import { children, copySource, keyIn, parseXml, textIn, type XmlNode } from '../../../s3/xml.js';
import type { Session } from '../../../server/sessions.js';
import type { UpstreamAnswer } from '../../../swift/upstream.js';
import type { ObjectVersion } from '../versions.js';

export type S3Versioning = 'Enabled' | 'Suspended';

/** A version or a delete marker of some key, as S3 lists it. */
export interface S3Version extends ObjectVersion {
  readonly name: string;
  readonly storage_class: string | null;
}

/** The current version of a key. */
export interface S3Current {
  readonly id: string;
  readonly etag: string;
}

/** The condition of a write on what is current. @param etag undefined: nothing may be */
export function onlyOver(etag: string | undefined): Readonly<Record<string, string>> {
  return etag === undefined ? { 'if-none-match': '*' } : { 'if-match': `"${etag}"` };
}

/** The version of what was written while versioning was off or suspended. */
export const NULL_VERSION = 'null';

/** Asks S3 to look past a retention in governance mode. */
export const BYPASS_GOVERNANCE = { 'x-amz-bypass-governance-retention': 'true' } as const;

/** A body may pause that long, and so may an answer to a copy. */
const BODY_IDLE_MS = 15 * 60_000;
/** Parsing one takes no longer than a few milliseconds. */
const PAGE = 200;
const BUCKET_NAME = /^[A-Za-z0-9._-]{3,255}$/;

/** A container that S3 knows as a bucket, with versions or without. */
export interface S3Place {
  readonly s3: S3Account;
  readonly name: string;
  readonly versioning: S3Versioning | 'Off';
  /** The user may configure the bucket; other users have the rights that access rules give. */
  readonly isOwner: boolean;
}

/**
 * A container as S3 sees it.
 * @returns undefined where S3 does not know it, or the user has no right to ask
 * @throws S3StatusError; UpstreamError
 */
export async function s3PlaceOf(
  { s3 }: Pick<Session, 's3'>,
  container: string,
): Promise<S3Place | undefined> {
  if (s3 === undefined || !BUCKET_NAME.test(container)) return undefined;
  const found = await versioningForOwner(s3, container);
  if (found === undefined) return undefined;
  if (found !== 'not its owner') return { s3, name: container, versioning: found, isOwner: true };
  const versioning = await versioningForOthers(s3, container);
  return versioning && { s3, name: container, versioning, isOwner: false };
}

/** As {@link s3PlaceOf}, for what only owners can do through S3. @throws ApiError unsupported_here */
export async function expectS3Place(
  session: Pick<Session, 's3'>,
  container: string,
): Promise<S3Place> {
  const place = await s3PlaceOf(session, container);
  if (place?.isOwner === true) return place;
  const message = 'This requires S3, which is not available to you for this bucket.';
  const needs = 's3_base, and a user whose key S3 knows';
  throw new ApiError('unsupported_here', message, { needs });
}

/**
 * The bucket that a container is for S3, where S3 keeps versions of it: then only S3 knows what is
 * current, and whatever changes it goes through S3.
 * @returns undefined where it has no versions of S3, or the user has no right to ask
 * @throws S3StatusError; UpstreamError
 */
export async function s3BucketOf(
  session: Pick<Session, 's3'>,
  container: string,
): Promise<S3Bucket | undefined> {
  const place = await s3PlaceOf(session, container);
  if (place === undefined || place.versioning === 'Off') return undefined;
  return new S3Bucket(place.s3, container, place.versioning);
}

/** As {@link s3BucketOf}, for what only a bucket with versions has. @throws ApiError unsupported_here */
export async function expectS3Bucket(
  session: Pick<Session, 's3'>,
  container: string,
): Promise<S3Bucket> {
  const bucket = await s3BucketOf(session, container);
  if (bucket !== undefined) return bucket;
  throw new ApiError('unsupported_here', 'This bucket does not have S3 versioning.', {
    needs: 'a bucket with S3 versions',
  });
}

/** The header of a gateway's answer to HeadBucket of a bucket with versions. */
const VERSIONING_HEADER = 'x-ringway-bucket-versioning';

async function versioningForOwner(
  s3: S3Account,
  bucket: string,
): Promise<S3Place['versioning'] | 'not its owner' | undefined> {
  try {
    const status = textIn(await s3.read('GET', { bucket, query: { versioning: '' } }), 'Status');
    return knownStatus(status);
  } catch (error) {
    if (error instanceof S3StatusError && error.code === 'AccessDenied') return 'not its owner';
    if (isUnknownToS3(error)) return undefined;
    throw error;
  }
}

/** The same for a user who may list the bucket. The access key is the one that S3 knows by now. */
async function versioningForOthers(
  s3: S3Account,
  bucket: string,
): Promise<S3Place['versioning'] | undefined> {
  try {
    const { headers } = await s3.do([200], 'HEAD', { bucket });
    return knownStatus(headers[VERSIONING_HEADER]);
  } catch (error) {
    if (isUnknownToS3(error)) return undefined;
    throw error;
  }
}

/** S3 does not know the bucket, or not for this user: Swift decides what is allowed there. */
function isUnknownToS3(error: unknown): boolean {
  return error instanceof S3StatusError && [400, 403, 404].includes(error.status);
}

function knownStatus(status: string | readonly string[] | undefined): S3Place['versioning'] {
  return status === 'Enabled' || status === 'Suspended' ? status : 'Off';
}

/** The body of an object, or of a version of it. @throws S3StatusError; UpstreamError */
export function getObject(
  { s3, name }: Pick<S3Place, 's3' | 'name'>,
  key: string,
  versionId: string | undefined,
  range: string | undefined,
): Promise<UpstreamAnswer> {
  const headers = range === undefined || range.includes(',') ? {} : { range };
  const request = { bucket: name, key, query: { versionId }, headers, idleMs: BODY_IDLE_MS };
  return s3.expect([200, 206], 'GET', request);
}

/** Turns versions of S3 on or off, also where there were none. */
export async function setS3Versioning(
  s3: S3Account,
  bucket: string,
  isEnabled: boolean,
): Promise<void> {
  const status = isEnabled ? 'Enabled' : 'Suspended';
  const body = `<VersioningConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Status>${status}</Status></VersioningConfiguration>`;
  await s3.do([200], 'PUT', { bucket, query: { versioning: '' }, body });
}

/** A bucket with versions, as its user. All methods throw S3StatusError and UpstreamError. */
export class S3Bucket {
  constructor(
    readonly s3: S3Account,
    readonly name: string,
    readonly versioning: S3Versioning,
  ) {}

  head(key: string, versionId?: string): Promise<UpstreamAnswer> {
    return this.s3.do([200], 'HEAD', this.#of(key, { versionId }));
  }

  /** @returns undefined where nothing is current under the key */
  async current(key: string): Promise<S3Current | undefined> {
    const { status, headers } = await this.s3.do([200, 400, 404], 'HEAD', this.#of(key));
    if (status === 200) {
      const id = String(headers['x-amz-version-id'] ?? NULL_VERSION);
      return { id, etag: (headers.etag ?? '').replaceAll('"', '') };
    }
    if (status === 404) return undefined;
    // An object in cold storage cannot be read, and is there nevertheless.
    const [newest] = await this.versionsOf(key, 1);
    return newest?.deleted === false ? newest : undefined;
  }

  get(key: string, versionId: string | undefined, range?: string): Promise<UpstreamAnswer> {
    return getObject(this, key, versionId, range);
  }

  /** @returns the headers of the answer, with ETag and version */
  async put(key: string, body: string | Readable, headers: Readonly<Record<string, string>>) {
    const request = { ...this.#of(key), body, headers, idleMs: BODY_IDLE_MS };
    return (await this.s3.do([200], 'PUT', request)).headers;
  }

  /** A copy of a version, by default the current one, of this bucket to any. */
  async copyTo(
    to: { readonly container: string; readonly object: string },
    from: { readonly key: string; readonly versionId?: string | undefined },
    headers: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    await this.s3.read('PUT', {
      bucket: to.container,
      key: to.object,
      headers: { 'x-amz-copy-source': copySource(this.name, from.key, from.versionId), ...headers },
      idleMs: BODY_IDLE_MS,
    });
  }

  /** Writes a delete marker. @param etag of what must be current @throws S3StatusError 412 */
  async delete(key: string, etag: string): Promise<void> {
    await this.s3.do([204], 'DELETE', { ...this.#of(key), headers: { 'if-match': `"${etag}"` } });
  }

  /** Deletes a version for good. @param bypass - also one that is retained in governance mode */
  async deleteVersion(key: string, versionId: string, bypass = false): Promise<void> {
    const headers = bypass ? BYPASS_GOVERNANCE : {};
    await this.s3.do([204], 'DELETE', { ...this.#of(key, { versionId }), headers });
  }

  async remove(): Promise<void> {
    await this.s3.do([204], 'DELETE', { bucket: this.name });
  }

  /**
   * Versions and delete markers of all keys below a prefix: by key, and of each the newest first.
   * @param after - a key whose versions, and those of all keys before it, are left out
   * @param afterVersion - a version of that key: its older ones are not left out
   */
  async *versions(
    prefix: string,
    {
      signal,
      after,
      afterVersion,
    }: {
      readonly signal?: AbortSignal;
      readonly after?: string | undefined;
      readonly afterVersion?: string | undefined;
    } = {},
  ): AsyncGenerator<S3Version> {
    let markers: Record<string, string | undefined> = {
      'key-marker': after,
      'version-id-marker': afterVersion,
    };
    for (;;) {
      const text = await this.s3.readText('GET', {
        bucket: this.name,
        query: {
          versions: '',
          'encoding-type': 'url',
          'max-keys': String(PAGE),
          prefix: prefix || undefined,
          ...markers,
        },
        signal,
      });
      const page = parseXml(text);
      yield* versionsIn(page, text);
      if (textIn(page, 'IsTruncated') !== 'true') return;
      markers = {
        'key-marker': keyIn(page, 'NextKeyMarker'),
        'version-id-marker': textIn(page, 'NextVersionIdMarker') || undefined,
      };
    }
  }

  /**
   * The versions of one key, the newest first, at most `max` of them.
   * @param after - one of them: those that are older
   */
  async versionsOf(key: string, max: number, after?: string): Promise<S3Version[]> {
    const found: S3Version[] = [];
    const from = after === undefined ? {} : { after: key, afterVersion: after };
    for await (const version of this.versions(key, from)) {
      // Names that only begin so come after it.
      if (version.name !== key) break;
      if (found.push(version) === max) break;
    }
    return found;
  }

  #of(key: string, query: S3Request['query'] = {}): S3Request {
    return { bucket: this.name, key, query };
  }
}

/** In the order of the listing: the parser gives versions and markers apart. */
function versionsIn(page: XmlNode, text: string): S3Version[] {
  const versions = children(page, 'Version').values();
  const markers = children(page, 'DeleteMarker').values();
  const found: S3Version[] = [];
  for (const [tag] of text.matchAll(/<(?:Version|DeleteMarker)>/g)) {
    const deleted = tag === '<DeleteMarker>';
    const { value: node } = (deleted ? markers : versions).next();
    if (node !== undefined) found.push(versionOf(node, deleted));
  }
  return found;
}

function versionOf(node: XmlNode, deleted: boolean): S3Version {
  return {
    name: keyIn(node, 'Key'),
    id: textIn(node, 'VersionId'),
    is_latest: textIn(node, 'IsLatest') === 'true',
    deleted,
    bytes: deleted ? 0 : Number(textIn(node, 'Size')),
    etag: textIn(node, 'ETag').replaceAll('"', ''),
    content_type: null,
    last_modified: textIn(node, 'LastModified'),
    storage_class: textIn(node, 'StorageClass') || null,
  };
}
