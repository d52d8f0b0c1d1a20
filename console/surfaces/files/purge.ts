import type { SwiftAccount } from '../../swift/account.js';
import { expectNoS3Version, objectInfo } from './object-info.js';
import type { SegmentCleanup } from './segment-cleanup.js';
import type { Versioning } from './versioning.js';
import { deleteVersion, listVersions } from './versions.js';

/** More versions than one object should have; what is left is deleted by the next purge. */
const VERSIONS_MAX = 10_000;

/**
 * Deletes an object for good; the segments of a static large one go at the end of the job.
 * @throws SwiftStatusError
 */
export async function purge(
  store: SwiftAccount,
  container: string,
  object: string,
  cleanup: SegmentCleanup,
): Promise<void> {
  const info = await objectInfo(store, container, object);
  expectNoS3Version(info);
  if (info.type === 'slo') await cleanup.deleteManifest({ container, object }, info.etag);
  else await store.do([204], 'DELETE', { container, object });
}

/** Deletes an object with all its versions. @throws SwiftStatusError */
export async function purgeVersions(
  store: SwiftAccount,
  container: string,
  object: string,
  versioning: Versioning,
): Promise<void> {
  const all = { max: VERSIONS_MAX, after: undefined };
  const versions = await listVersions(store, { container, object }, versioning, all);
  for (const { id } of versions) await deleteVersion(store, container, object, versioning, id);
}
