import type { ContainerHead, ContainerRef } from '../../backend/backend.js';
import { isHidden } from '../account/accounts.js';
import { authorise } from '../auth/authorise.js';
import type { Call } from '../call.js';
import { checkWritable, orMissing } from '../gateway/protection.js';
import { SwiftError } from '../swift-error.js';

/** The head of a container; undefined without one. */
export async function findContainer(
  { api, context }: Call,
  ref: ContainerRef,
): Promise<ContainerHead | undefined> {
  if (isHidden(ref.container)) return undefined;
  return api.backend.headContainer(context, ref).catch(orMissing);
}

/**
 * The container of an object, after a check of the user's rights.
 * @throws SwiftError 401, 403, 404
 */
export async function openContainer(
  call: Call,
  ref: ContainerRef,
  kind: 'read' | 'write',
): Promise<ContainerHead> {
  const head = await findContainer(call, ref);
  authorise(call, head, { ref, kind, isObject: true });
  if (kind === 'write') await checkWritable(call, ref, head);
  if (head === undefined) throw new SwiftError(404);
  return head;
}
