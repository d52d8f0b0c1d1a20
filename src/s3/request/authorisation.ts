import type { ContainerHead, ContainerRef, ObjectHead, ObjectRef } from '../../backend/backend.js';
import { BackendError } from '../../backend/errors.js';
import { hostOf } from '../../lib/referrer.js';
import { mayBeStale } from './bucket-decision.js';
import { requireExpectedOwners } from './expected-owner.js';
import type { OperationFacts, RequestContext } from '../operation.js';
import { containerAclAllows, type ContainerAccess } from '../rules/acl/container-acl.js';
import { bucketAcl } from '../rules/acl/bucket-acl.js';
import { isAllowed, type Access, type Requirement } from '../rules/acl/decision.js';
import { requesterOf, type Requester } from '../rules/acl/requester.js';
import { ACL_METADATA, decodeAcl } from '../rules/acl/stored.js';
import { parseCopySource } from '../rules/copy-source.js';
import { parseVersionId } from '../rules/version-id.js';
import { S3Error } from '../errors.js';
import { hasMoved } from '../versions/first-index.js';
import { currentRef, isLinkToVersion, type VersionedKey } from '../versions/names.js';

/**
 * Checks that the principal may do what it asks for, and that the buckets have the owners that the
 * client expects ({@link requireExpectedOwners}). An owner may do everything in its account, and
 * waits for nothing; a member or an anonymous reader may do what is granted by
 *
 *     the bucket's ACL     as S3 keeps it
 *     the container's ACL  as Swift keeps it, so that both APIs have the same rights
 *     the object's ACL     only where the container does not open all its objects
 *
 * which takes at most one lookup of each. All of these are in the principal's own account: bucket
 * names belong to accounts, so a request cannot address another account's bucket.
 *
 * @returns a promise only where ACLs have to be asked
 * @throws S3Error `AccessDenied`; `NoSuchKey` to those who may list the bucket
 * @throws BackendError NoSuchContainer, to users of the account
 */
export function authorise(
  context: RequestContext,
  { needs, reads }: OperationFacts,
): undefined | Promise<void> {
  if (context.principal.role === 'owner') return requireExpectedOwners(context, reads);
  const decision = new Decision(context);
  DECISIONS.set(context, decision);
  return decision
    .decide(() => decision.require(needs))
    .then(() => requireExpectedOwners(context, reads));
}

/** Decisions about requests under way whose sender is no owner. */
const DECISIONS = new WeakMap<RequestContext, Decision>();

/**
 * Checks the object that a request has found, before any of it is shown or changed: the object's
 * ACL let the request in, and another object may have replaced it since.
 * @throws S3Error `AccessDenied`
 */
export function requireAdmitted(context: RequestContext, ref: ObjectRef, found: ObjectHead): void {
  if (DECISIONS.get(context)?.admits(ref, found) === false) throw denied();
}

/** Whether the principal owns the bucket: by its role, or by the bucket's ACL. */
export function ownsBucket(context: RequestContext): Promise<boolean> {
  if (context.principal.role === 'owner') return Promise.resolve(true);
  const decision = new Decision(context);
  return decision
    .decide(() => decision.requireOwner())
    .then(
      () => true,
      (error: unknown) => {
        if (error instanceof S3Error) return false;
        throw error;
      },
    );
}

/**
 * Whether the principal may read an object that its request is not about alone, such as one of many to
 * be deleted.
 *
 * @throws S3Error `AccessDenied`; `NoSuchKey` to those who may list the bucket
 */
export async function requireObjectRead(context: RequestContext, key: VersionedKey): Promise<void> {
  if (context.principal.role === 'owner') return;
  const decision = new Decision(context);
  await decision.decide(() => decision.requireRead(key));
}

/** The permissions of S3 that Swift's ACLs know. */
const CONTAINER_ACCESS: Readonly<Partial<Record<Access, ContainerAccess>>> = {
  READ: 'list',
  WRITE: 'write',
};

/**
 * The ACL of a bucket without a stored one: it belongs to the account's owners, who never reach
 * this check.
 */
const UNGRANTED = { owner: '', grants: [] };

/** A version that moves, or a link that is mended, under each of so many looks is to be asked for again. */
const LOOKS_MAX = 5;

interface Found {
  readonly ref: ObjectRef;
  readonly head: ObjectHead;
}

/** One request's, for a principal that owns nothing by its role. */
class Decision {
  readonly #requester: Requester;
  readonly #referrer: string | undefined;
  /** The access that an object's ACL had to allow; undefined while none was asked. */
  #byObject: Access | undefined;
  #newest = false;

  constructor(private readonly context: RequestContext) {
    this.#requester = requesterOf(context.principal);
    this.#referrer = hostOf(context.headers.get('referer'));
  }

  async require(needs: readonly Requirement[]): Promise<void> {
    for (const requirement of needs) {
      await this.#requireOne(requirement);
    }
  }

  /** Decides a refusal anew by the newest ACLs of containers: a grant that is told of counts at once. */
  async decide(require: () => Promise<void>): Promise<void> {
    try {
      await require();
    } catch (error) {
      const isOlder = error instanceof S3Error && error.cause === undefined && !this.#newest;
      if (!isOlder || !mayBeStale(this.context)) throw error;
      this.#newest = true;
      await require();
    }
  }

  requireRead(key: VersionedKey): Promise<void> {
    return this.#requireObject(key, undefined, 'READ');
  }

  /** By the ACL of what stands at the key: the store asks who may read what it leads to. */
  admits(ref: ObjectRef, head: ObjectHead): boolean {
    if (this.#byObject === undefined) return true;
    const { systemMetadata } = isLinkToVersion(ref, head) ? head : (head.link ?? head);
    const acl = decodeAcl(systemMetadata[ACL_METADATA]);
    return acl !== undefined && isAllowed(acl, this.#requester, this.#byObject);
  }

  requireOwner(): Promise<void> {
    return this.require([{ resource: 'bucket', access: 'OWNER' }]);
  }

  async #requireOne({ resource, access }: Requirement): Promise<void> {
    const { account } = this.context.principal;
    const { bucket, key } = this.context.endpoint;
    switch (resource) {
      case 'account':
        throw denied(new Error('an account has no ACL'));
      case 'bucket':
        if (!this.#bucketAllows(await this.#container(bucket), access)) throw denied();
        return;
      case 'object':
        return this.#requireObject({ account, bucket, key }, this.#namedVersion(), access);
      case 'source': {
        const source = parseCopySource(this.context.headers.get('x-amz-copy-source') ?? '');
        return this.#requireObject({ account, ...source }, source.versionId, access);
      }
    }
  }

  #bucketAllows(container: ContainerHead, access: Access): boolean {
    if (isAllowed(bucketAcl(container, UNGRANTED), this.#requester, access)) return true;
    const wanted = CONTAINER_ACCESS[access];
    return (
      wanted !== undefined &&
      containerAclAllows(container.acl, this.#requester, wanted, this.#referrer)
    );
  }

  /** Operations that make a version take no id: it is theirs that read or change one. */
  #namedVersion(): string | undefined {
    return parseVersionId(this.context.endpoint.query);
  }

  async #requireObject(
    key: VersionedKey,
    versionId: string | undefined,
    access: Access,
  ): Promise<void> {
    const container = await this.#container(key.bucket);
    if (
      access === 'READ' &&
      containerAclAllows(container.acl, this.#requester, 'read objects', this.#referrer)
    ) {
      return;
    }
    const found = await this.#object(key, versionId);
    if (found === undefined) {
      // A user who may not list the bucket is not told which keys exist.
      if (!this.#bucketAllows(container, 'READ')) throw denied();
      throw new S3Error(versionId === undefined ? 'NoSuchKey' : 'NoSuchVersion');
    }
    this.#byObject = access;
    if (!this.admits(found.ref, found.head)) throw denied();
  }

  /** @throws BackendError NoSuchContainer; S3Error `AccessDenied` instead, for who is no user */
  async #container(container: string): Promise<ContainerHead> {
    const { context } = this;
    const ref: ContainerRef = { account: context.principal.account, container };
    try {
      const options = { newest: this.#newest };
      if (container === context.endpoint.bucket) return await context.containerHead(options);
      return await context.services.backend.headContainer(context.call, ref, options);
    } catch (error) {
      const isHidden = this.#requester.kind === 'anonymous' && isCode(error, 'NoSuchContainer');
      if (isHidden) throw denied(error);
      throw error;
    }
  }

  /** @returns undefined also for a delete marker */
  async #object(
    key: VersionedKey,
    versionId: string | undefined,
    looks = LOOKS_MAX,
  ): Promise<Found | undefined> {
    const { services, call } = this.context;
    try {
      let ref = currentRef(key);
      if (versionId !== undefined) {
        const found = await services.versions.find(call, key, versionId);
        if (found?.entry.kind !== 'version') return undefined;
        ref = found.ref;
      }
      const head = await services.backend.headObject(call, ref);
      const isHere = versionId === undefined || !hasMoved(ref, head, versionId);
      if (isHere || looks === 1) return isHere ? { ref, head } : undefined;
    } catch (error) {
      if (isCode(error, 'NoSuchObject')) return undefined;
      if (!isCode(error, 'BrokenLink') || versionId !== undefined || looks === 1) throw error;
      await services.versions.repairLink(call, key);
    }
    return this.#object(key, versionId, looks - 1);
  }
}

function isCode(error: unknown, code: BackendError['code']): boolean {
  return error instanceof BackendError && error.code === code;
}

/** @param cause - what no newer ACL would change */
function denied(cause?: unknown): S3Error {
  return new S3Error('AccessDenied', undefined, {}, { cause });
}
