import { hasRight } from '../../server/rights.js';
import type { Session } from '../../server/sessions.js';
import { ManifestSharing } from './manifest-sharing.js';
import { purge, purgeVersions } from './purge.js';
import { s3BucketOf } from './s3/s3-bucket.js';
import { deleteInS3, purgeInS3 } from './s3/s3-objects.js';
import { moveToTrash, type TrashOptions } from './trash.js';
import { versioningOf } from './versioning.js';

export type RemoveMode = 'trash' | 'purge';

/**
 * The way to delete in a container. If the store keeps deleted objects, that is better than a
 * trash: nothing is copied, and an overwrite at the same time is kept, too.
 * @throws SwiftStatusError; S3StatusError
 */
export async function removerOf(
  session: Pick<Session, 'store' | 's3' | 'user'>,
  container: string,
  mode: RemoveMode,
  trash: TrashOptions,
): Promise<(item: { readonly name: string }) => Promise<unknown>> {
  const { store, user } = session;
  const bucket = await s3BucketOf(session, container);
  if (bucket !== undefined) {
    return mode === 'trash'
      ? ({ name }) => deleteInS3(bucket, name, hasRight(user.role, 'manage'))
      : ({ name }) => purgeInS3(bucket, name);
  }
  const { headers } = await store.do([200, 204], 'HEAD', { container });
  const versioning = versioningOf(headers);
  const keeps = versioning.active && versioning.mode !== 'archive';
  if (mode === 'trash') {
    return keeps
      ? ({ name }) => store.do([204], 'DELETE', { container, object: name })
      : ({ name }) => moveToTrash(store, container, name, trash);
  }
  if (versioning.mode === 'stack') {
    return ({ name }) => purgeVersions(store, container, name, versioning);
  }
  const sharing = new ManifestSharing(store);
  return ({ name }) => purge(store, container, name, sharing);
}
