import type { IncomingHttpHeaders } from 'node:http';
import { mapLimited } from '../../../src/lib/promises.js';
import type { SwiftAccount } from '../../swift/account.js';
import { S3StatusError } from '../../s3/errors.js';
import { SwiftStatusError, UpstreamError } from '../../swift/errors.js';
import type { Session } from '../../server/sessions.js';
import { isPublic } from './acl.js';
import { isContainerName, versionsOf } from './names.js';
import { s3PlaceOf, type S3Place } from './s3/s3-bucket.js';
import { versioningOf, type VersioningMode } from './versioning.js';

/** The facts of a container beyond its row in the listing. */
export interface ContainerDetails {
  readonly name: string;
  readonly objects: number;
  /** With those of all versions that S3 keeps of it. */
  readonly bytes: number;
  /** Its storage policy, fixed for its life; null where the store does not say. */
  readonly policy: string | null;
  /** The users that its ACLs let in; null if the user may not see them. */
  readonly access: 'public' | 'shared' | 'private' | null;
  /** `gateway` is a bucket whose versions the S3 gateway keeps. */
  readonly versioning: VersioningMode | 'gateway';
  readonly versioning_active: boolean;
  /** Whether the console works on it through S3. */
  readonly s3: boolean;
  /** S3 knows the container as a bucket that the user may configure, with versions or without. */
  readonly s3_bucket: boolean;
  /** S3 knows the container as a bucket that was shared with the user. */
  readonly s3_shared: boolean;
  /** S3 did not answer: whether it keeps versions is not known now. */
  readonly s3_unavailable: boolean;
  readonly versions_container: string | null;
  readonly quota_bytes: number | null;
  readonly quota_objects: number | null;
  readonly tempurl_keys: number;
}

/** @throws SwiftStatusError 403, 404 */
export async function containerDetails(
  session: Pick<Session, 'store' | 's3'>,
  container: string,
  mayManage: boolean,
): Promise<ContainerDetails> {
  const { store } = session;
  const { headers } = await store.do([200, 204], 'HEAD', { container });
  const text = (name: string) => String(headers[name] ?? '');
  const { mode, active, archive } = versioningOf(headers);
  const [read, write] = [text('x-container-read'), text('x-container-write')];
  const shared = read !== '' || write !== '' ? 'shared' : 'private';
  const keys = ['x-container-meta-temp-url-key', 'x-container-meta-temp-url-key-2'];
  const { place, isUnavailable } = await placeIn(session, container);
  const status = mode === 'none' ? place?.versioning : undefined;
  const isVersioned = status === 'Enabled' || status === 'Suspended';
  const kept = mode === 'none' ? await bytesOfCompanion(store, versionsOf(container)) : undefined;
  const gateway = isVersioned || kept !== undefined;
  return {
    name: container,
    objects: Number(text('x-container-object-count')),
    bytes: Number(text('x-container-bytes-used')) + (kept ?? 0),
    policy: text('x-storage-policy') || null,
    // Swift shows ACLs to owners alone: for others their absence means nothing.
    access: mayManage ? (isPublic(read) ? 'public' : shared) : null,
    versioning: gateway ? 'gateway' : mode,
    versioning_active: isVersioned ? status === 'Enabled' : active,
    s3: isVersioned,
    s3_bucket: place?.isOwner === true,
    s3_shared: place?.isOwner === false,
    s3_unavailable: isUnavailable,
    versions_container: archive ?? null,
    ...quotaIn(headers),
    tempurl_keys: keys.filter((name) => text(name) !== '').length,
  };
}

/** As {@link s3PlaceOf}; what Swift knows is shown also while S3 does not answer. */
export async function placeIn(
  session: Pick<Session, 's3'>,
  container: string,
): Promise<{ readonly place: S3Place | undefined; readonly isUnavailable: boolean }> {
  try {
    return { place: await s3PlaceOf(session, container), isUnavailable: false };
  } catch (error) {
    const isFailure = error instanceof S3StatusError && error.status >= 500;
    if (!isFailure && !(error instanceof UpstreamError)) throw error;
    return { place: undefined, isUnavailable: true };
  }
}

/** Bytes in a container with versions or segments; undefined where there is none for the user. */
async function bytesOfCompanion(
  store: SwiftAccount,
  container: string,
): Promise<number | undefined> {
  if (!isContainerName(container)) return undefined;
  const { status, headers } = await store.do([200, 204, 403, 404], 'HEAD', { container });
  return status < 300 ? Number(headers['x-container-bytes-used'] ?? 0) : undefined;
}

/** Looks for the container in which the S3 gateway keeps versions of this one. */
export async function hasS3Versions(store: SwiftAccount, container: string): Promise<boolean> {
  return (await bytesOfCompanion(store, versionsOf(container))) !== undefined;
}

const AT_ONCE = 8;

/**
 * The details of many containers, some at a time; without those that are gone or closed to the
 * user.
 */
export async function manyDetails(
  session: Pick<Session, 'store' | 's3'>,
  containers: readonly string[],
  mayManage: boolean,
): Promise<ContainerDetails[]> {
  const found = await mapLimited(containers, AT_ONCE, (name) =>
    containerDetails(session, name, mayManage).catch((error: unknown) => {
      if (!(error instanceof SwiftStatusError && [403, 404].includes(error.status))) throw error;
    }),
  );
  return found.filter((one) => one !== undefined);
}

/** The quota in the headers of a container; null for no bound. */
export function quotaIn(headers: IncomingHttpHeaders) {
  const number = (name: string) => numberOrNull(String(headers[name] ?? ''));
  return {
    quota_bytes: number('x-container-meta-quota-bytes'),
    quota_objects: number('x-container-meta-quota-count'),
  };
}

function numberOrNull(text: string): number | null {
  return /^\d+$/.test(text) ? Number(text) : null;
}
