import { hasRight } from '../../server/rights.js';
import type { Session } from '../../server/sessions.js';
import { fresh } from './fresh.js';
import { purge, purgeVersions } from './purge.js';
import { s3BucketOf } from './s3/s3-bucket.js';
import { deleteInS3, purgeInS3 } from './s3/s3-objects.js';
import type { SegmentCleanup } from './segment-cleanup.js';
import { moveToTrash, type TrashOptions } from './trash.js';
import { versioningOf } from './versioning.js';

export type RemoveMode = 'trash' | 'purge';

/**
 * The way to delete in a container. If the store keeps deleted objects, that is better than a
 * trash: nothing is copied, and an overwrite at the same time is kept, too.
 * @throws SwiftStatusError; S3StatusError
 */
export function removerOf(
  session: Pick<Session, 'store' | 's3' | 'user'>,
  container: string,
  mode: RemoveMode,
  trash: TrashOptions,
  cleanup: SegmentCleanup,
  now: () => number,
): (item: { readonly name: string }) => Promise<unknown> {
  const { store, user } = session;
  const kept = fresh(now, async () => {
    const bucket = await s3BucketOf(session, container);
    if (bucket !== undefined) return { bucket };
    const { headers } = await store.do([200, 204], 'HEAD', { container });
    return { versioning: versioningOf(headers) };
  });
  return async ({ name }) => {
    const { bucket, versioning } = await kept();
    if (bucket !== undefined) {
      return mode === 'purge'
        ? purgeInS3(bucket, name)
        : deleteInS3(bucket, name, hasRight(user.role, 'manage'));
    }
    if (mode === 'trash') {
      const keeps = versioning.active && versioning.mode !== 'archive';
      return keeps
        ? store.do([204], 'DELETE', { container, object: name })
        : moveToTrash(store, container, name, trash);
    }
    return versioning.mode === 'stack'
      ? purgeVersions(store, container, name, versioning)
      : purge(store, container, name, cleanup);
  };
}
