import type { ContainerAcl } from '../../../backend/backend.js';
import { referrerAllowed } from '../../../lib/referrer.js';
import type { KeystoneUser } from '../../auth/principal.js';
import type { Requester } from './requester.js';

export type { ContainerAcl };

/**
 * Swift's container ACLs: two lists of elements, as `X-Container-Read` and `X-Container-Write`
 * carry them. https://docs.openstack.org/swift/latest/overview_acl.html
 *
 *     .r:*            anybody may read objects (by the page that refers to them: .r:example.com,
 *                     .r:.example.com, .r:-example.com)
 *     .rlistings      whom a .r: element lets in may list, too
 *     account:user    that user; with Keystone either side may be *, or an id
 *     account         every user of the account, with tempauth
 *     role            every user with that role, with Keystone
 */
/** The rights that a container ACL can grant. */
export type ContainerAccess = 'read objects' | 'list' | 'write';

export const PUBLIC_READ = '.r:*';
export const PUBLIC_LISTING = '.rlistings';
/** The nearest to "everybody with an identity" that Swift has; only Keystone acts on it. */
export const ANY_USER = '*:*';

/** Spellings of `.r:` that Swift's clients may use. */
const REFERRER_PREFIXES = ['.r:', '.ref:', '.referer:', '.referrer:'];
/** The referrer that Swift compares with when a request has none. */
const NO_REFERRER = 'unknown';

/**
 * Whether the container's own ACL lets the requester, as Swift would decide it.
 *
 * @param referrer - host of the request's `Referer`; undefined without one
 */
export function containerAclAllows(
  acl: ContainerAcl,
  requester: Requester,
  access: ContainerAccess,
  referrer?: string,
): boolean {
  const elements = aclElements(access === 'write' ? acl.write : acl.read);
  if (elements.some((element) => matchesUser(element, requester))) return true;
  // Swift refuses referrers in write ACLs.
  if (access === 'write' || !referrerAllowed(elements, referrer ?? NO_REFERRER)) return false;
  return access === 'read objects' || elements.includes(PUBLIC_LISTING);
}

/**
 * The ACL of the container with the parts of a bucket's large objects. A user who reads a large
 * object through Swift reads its parts, and needs the right to do so; the names of parts are not
 * listed to other users. Only the gateway writes what versions are made of: a user who may write to
 * a bucket may not delete its versions.
 *
 * @param acl - the ACL of the bucket's own container
 */
export function aclOfSegments({ read, write }: ContainerAcl, keepsVersions: boolean): ContainerAcl {
  const elements = aclElements(read).filter((element) => element !== PUBLIC_LISTING);
  return { read: elements.join(','), write: keepsVersions ? '' : write };
}

/** The elements of one list, in order; empty ones are left out, as Swift does. */
export function aclElements(list: string): string[] {
  return list
    .split(',')
    .map((element) => canonicalElement(element.trim()))
    .filter((element) => element !== '');
}

function canonicalElement(element: string): string {
  for (const prefix of REFERRER_PREFIXES) {
    if (element.startsWith(prefix)) {
      return `.r:${element.slice(prefix.length).trim().replace(/^\*\./, '.')}`;
    }
  }
  return element;
}

function matchesUser(element: string, requester: Requester): boolean {
  if (requester.kind === 'anonymous' || element.startsWith('.')) return false;
  const { id, keystone } = requester;
  const colon = id.indexOf(':');
  const account = colon === -1 ? id : id.slice(0, colon);
  if (keystone !== undefined) {
    return matchesKeystoneUser(element, account, id.slice(colon + 1), keystone);
  }
  if (element === id || element === account) return true;
  return (
    element === ANY_USER ||
    element === `${account}:*` ||
    (colon !== -1 && element === `*${id.slice(colon)}`)
  );
}

/**
 * Matches like Swift's keystoneauth, which knows users by name in Keystone's default domain only:
 * elsewhere the names here are ids, too.
 */
function matchesKeystoneUser(
  element: string,
  projectName: string,
  userName: string,
  { projectId, userId, roles }: KeystoneUser,
): boolean {
  const colon = element.indexOf(':');
  if (colon === -1) return roles.includes(element.toLowerCase());
  return (
    ['*', projectName, projectId].includes(element.slice(0, colon)) &&
    ['*', userName, userId].includes(element.slice(colon + 1))
  );
}
