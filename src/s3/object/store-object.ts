import { requireConditionSupport, requireVersionConditionSupport } from './condition-support.js';
import type { Metadata, WritePrecondition, ObjectRef, PutOutcome } from '../../backend/backend.js';
import type { HeaderMap, HeaderList } from '../../http/exchange.js';
import { bucketVersioning, versioningForWrites } from '../bucket/configuration.js';
import { S3Error } from '../errors.js';
import { type RequestContext, objectOf } from '../operation.js';
import { decideByBucket } from '../request/bucket-decision.js';
import { DEFAULT_STORAGE_CLASS, parseStorageClass } from '../rules/storage-class.js';
import { encodeTags, parseTaggingHeader } from '../rules/tagging.js';
import { writePreconditionFailed } from '../rules/write-conditions.js';
import type { WrittenVersion } from '../versions/create-version.js';
import { isArchivableKey } from '../versions/names.js';
import { SYSTEM_METADATA } from './attributes.js';
import { forgetParts } from './delete-object.js';
import { keyOf } from './named-version.js';

/** The metadata of an object for the gateway's own use: a part of every write's input. */
export interface ObjectAttributes {
  readonly systemMetadata?: Metadata;
  readonly listingAttributes?: Metadata;
}

const NOTHING: ObjectAttributes = {};

/**
 * Storage class and tags that the headers of a new object ask for. Call it before any of the body
 * is read: SPEC.md 4.3.
 *
 * @throws S3Error `InvalidStorageClass`; as {@link parseTaggingHeader}
 */
export function requestedAttributes(
  headers: HeaderMap,
  storageClasses: readonly string[],
): ObjectAttributes {
  const storageClass = storageClassAttributes(parseStorageClass(headers, storageClasses));
  const tagging = taggingAttributes(headers);
  if (tagging === undefined) {
    if (storageClass === undefined) return NOTHING;
    return { systemMetadata: storageClass, listingAttributes: storageClass };
  }
  if (storageClass === undefined) return { systemMetadata: tagging };
  return { systemMetadata: { ...storageClass, ...tagging }, listingAttributes: storageClass };
}

/** Undefined for `STANDARD`: listings show it where nothing else is said. */
export function storageClassAttributes(storageClass: string): Metadata | undefined {
  if (storageClass === DEFAULT_STORAGE_CLASS) return undefined;
  return { [SYSTEM_METADATA.storageClass]: storageClass };
}

/** Undefined without tags. @throws S3Error as {@link parseTaggingHeader} */
export function taggingAttributes(headers: HeaderMap): Metadata | undefined {
  const value = headers.get('x-amz-tagging');
  const tags = value === undefined ? [] : parseTaggingHeader(value);
  return tags.length === 0 ? undefined : { [SYSTEM_METADATA.tagging]: encodeTags(tags) };
}

type Created = Extract<PutOutcome, { outcome: 'created' }>;

interface ObjectWrite {
  /** The condition on the current object of the key. */
  readonly condition: WritePrecondition | undefined;
  /**
   * Writes the object, once.
   * @param added - system metadata to be stored with it, beside the operation's own
   */
  write(
    ref: ObjectRef,
    added: Metadata,
    precondition: WritePrecondition | undefined,
  ): Promise<PutOutcome>;
  /** Describes it beside ETag and time; called once it is written. */
  describe(): Omit<WrittenVersion, 'etag' | 'lastModified'>;
  /** The ETag of a write that uses up its source; then it is known before. */
  readonly unrepeatable?: { readonly etag: string } | undefined;
  /** As `NewVersion.mayBeFirst`. */
  readonly mayBeFirst?: boolean | undefined;
}

export interface StoredObject {
  /** Unquoted. */
  readonly etag: string;
  /** Milliseconds since the epoch. */
  readonly lastModified: number;
  /** `x-amz-version-id`, where the bucket keeps versions or did: SPEC.md 3.1. */
  readonly headers: HeaderList;
}

/**
 * Refuses early what the write would be refused for later. Call it before a body is read.
 * @throws S3Error `NotImplemented` for a condition that cannot be decided atomically,
 *   `InvalidBucketState` where the store keeps versions of its own
 */
export async function requireStorable(
  context: RequestContext,
  condition: WritePrecondition | undefined,
): Promise<void> {
  const { capabilities } = context.services.backend;
  await decideByBucket(context, (head) => {
    if (versioningForWrites(head) === 'unversioned') {
      requireConditionSupport(condition, capabilities);
    } else requireVersionConditionSupport(condition, capabilities);
  });
}

/**
 * How long a bucket counts as what it was when the request began. An upload takes as long as its
 * client wants, and versions may be enabled and locked meanwhile.
 */
const STATE_MS_MAX = 100;

/**
 * Makes an object the current one of its key: SPEC.md 3.1. Without versions it replaces the
 * existing object; with versions it is written to its final place, and nothing is copied or moved.
 *
 * @throws S3Error `PreconditionFailed`, `NoSuchKey`; `OperationAborted` when a newer write won
 */
export async function storeObject(
  context: RequestContext,
  object: ObjectWrite,
): Promise<StoredObject> {
  const freshness = { ageMsMax: STATE_MS_MAX };
  const state = await decideByBucket(context, versioningForWrites, freshness);
  if (state === 'unversioned') return replaceObject(context, object);
  const { services, call } = context;
  const created = await services.versions.createVersion(call, keyOf(context), {
    nullVersion: state === 'Suspended',
    condition: object.condition,
    unrepeatable: object.unrepeatable && { ...object.describe(), ...object.unrepeatable },
    mayBeFirst: object.mayBeFirst,
    write: async (ref, added, precondition) => {
      const outcome = await object.write(ref, added, precondition);
      if (precondition !== undefined && outcome.outcome !== 'created') return undefined;
      const { etag, lastModified } = requireCreated(outcome);
      return { ...object.describe(), etag, lastModified };
    },
  });
  forgetParts(context, keyOf(context), created.removed);
  const { etag, lastModified, versionId } = created;
  return { etag, lastModified, headers: [['x-amz-version-id', versionId]] };
}

async function replaceObject(context: RequestContext, object: ObjectWrite): Promise<StoredObject> {
  const { condition } = object;
  const outcome = await object.write(objectOf(context), {}, condition);
  if (outcome.outcome === 'precondition_failed') await requireSomethingToMatch(context, condition);
  const { etag, lastModified, replacedManifest } = requireCreated(outcome, condition);
  context.services.segments.replaced(objectOf(context), replacedManifest, context.call.requestId);
  const { systemMetadata } = await context.containerHead({ ageMsMax: STATE_MS_MAX });
  if (bucketVersioning(systemMetadata) === 'unversioned')
    return { etag, lastModified, headers: [] };
  return { etag, lastModified, headers: await becomeVersion(context, { etag, lastModified }) };
}

/**
 * The bucket keeps versions by now, and the object has perhaps replaced the link to one of them: it
 * becomes a version beside that, as what a client of the store writes past the gateway.
 *
 * @returns `x-amz-version-id`, where it is the current version
 */
async function becomeVersion(
  context: RequestContext,
  { etag, lastModified }: Pick<StoredObject, 'etag' | 'lastModified'>,
): Promise<HeaderList> {
  const { services, call } = context;
  const key = keyOf(context);
  if (!isArchivableKey(key.key, services.backend.capabilities)) return [];
  await services.versions.repairLink(call, key);
  const current = await services.versions.currentEntry(call, key);
  const isThis = current?.adopted?.etag === etag && current.adopted.lastModified === lastModified;
  return isThis ? [['x-amz-version-id', current.id]] : [];
}

/** Like AWS, fails `If-Match` for a missing object with a different error than for another ETag. */
async function requireSomethingToMatch(
  context: RequestContext,
  condition: WritePrecondition | undefined,
): Promise<void> {
  if (condition === undefined || 'absent' in condition) return;
  await context.services.backend.headObject(context.call, objectOf(context));
}

function requireCreated(outcome: PutOutcome, condition?: WritePrecondition): Created {
  if (outcome.outcome === 'created') return outcome;
  if (outcome.outcome === 'precondition_failed' && condition !== undefined) {
    throw writePreconditionFailed(condition);
  }
  throw new S3Error('OperationAborted');
}
