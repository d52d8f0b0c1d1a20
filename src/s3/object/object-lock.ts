import type { Metadata, ObjectHead } from '../../backend/backend.js';
import { DYNAMIC_MANIFEST } from '../../backend/large-object.js';
import { isOurHop } from '../../backend/own-hops.js';
import { storedObjectLock } from '../bucket/configuration.js';
import { S3Error } from '../errors.js';
import { type RequestContext, type S3Response, xmlResponse } from '../operation.js';
import { decideByBucket } from '../request/bucket-decision.js';
import { readDocument } from '../request/request-document.js';
import {
  decideRetention,
  governanceBypass,
  requireAllowed,
} from '../rules/object-lock/decision.js';
import { parseBypassHeader } from '../rules/object-lock/headers.js';
import { locksOfNewVersion } from '../rules/object-lock/new-version.js';
import {
  bucketWithoutLocks,
  contentOfOthers,
  noLegalHold,
  noRetention,
} from '../rules/object-lock/refusals.js';
import {
  storedLegalHold,
  legalHoldPatch,
  storedRetention,
  retentionPatch,
} from '../rules/object-lock/stored.js';
import { parseVersionId } from '../rules/version-id.js';
import { versionRef } from '../versions/names.js';
import type { VersionEntry } from '../versions/version-entry.js';
import { renderLegalHold } from '../xml/legal-hold.js';
import { renderRetention } from '../xml/retention.js';
import { headNamedVersion, keyOf } from './named-version.js';
import { versionHeaders } from './object-response.js';

/**
 * Versions have locks only in a bucket that has an Object Lock configuration.
 * @throws S3Error `InvalidRequest`: SPEC.md 3.2
 */
async function requireObjectLock(context: RequestContext): Promise<void> {
  await decideByBucket(context, ({ systemMetadata }) => {
    if (storedObjectLock(systemMetadata) === undefined) throw bucketWithoutLocks();
  });
}

/**
 * A lock holds what lies in the bucket's archive and among its parts, where the gateway alone writes.
 * A manifest of a client of the store may be made of objects that any client may delete.
 *
 * @param head - of the version
 * @throws S3Error `InvalidRequest`
 */
async function requireOwnContent(
  context: RequestContext,
  { segmentCount, systemMetadata }: ObjectHead,
  { name }: VersionEntry,
): Promise<void> {
  const { call, services } = context;
  const key = keyOf(context);
  if (systemMetadata[DYNAMIC_MANIFEST] !== undefined) throw contentOfOthers(key.key);
  if (segmentCount === undefined) return;
  const ref = versionRef(key, name);
  const segments = (await services.backend.getSegments(call, ref)) ?? [];
  const { account } = key;
  const areOurs = segments.every((segment) => isOurHop(ref, { ...segment, account }));
  if (!areOurs) throw contentOfOthers(key.key);
}

const PREFIX = 'x-amz-object-lock-';

/**
 * The locks that a new object begins with, as system metadata: what the headers say, and the
 * bucket's default. Call it before a body is read.
 *
 * @throws S3Error as locksOfNewVersion; `AccessDenied` for locks requested by a user who may only
 *   write: no ACL of AWS grants PutObjectRetention
 */
export async function requestedLocks(context: RequestContext): Promise<Metadata> {
  const { headers, principal, services } = context;
  if (principal.role !== 'owner' && asksForLocks(context)) {
    await context.containerHead();
    throw new S3Error('AccessDenied');
  }
  return decideByBucket(context, ({ systemMetadata }) => {
    const configuration = storedObjectLock(systemMetadata);
    const clock = services.clock.state();
    return locksOfNewVersion({ headers, configuration, now: Date.now(), clock });
  });
}

function asksForLocks({ headers }: RequestContext): boolean {
  for (const name of headers.keys()) if (name.startsWith(PREFIX)) return true;
  return false;
}

/** GetObjectLegalHold. SPEC.md 3.2 */
export async function getObjectLegalHold(context: RequestContext): Promise<S3Response> {
  await requireObjectLock(context);
  const { head } = await headNamedVersion(context);
  const legalHold = storedLegalHold(head.systemMetadata);
  if (legalHold === undefined) throw noLegalHold(context.endpoint.key);
  return xmlResponse(renderLegalHold(legalHold), await versionHeaders(context, head));
}

/** PutObjectLegalHold. SPEC.md 3.2 */
export async function putObjectLegalHold(context: RequestContext): Promise<S3Response> {
  const { services, call, endpoint } = context;
  const versionId = parseVersionId(endpoint.query);
  await requireObjectLock(context);
  const legalHold = await readDocument(context, 'LegalHold');
  const entry = await services.versions.touchVersion(
    call,
    keyOf(context),
    versionId,
    async (head, version) => {
      // A legal hold that cannot be read is not written over: SPEC.md 3.2.
      storedLegalHold(head.systemMetadata);
      if (legalHold === 'ON') await requireOwnContent(context, head, version);
      return legalHoldPatch(legalHold);
    },
  );
  return { status: 200, headers: [['x-amz-version-id', entry.id]], body: '' };
}

/** GetObjectRetention. SPEC.md 3.2 */
export async function getObjectRetention(context: RequestContext): Promise<S3Response> {
  await requireObjectLock(context);
  const { head } = await headNamedVersion(context);
  const retention = storedRetention(head.systemMetadata);
  if (retention === undefined) throw noRetention(context.endpoint.key);
  return xmlResponse(renderRetention(retention), await versionHeaders(context, head));
}

/** PutObjectRetention: what may become of it is SPEC.md 3.3's table. */
export async function putObjectRetention(context: RequestContext): Promise<S3Response> {
  const { services, call, headers, principal, endpoint } = context;
  const versionId = parseVersionId(endpoint.query);
  const bypass = governanceBypass(parseBypassHeader(headers), principal.role === 'owner');
  await requireObjectLock(context);
  const { retention: requested } = await readDocument(context, 'Retention');
  const entry = await services.versions.touchVersion(
    call,
    keyOf(context),
    versionId,
    async (head, version) => {
      const existing = storedRetention(head.systemMetadata);
      const clock = services.clock.state();
      const now = Date.now();
      requireAllowed(decideRetention({ existing, requested, bypass, now, clock }));
      if (requested !== undefined) await requireOwnContent(context, head, version);
      return retentionPatch(requested);
    },
  );
  return { status: 200, headers: [['x-amz-version-id', entry.id]], body: '' };
}
