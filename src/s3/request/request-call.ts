import type { Behalf, CallContext, CallWatch, ContainerHead } from '../../backend/backend.js';
import type { Cancellation } from '../../lib/cancellation.js';
import { encodeUriComponentAws } from '../../lib/uri.js';
import type { Principal } from '../auth/principal.js';
import { containerAclAllows } from '../rules/acl/container-acl.js';
import { hostOf } from '../../lib/referrer.js';
import { canonicalId, requesterOf, type Requester } from '../rules/acl/requester.js';

/** The context of every call of one request; it has the requester once that is known. */
export class RequestCall implements CallContext {
  #principal: Principal | undefined;
  #referer: string | undefined;
  #behalf: Behalf | undefined;

  constructor(
    readonly requestId: string,
    readonly cancellation: Cancellation,
    readonly watch: CallWatch | undefined,
  ) {}

  get behalf(): Behalf | undefined {
    if (this.#principal === undefined) return undefined;
    return (this.#behalf ??= new RequesterBehalf(this.#principal, hostOf(this.#referer)));
  }

  /** @param referer the request's header */
  identified(principal: Principal, referer: string | undefined): void {
    this.#principal = principal;
    this.#referer = referer;
  }
}

/**
 * The requester, where a store follows what a client of the store has written. Behind a pointer the
 * rules of Swift's API hold: an owner may read all of its account, everybody else what the ACLs of
 * containers say. S3 ACLs of single objects do not count there; under its own name the target can be
 * read by them.
 */
class RequesterBehalf implements Behalf {
  readonly #requester: Requester;
  #header: string | undefined;

  /** @param referrer the host of the request's `Referer` */
  constructor(
    private readonly principal: Principal,
    private readonly referrer: string | undefined,
  ) {
    this.#requester = requesterOf(principal);
  }

  allows({ acl }: ContainerHead, access: 'read objects' | 'list'): boolean {
    if (this.principal.role === 'owner') return true;
    return containerAclAllows(acl, this.#requester, access, this.referrer);
  }

  get header(): string {
    return (this.#header ??= this.#render());
  }

  #render(): string {
    const { principal, referrer } = this;
    if (referrer !== undefined) return rendered(principal, `http://${referrer}/`);
    let header = HEADERS.get(principal);
    if (header === undefined) {
      header = rendered(principal, undefined);
      HEADERS.set(principal, header);
    }
    return header;
  }
}

/** The headers of requesters who name no referrer, as nearly all do. */
const HEADERS = new WeakMap<Principal, string>();

function rendered(principal: Principal, referer: string | undefined): string {
  const { role, account, keystone } = principal;
  if (role === 'anonymous') return encoded({ role, referer });
  return encoded({
    role,
    account,
    user: canonicalId(principal),
    keystone: keystone && {
      project: keystone.projectId,
      user: keystone.userId,
      roles: keystone.roles,
    },
    referer,
  });
}

function encoded(value: unknown): string {
  return encodeUriComponentAws(JSON.stringify(value));
}
