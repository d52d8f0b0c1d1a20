import { DEFAULT_STORAGE_CLASS } from '../storage-class.js';
import type { LifecycleAction, LifecycleObject, Scheduled } from './actions.js';
import type { LifecycleConfiguration } from './configuration.js';
import { deleteMarkerExpirationOf, dueAction, dueNoncurrentAction, isDue } from './evaluate.js';

/** One of a key's versions and delete markers, as far as rules care. */
export interface KeyVersion {
  readonly kind: 'version' | 'delete-marker';
  /** Milliseconds since the epoch. */
  readonly lastModified: number;
  /** Bytes; 0 of a delete marker. */
  readonly size: number;
  /** Absent for STANDARD. */
  readonly storageClass?: string | undefined;
}

/**
 * The action that is due for one of them:
 * - `expire_current`: a delete marker is to be written in front of it
 * - `expire_noncurrent`: it is to go for good
 * - `expire_marker`: the same, of a delete marker with nothing behind it
 * - `transition`: it moves to another storage class
 */
export type DueOfVersion =
  | ({
      readonly action: 'expire_current' | 'expire_noncurrent' | 'expire_marker';
    } & Scheduled)
  | ({ readonly action: 'transition'; readonly storageClass: string } & Scheduled);

export interface DueVersion<Version> {
  readonly version: Version;
  readonly due: DueOfVersion;
}

/** The details of a version that a listing does not tell. */
export interface VersionDetails {
  readonly tags: LifecycleObject['tags'];
  readonly storageClass?: string | undefined;
}

export interface KeyVersions<Version> {
  readonly key: string;
  /** Newest first: the first is the current one. */
  readonly versions: readonly Version[];
  /** The details of a version; undefined means no tags. */
  readonly detailsOf?: ((version: Version) => VersionDetails | undefined) | undefined;
}

const NO_TAGS: ReadonlyMap<string, string> = new Map();

/**
 * The actions now due for a key's versions, newest first. A version is noncurrent since its
 * successor was written; a delete marker that is not current goes like a version, and does not
 * count for `NewerNoncurrentVersions`, since it keeps nothing that could be read.
 *
 * @param now - milliseconds since the epoch
 * @param storageClasses - the configured ones, warmer ones first
 */
export function dueOfVersions<Version extends KeyVersion>(
  configuration: LifecycleConfiguration,
  { key, versions, detailsOf = () => undefined }: KeyVersions<Version>,
  now: number,
  storageClasses: readonly string[],
): DueVersion<Version>[] {
  const found: DueVersion<Version>[] = [];
  let newerNoncurrentVersions = 0;
  let successor: Version | undefined;
  for (const version of versions) {
    const object = lifecycleObject(key, version, detailsOf(version));
    const due =
      successor === undefined
        ? dueOfCurrent(configuration, object, version, versions.length - 1, now, storageClasses)
        : dueOfNoncurrent(
            dueNoncurrentAction(
              configuration,
              { ...object, noncurrentSince: successor.lastModified, newerNoncurrentVersions },
              now,
              storageClasses,
            ),
            version,
          );
    if (due !== undefined) found.push({ version, due });
    if (successor !== undefined && version.kind === 'version') newerNoncurrentVersions++;
    successor = version;
  }
  return found;
}

function dueOfCurrent(
  configuration: LifecycleConfiguration,
  object: LifecycleObject,
  { kind, lastModified }: KeyVersion,
  noncurrentVersions: number,
  now: number,
  storageClasses: readonly string[],
): DueOfVersion | undefined {
  if (kind === 'delete-marker') {
    const marker = { key: object.key, lastModified, noncurrentVersions };
    const expiration = deleteMarkerExpirationOf(configuration, marker);
    return isDue(expiration, now) ? { action: 'expire_marker', ...expiration } : undefined;
  }
  const due = dueAction(configuration, object, now, storageClasses);
  return due?.action === 'expire' ? { ...due, action: 'expire_current' } : due;
}

function dueOfNoncurrent(
  due: LifecycleAction | undefined,
  { kind }: KeyVersion,
): DueOfVersion | undefined {
  if (due?.action === 'expire') return { ...due, action: 'expire_noncurrent' };
  return kind === 'version' ? due : undefined;
}

function lifecycleObject(
  key: string,
  { size, lastModified, storageClass }: KeyVersion,
  details: VersionDetails | undefined,
): LifecycleObject {
  return {
    key,
    size,
    lastModified,
    tags: details?.tags ?? NO_TAGS,
    storageClass: details?.storageClass ?? storageClass ?? DEFAULT_STORAGE_CLASS,
  };
}
