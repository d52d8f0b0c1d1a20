import type { SwiftAccount } from '../../swift/account.js';
import type { Place } from './copy-object.js';

/** What an upload is told that would replace an object unasked. */
export const TAKEN = 'An object with this name already exists.';

/** @throws SwiftStatusError for any failure but that there is none */
export async function exists(store: SwiftAccount, place: Place): Promise<boolean> {
  return (await look(store, place, [200, 204, 404])) !== 404;
}

/** Whether there is surely such an object: who may only write is not told, and the store decides. */
export async function isTaken(store: SwiftAccount, place: Place): Promise<boolean> {
  return (await look(store, place, [200, 204, 403, 404])) < 300;
}

async function look(
  store: SwiftAccount,
  { container, object }: Place,
  accepted: readonly number[],
): Promise<number> {
  const query = { symlink: 'get' };
  return (await store.do(accepted, 'HEAD', { container, object, query })).status;
}
