import type { Metadata } from '../backend/backend.js';
import { storedConfiguration } from './bucket-configuration.js';
import { versioningState, type VersioningState } from './rules/versioning.js';

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

/** Whether the bucket has an Object Lock configuration, readable or not. */
export function hasLocks(systemMetadata: Metadata): boolean {
  return storedConfiguration(systemMetadata, 'object-lock') !== undefined;
}
