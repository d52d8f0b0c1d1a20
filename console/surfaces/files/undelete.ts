import { ApiError } from '../../server/api-error.js';
import type { Session } from '../../server/sessions.js';
import { TAKEN } from './exists.js';
import { objectInfo } from './object-info.js';
import type { Keeper } from './remover.js';
import { onlyOver } from './s3/s3-bucket.js';
import { expectKept } from './s3/s3-objects.js';
import { translate } from './translate.js';
import { listVersions, restoreVersion, type ObjectVersion } from './versions.js';

/** Delete markers in a row that are looked past. */
const LOOKED_AT_MAX = 100;

/**
 * Brings back what was deleted where a container keeps versions, if nothing has its name now.
 * @param as the S3 version that comes back; by default the newest one
 * @returns what tells it from what is written later
 * @throws ApiError restore_target_exists; no_such_object; forbidden
 */
export async function undelete(
  { store }: Pick<Session, 'store'>,
  container: string,
  name: string,
  { bucket, versioning }: Keeper,
  mayDestroy: boolean,
  as?: string,
): Promise<string> {
  if (bucket !== undefined) {
    const id = as ?? newest(await bucket.versionsOf(name, LOOKED_AT_MAX)).id;
    await expectKept(bucket, name, mayDestroy);
    const copy = bucket.copyTo(
      { container, object: name },
      { key: name, versionId: id },
      onlyOver(undefined),
    );
    await copy.catch((error: unknown) => {
      throw translate(error, 412, 'restore_target_exists', TAKEN);
    });
    return (await bucket.current(name))?.id ?? '';
  }
  if (versioning?.mode !== 'stack') {
    throw new ApiError('unsupported_here', 'Versioning is not enabled for this bucket.');
  }
  const place = { container, object: name };
  const { id } = newest(
    await listVersions(store, place, versioning, { max: LOOKED_AT_MAX, after: undefined }),
  );
  // Swift has no condition for this. What is written in the milliseconds until then is kept as a version.
  await restoreVersion(store, container, name, versioning, id);
  return (await objectInfo(store, container, name)).timestamp;
}

/** @param versions of one object, the newest first @throws ApiError */
function newest(versions: readonly ObjectVersion[]): ObjectVersion {
  const [latest] = versions;
  if (latest?.deleted === false) throw new ApiError('restore_target_exists', TAKEN);
  const found = versions.find(({ deleted }) => !deleted);
  if (found === undefined) {
    throw new ApiError('no_such_object', 'There is no version left to restore.');
  }
  return found;
}

/** Names of objects that are deleted, and have something to come back, below a prefix. */
export async function* deletedNames(
  versions: AsyncIterable<ObjectVersion & { readonly name: string }>,
): AsyncGenerator<{ readonly name: string }> {
  let last: string | undefined;
  let isOpen = false;
  for await (const { name, is_latest: isLatest, deleted } of versions) {
    if (name !== last) isOpen = isLatest && deleted;
    else if (isOpen && !deleted) {
      isOpen = false;
      yield { name };
    }
    last = name;
  }
}
