import type { ContainerHead, Metadata, MetadataPatch } from '../../backend/backend.js';
import { S3Error } from '../errors.js';
import type { ObjectLockConfiguration } from '../rules/object-lock/configuration.js';
import { versioningState, type VersioningState } from '../rules/versioning.js';
import {
  parseObjectLockConfiguration,
  renderObjectLockConfiguration,
} from '../xml/object-lock-configuration.js';

/**
 * Documents that configure a bucket, in its container's system metadata (SPEC.md 2.1). One codec for
 * all of them: base64, since a store behind HTTP keeps them in headers, where neither line ends nor
 * anything beyond ASCII survives. A store whose headers are short splits them by itself.
 */
const NAMES = {
  cors: 's3-cors',
  lifecycle: 's3-lifecycle',
  'object-lock': 's3-object-lock',
} as const;

type BucketConfiguration = keyof typeof NAMES;

/** Sets the document, or removes it when it is undefined. */
export function configurationPatch(
  name: BucketConfiguration,
  document: string | undefined,
): MetadataPatch {
  const stored = document === undefined ? null : Buffer.from(document).toString('base64');
  return { [NAMES[name]]: stored };
}

/**
 * The document as it is stored, undefined when there is none: cheap, and enough to tell whether it
 * is still the one that was read before.
 */
export function storedConfiguration(
  systemMetadata: Metadata,
  name: BucketConfiguration,
): string | undefined {
  return systemMetadata[NAMES[name]];
}

/** The document in what {@link storedConfiguration} gave. */
export function decodeConfiguration(stored: string): Buffer {
  return Buffer.from(stored, 'base64');
}

/**
 * Whether a bucket keeps versions, by its container's system metadata: what reads and writes go by.
 *
 * A bucket with locks keeps versions whatever else is stored: of requests that suspend versioning
 * and set up locks at the same time, each may not have seen the other yet.
 *
 * @throws S3Error `InternalError` when what is stored cannot be read
 */
export function bucketVersioning(systemMetadata: Metadata): VersioningState {
  return hasLocks(systemMetadata) ? 'Enabled' : versioningState(systemMetadata);
}

/**
 * The same, for what is about to write.
 *
 * @throws S3Error `InvalidBucketState` where the store keeps versions of the bucket's objects as
 *   well; as {@link bucketVersioning}
 */
export function versioningForWrites(head: ContainerHead): VersioningState {
  const state = bucketVersioning(head.systemMetadata);
  if (state !== 'unversioned') requireNoStoreVersioning(head);
  return state;
}

/**
 * Versions need a store that writes and deletes at a key what it is told to. With Swift's own
 * versioning a deletion leaves the older object in place, and a link becomes a version of Swift's.
 *
 * @throws S3Error `InvalidBucketState`
 */
export function requireNoStoreVersioning({ storeVersioning = false }: ContainerHead): void {
  if (!storeVersioning) return;
  throw new S3Error(
    'InvalidBucketState',
    "The container of this bucket has Swift's own versioning (X-Versions-Enabled, " +
      'X-Versions-Location or X-History-Location), which goes with no versions of S3. ' +
      'Turn it off there; "ringway repair" does so for a bucket that already keeps versions.',
  );
}

/** Whether the bucket has an Object Lock configuration, readable or not. */
export function hasLocks(systemMetadata: Metadata): boolean {
  return storedConfiguration(systemMetadata, 'object-lock') !== undefined;
}

/**
 * The Object Lock configuration in a container's system metadata; undefined when its versions cannot
 * be locked.
 * @throws S3Error `InternalError` when what is stored cannot be read: SPEC.md 3.2
 */
export function storedObjectLock(systemMetadata: Metadata): ObjectLockConfiguration | undefined {
  const stored = storedConfiguration(systemMetadata, 'object-lock');
  if (stored === undefined) return undefined;
  try {
    return parseObjectLockConfiguration(decodeConfiguration(stored));
  } catch (cause) {
    throw new S3Error('InternalError', undefined, {}, { cause });
  }
}

/** Sets the configuration. Nothing removes one: SPEC.md has no such transition, nor has AWS. */
export function objectLockPatch(configuration: ObjectLockConfiguration): MetadataPatch {
  return configurationPatch('object-lock', renderObjectLockConfiguration(configuration));
}
