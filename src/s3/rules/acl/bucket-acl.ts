import { createHash } from 'node:crypto';
import type { ContainerAcl, Metadata } from '../../../backend/backend.js';
import type { Acl } from './acl.js';
import { addFromContainer, mirrorInContainer, reconcileWithContainer } from './container-mirror.js';
import { ACL_METADATA, decodeAcl, encodeAcl } from './stored.js';

/**
 * A bucket's ACL in its container: in system metadata, as s3api has it, and mirrored in the
 * container's own ACL. A mark says that it was mirrored: s3api does not mirror, so a closed
 * container does not revoke what s3api's ACL grants to everybody.
 */

/** The mark: of which stored ACL the container's is the mirror. */
const MIRRORED_METADATA = 's3-acl-mirrored';

/** The container's metadata and ACL for a bucket's ACL. @param current - its ACL until now */
export function bucketAclInput(
  acl: Acl,
  current: ContainerAcl,
): { readonly systemMetadata: Metadata; readonly acl: ContainerAcl } {
  const stored = encodeAcl(acl);
  return {
    systemMetadata: { [ACL_METADATA]: stored, [MIRRORED_METADATA]: markOf(stored) },
    acl: mirrorInContainer(current, acl),
  };
}

/**
 * A bucket's ACL as it counts, with what Swift's users have made of the container.
 *
 * @param unstored - of a bucket without one
 * @throws S3Error `InternalError` when what is stored cannot be read
 */
export function bucketAcl(
  {
    systemMetadata,
    acl: container,
  }: { readonly systemMetadata: Metadata; readonly acl: ContainerAcl },
  unstored: Acl,
): Acl {
  const stored = systemMetadata[ACL_METADATA];
  const acl = decodeAcl(stored) ?? unstored;
  const isMirrored = stored === undefined || systemMetadata[MIRRORED_METADATA] === markOf(stored);
  return isMirrored ? reconcileWithContainer(acl, container) : addFromContainer(acl, container);
}

function markOf(stored: string): string {
  return createHash('sha256').update(stored).digest('hex').slice(0, 16);
}
