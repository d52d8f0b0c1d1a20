import type { Behalf, ContainerHead, ContainerRef } from '../../backend/backend.js';
import { absentContainer } from '../../backend/container.js';
import { BackendError } from '../../backend/errors.js';
import { isHidden } from '../account/accounts.js';
import { denied, isAllowed } from '../auth/authorise.js';
import type { Call } from '../call.js';
import { requesterRight } from '../gateway/requester.js';
import { SwiftError } from '../swift-error.js';
import type { Target } from '../target.js';
import { findContainer } from './containers.js';

/**
 * Adds to a call for whom it is carried out, which decides where it may be led: by a link, by a
 * manifest, to the source of a copy. As in Swift, a request goes by the rights of the user of its
 * token, or by the scope of its TempURL, at each of these; so it does also where S3 keeps versions and
 * parts, in containers with ACLs of their own. A gateway may go to those, and names the user whose
 * rights count elsewhere.
 *
 * @throws SwiftError 400
 */
export function withBehalf<T extends Target>(call: Call<T>): Call<T> {
  const allows = call.gateway ? requesterRight(call) : clientRight(call);
  const behalf: Behalf | undefined = allows && {
    allows: (head, access) => !isHidden(head.name) && allows(head, access),
    countsAtOwnHops: !call.gateway,
    header: '',
  };
  const { requestId, cancellation } = call.context;
  return { ...call, context: { requestId, cancellation, behalf } };
}

function clientRight(call: Call): Behalf['allows'] {
  const { account } = call.target;
  return (head, access) => {
    const ref = { account, container: head.name };
    return isAllowed(call, head, { ref, kind: 'read', isObject: access === 'read objects' });
  };
}

/**
 * The container that a request is led to, after a check of the right of whom it is carried out for.
 * @throws BackendError Denied; SwiftError 404
 */
export async function openHop(
  call: Call,
  ref: ContainerRef,
  access: 'read objects' | 'list',
): Promise<ContainerHead> {
  const head = await findContainer(call, ref);
  const allowed = call.context.behalf?.allows(head ?? absentContainer(ref.container), access);
  if (allowed !== true) {
    throw new BackendError('Denied', `the request leads to ${ref.account}/${ref.container}`);
  }
  if (head === undefined) throw new SwiftError(404);
  return head;
}

/** The answer to a request that was led where it must not go. */
export function deniedHop(call: Call, cause: unknown): SwiftError {
  const { status, body, contentType, headers } = denied(call, call.target.account);
  // A gateway must not take it for a refusal of its own user.
  const told = call.gateway ? [...headers, ['X-Gateway-Denied', 'true'] as const] : headers;
  return new SwiftError(status, body, contentType, told, { cause });
}
