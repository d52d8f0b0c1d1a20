import type { SwiftAccount } from '../../swift/account.js';
import { ManifestSharing } from './manifest-sharing.js';
import { purge, purgeVersions } from './purge.js';
import { moveToTrash, type TrashOptions } from './trash.js';
import { versioningOf } from './versioning.js';

export type RemoveMode = 'trash' | 'purge';

/**
 * The way to delete in a container. If the store keeps deleted objects, that is better than a
 * trash: nothing is copied, and an overwrite at the same time is kept, too.
 * @throws SwiftStatusError
 */
export async function removerOf(
  store: SwiftAccount,
  container: string,
  mode: RemoveMode,
  trash: TrashOptions,
): Promise<(item: { readonly name: string }) => Promise<unknown>> {
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
