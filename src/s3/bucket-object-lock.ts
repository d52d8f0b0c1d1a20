import type { Metadata, MetadataPatch } from '../backend/backend.js';
import {
  configurationPatch,
  decodeConfiguration,
  storedConfiguration,
} from './bucket-configuration.js';
import type { ObjectLockConfiguration } from './rules/object-lock/configuration.js';
import { S3Error } from './s3-error.js';
import {
  parseObjectLockConfiguration,
  renderObjectLockConfiguration,
} from './xml/object-lock-configuration.js';

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
