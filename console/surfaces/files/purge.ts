import type { SwiftAccount } from '../../swift/account.js';
import type { ManifestSharing } from './manifest-sharing.js';
import { expectNoS3Version, objectInfo } from './object-info.js';
import type { Versioning } from './versioning.js';
import { deleteVersion, listVersions } from './versions.js';

/** More versions than one object should have; what is left is deleted by the next purge. */
const VERSIONS_MAX = 10_000;

/**
 * Deletes an object for good; of a static large object its segments, too, unless a copy or a version
 * of it lives on them.
 * @throws SwiftStatusError
 */
export async function purge(
  store: SwiftAccount,
  container: string,
  object: string,
  sharing: ManifestSharing,
): Promise<void> {
  const info = await objectInfo(store, container, object);
  expectNoS3Version(info);
  const { type, etag } = info;
  const alone = type === 'slo' && !(await sharing.isShared(container, etag));
  const query = alone ? { 'multipart-manifest': 'delete' } : {};
  await store.do([200, 204], 'DELETE', { container, object, query });
  if (type === 'slo') sharing.forget(etag);
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
