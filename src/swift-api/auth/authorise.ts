import type { ContainerHead, ContainerRef } from '../../backend/backend.js';
import { referrerAllowed } from '../../lib/referrer.js';
import type { Call } from '../call.js';
import { SwiftError } from '../swift-error.js';
import { unauthorised } from './login.js';

/**
 * Swift's container ACLs, `X-Container-Read` and `X-Container-Write`: what may be stored, and whom
 * it lets in (swift.common.middleware.acl).
 */

/** Spellings of `.r` that clients may use. */
const REFERRERS: ReadonlySet<string> = new Set(['.r', '.ref', '.referer', '.referrer']);
const LISTINGS = '.rlistings';
/** The host of a request without a referrer. */
const NO_HOST = 'unknown';

/**
 * A list in the form in which it is kept (Swift's clean_acl).
 * @throws SwiftError 400
 */
export function cleanAcl(list: string, kind: 'read' | 'write'): string {
  const elements: string[] = [];
  for (const raw of list.split(',')) {
    const element = raw.trim();
    if (element !== '') elements.push(cleanElement(element, kind));
  }
  return elements.join(',');
}

function cleanElement(element: string, kind: 'read' | 'write'): string {
  const colon = element.indexOf(':');
  if (colon === -1) return element;
  const first = element.slice(0, colon).trim();
  if (!first.startsWith('.')) return element;
  if (!REFERRERS.has(first)) {
    throw invalid(`Unknown designator ${quoted(first)} in ACL: ${quoted(element)}`);
  }
  if (kind === 'write') throw invalid(`Referrers not allowed in write ACL: ${quoted(element)}`);
  let host = element.slice(colon + 1).trim();
  const negated = host.startsWith('-');
  if (negated) host = host.slice(1).trim();
  if (host !== '*' && host.startsWith('*')) host = host.slice(1).trim();
  if (host === '' || host === '.') {
    throw invalid(`No host/domain value after referrer designation in ACL: ${quoted(element)}`);
  }
  return `.r:${negated ? '-' : ''}${host}`;
}

function invalid(message: string): SwiftError {
  return new SwiftError(400, message);
}

/** The text as Python prints it. */
function quoted(text: string): string {
  return text.includes("'") && !text.includes('"')
    ? `"${text}"`
    : `'${text.replaceAll("'", "\\'")}'`;
}

/** The user of a request, as ACLs see it. */
interface AclSubject {
  readonly groups: ReadonlySet<string>;
  /** The `Referer` header. */
  readonly referrer: string | undefined;
}

/** @param isObject - an object is asked for; without, a listing or the container itself */
export function aclAllows(
  list: string,
  { groups, referrer }: AclSubject,
  isObject: boolean,
): boolean {
  if (list === '') return false;
  const elements = list.split(',');
  if (referrerAllowed(elements, hostOf(referrer)) && (isObject || elements.includes(LISTINGS))) {
    return true;
  }
  return elements.some((element) => groups.has(element));
}

function hostOf(referrer: string | undefined): string {
  if (referrer === undefined) return NO_HOST;
  const host = URL.canParse(referrer) ? new URL(referrer).hostname : '';
  return host === '' ? NO_HOST : host;
}

const NOBODY: ReadonlySet<string> = new Set();

/** Whether the user may do everything in an account, and sees what only its owner sees. */
export function ownsAccount({ user }: Call, account: string): boolean {
  return user !== undefined && (user.isService || user.groups.has(account));
}

/** @throws SwiftError 401 or 403 for anybody but an owner */
export function requireOwner(call: Call, account: string): void {
  if (!ownsAccount(call, account)) throw denied(call, account);
}

/** An access to a container or to something in it. */
interface Access {
  readonly ref: ContainerRef;
  readonly kind: 'read' | 'write';
  /** Something in the container, and not the container itself. */
  readonly isObject: boolean;
  /** The method that a TempURL was made for, if the object is reached through one. */
  readonly object?: string | undefined;
}

/**
 * @param head - of the container; undefined when there is none, which only owners are told
 * @throws SwiftError 401 or 403
 */
export function authorise(call: Call, head: ContainerHead | undefined, access: Access): void {
  const { ref, isObject } = access;
  if ((isObject || call.tempUrl === undefined) && isAllowed(call, head, access)) return;
  throw denied(call, ref.account);
}

/** A TempURL allows a listing only of what a manifest that it opens is made of. */
export function isAllowed(call: Call, head: ContainerHead | undefined, access: Access): boolean {
  const { account, container } = access.ref;
  if (call.tempUrl !== undefined) return call.tempUrl.covers(account, container);
  if (ownsAccount(call, account)) return true;
  const { user, headers } = call;
  const list = (access.kind === 'read' ? head?.acl.read : head?.acl.write) ?? '';
  // Containers themselves are their owners' to change.
  const hasAcl = access.kind === 'read' || access.isObject;
  const subject = { groups: user?.groups ?? NOBODY, referrer: headers.get('referer') };
  return hasAcl && aclAllows(list, subject, access.isObject);
}

/** 403 says that it is of no use to log in. */
export function denied({ user }: Call, account: string): SwiftError {
  return user === undefined ? unauthorised(account) : new SwiftError(403);
}
