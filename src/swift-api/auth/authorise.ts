import type { ContainerHead, ContainerRef } from '../../backend/backend.js';
import type { Call } from '../call.js';
import { SwiftError } from '../swift-error.js';
import { aclAllows } from './container-acl.js';
import { unauthorised } from './login.js';

/** Who may do what, as Swift's tempauth decides it. */

const NOBODY: ReadonlySet<string> = new Set();

/** Whether whoever asks may do everything in an account, and sees what only its owner does. */
export function ownsAccount({ user }: Call, account: string): boolean {
  return user !== undefined && (user.isService || user.groups.has(account));
}

/** @throws SwiftError 401 or 403 for anybody but an owner */
export function requireOwner(call: Call, account: string): void {
  if (!ownsAccount(call, account)) throw denied(call, account);
}

/** What is done to a container or to something in it. */
export interface Access {
  readonly ref: ContainerRef;
  readonly kind: 'read' | 'write';
  /** Something in the container, and not the container itself. */
  readonly isObject: boolean;
  /** Of an object that is reached through a TempURL: the method that the URL was made for. */
  readonly object?: string | undefined;
}

/**
 * @param head - of the container; undefined when there is none, which only owners are told
 * @throws SwiftError 401 or 403
 */
export function authorise(call: Call, head: ContainerHead | undefined, access: Access): void {
  const { account, container } = access.ref;
  if (call.tempUrl !== undefined) {
    if (access.isObject && call.tempUrl.covers(account, container)) return;
    throw unauthorised(account);
  }
  if (ownsAccount(call, account)) return;
  const { user, headers } = call;
  const list = (access.kind === 'read' ? head?.acl.read : head?.acl.write) ?? '';
  // Containers themselves are their owners' to change.
  const hasAcl = access.kind === 'read' || access.isObject;
  const subject = { groups: user?.groups ?? NOBODY, referrer: headers.get('referer') };
  if (hasAcl && aclAllows(list, subject, access.isObject)) return;
  throw denied(call, account);
}

/** 403 says that it is of no use to log in. */
export function denied({ user }: Call, account: string): SwiftError {
  return user === undefined ? unauthorised(account) : new SwiftError(403);
}
