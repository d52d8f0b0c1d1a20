import type { ContainerHead } from '../../backend/backend.js';
import { aclAllows } from '../auth/authorise.js';
import type { Call } from '../call.js';
import { TEXT } from '../reply.js';
import { SwiftError } from '../swift-error.js';
import { decodeName } from '../target.js';

/**
 * The requester that a gateway makes a call for, as `X-Gateway-For` names it: percent-encoded JSON of
 * a `role`, an `account`, a `user` and a `referer`, as the filter in Swift's proxies takes it.
 */
interface Requester {
  /**
   * `bucket` and `names` stand for work of the gateway's own: the one reads the container that the
   * call names, the other nothing.
   */
  readonly role: string;
  readonly account?: unknown;
  /** `account:user` */
  readonly user?: unknown;
  readonly referer?: unknown;
}

const ROLES: ReadonlySet<string> = new Set(['owner', 'member', 'anonymous', 'bucket', 'names']);

type HopRight = (container: ContainerHead, access: 'read objects' | 'list') => boolean;

/**
 * The requester's own right to read.
 * @returns undefined when the gateway names none
 * @throws SwiftError 400 for what no gateway sends
 */
export function requesterRight({ api, headers, target }: Call): HopRight | undefined {
  const given = headers.get('x-gateway-for');
  if (given === undefined) return undefined;
  const { role, account, user, referer } = parseRequester(given);
  if (role === 'bucket')
    return ({ name }) => target.kind !== 'account' && name === target.container;
  if (role === 'names') return () => false;
  if (role === 'owner' && account === target.account) return () => true;
  if (typeof user === 'string' && api.users.named(user).some(({ isService }) => isService)) {
    return () => true;
  }
  const groups = new Set<string>();
  if (role !== 'anonymous' && typeof user === 'string') {
    groups.add(user).add(user.slice(0, user.indexOf(':')));
    if (role === 'owner' && typeof account === 'string') groups.add(account);
  }
  const subject = { groups, referrer: typeof referer === 'string' ? referer : undefined };
  return ({ acl }, access) => aclAllows(acl.read, subject, access === 'read objects');
}

/** @throws SwiftError 400 */
function parseRequester(given: string): Requester {
  let parsed: unknown;
  try {
    parsed = JSON.parse(decodeName(given));
  } catch {
    parsed = undefined;
  }
  const role = (parsed as Partial<Requester> | null | undefined)?.role;
  if (typeof role === 'string' && ROLES.has(role)) return parsed as Requester;
  throw new SwiftError(400, 'X-Gateway-For is JSON with a role, percent-encoded\n', TEXT);
}
