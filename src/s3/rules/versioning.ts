import type { Metadata, MetadataPatch } from '../../backend/backend.js';
import { S3Error } from '../errors.js';

/** The states that a request can set. Nothing leads back to `unversioned`: SPEC.md 3.1. */
export type VersioningStatus = 'Enabled' | 'Suspended';

export type VersioningState = 'unversioned' | VersioningStatus;

/** Name in a container's system metadata; absent of a bucket that never kept versions. */
const METADATA = 's3-versioning';

export function isVersioningStatus(text: string): text is VersioningStatus {
  return text === 'Enabled' || text === 'Suspended';
}

/**
 * The state of the bucket whose container has this system metadata.
 * @throws S3Error `InternalError` for one that cannot be read: a write that took the bucket for an
 *   unversioned one would overwrite versions that it was told to keep
 */
export function versioningState(systemMetadata: Metadata): VersioningState {
  const stored = systemMetadata[METADATA];
  if (stored === undefined) return 'unversioned';
  if (isVersioningStatus(stored)) return stored;
  const cause = new Error(`a stored versioning state cannot be read: ${stored.slice(0, 200)}`);
  throw new S3Error('InternalError', undefined, {}, { cause });
}

export function versioningPatch(status: VersioningStatus): MetadataPatch {
  return { [METADATA]: status };
}
