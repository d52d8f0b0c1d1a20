import { loginName } from '../../config/keys.js';
import type { ConsoleContext } from '../../server/context.js';
import { hasRight } from '../../server/rights.js';
import type { Session } from '../../server/sessions.js';
import { fresh } from './fresh.js';
import { expectAsLeft, objectInfo } from './object-info.js';
import { purge, purgeVersions } from './purge.js';
import { NULL_VERSION, s3BucketOf, type S3Bucket } from './s3/s3-bucket.js';
import { deleteInS3, purgeInS3 } from './s3/s3-objects.js';
import type { SegmentCleanup } from './segment-cleanup.js';
import { moveToTrash, type TrashOptions } from './trash.js';
import type { UndoLog } from './undo.js';
import { versioningOf, type Versioning } from './versioning.js';

export type RemoveMode = 'trash' | 'purge';

/** The options of the trash for a deletion by this user, now. */
export function trashOptions(
  { options, now, changes }: Pick<ConsoleContext, 'options' | 'now' | 'changes'>,
  { user }: Pick<Session, 'user'>,
): TrashOptions {
  return { by: loginName(user), days: options.trashDays, nowMs: now(), changes };
}

/** @param as what must be there: see `expectAsLeft` */
type Remove = (item: { readonly name: string; readonly as?: string }) => Promise<unknown>;

/**
 * The way to delete in a container. If the store keeps deleted objects, that is better than a
 * trash: nothing is copied, and an overwrite at the same time is kept, too.
 * @param undo takes down what can be taken back
 * @throws SwiftStatusError; S3StatusError
 */
export function removerOf(
  session: Pick<Session, 'store' | 's3' | 'user'>,
  container: string,
  mode: RemoveMode,
  trash: TrashOptions,
  cleanup: SegmentCleanup,
  now: () => number,
  undo?: UndoLog,
): Remove {
  const { store, user } = session;
  const kept = keeperOf(session, container, now);
  return async ({ name, as }) => {
    const { bucket, versioning } = await kept();
    if (bucket !== undefined) {
      if (mode === 'purge') return purgeInS3(bucket, name);
      const found = as === undefined ? undefined : await bucket.current(name);
      expectAsLeft(found?.id, as);
      const id = await deleteInS3(bucket, name, hasRight(user.role, 'manage'), found);
      // The marker has taken the place of a version `null`, of which nothing is left then.
      const isLost = id === NULL_VERSION && bucket.versioning === 'Suspended';
      if (!isLost) undo?.add({ was: 'deleted', name, as: id });
      return undefined;
    }
    if (mode === 'purge') {
      return versioning?.mode === 'stack'
        ? purgeVersions(store, container, name, versioning)
        : purge(store, container, name, cleanup);
    }
    if (versioning?.active === true && versioning.mode !== 'archive') {
      if (as !== undefined) expectAsLeft((await objectInfo(store, container, name)).timestamp, as);
      await store.do([204], 'DELETE', { container, object: name });
      if (versioning.mode === 'stack') undo?.add({ was: 'deleted', name, as: undefined });
      return undefined;
    }
    const trashName = await moveToTrash(store, container, name, { ...trash, as });
    undo?.add({ was: 'trashed', name, trashName });
    return undefined;
  };
}

/** The keeper of what is deleted in a container: S3, the store, or nothing. */
export interface Keeper {
  readonly bucket?: S3Bucket | undefined;
  readonly versioning?: Versioning | undefined;
}

/** Asked once a second, however many names there are. */
export function keeperOf(
  session: Pick<Session, 'store' | 's3'>,
  container: string,
  now: () => number,
): () => Promise<Keeper> {
  return fresh(now, async () => {
    const bucket = await s3BucketOf(session, container);
    if (bucket !== undefined) return { bucket };
    const { headers } = await session.store.do([200, 204], 'HEAD', { container });
    return { versioning: versioningOf(headers) };
  });
}
