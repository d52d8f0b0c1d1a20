import type {
  Metadata,
  ObjectRef,
  PutOutcome,
  WritePrecondition,
} from '../../../backend/backend.js';
import type { HeaderList } from '../../../http/exchange.js';
import { bucketVersioning } from '../../bucket-versions.js';
import type { RequestContext } from '../../operation.js';
import { writePreconditionFailed } from '../../rules/write-conditions.js';
import { S3Error } from '../../s3-error.js';
import type { WrittenVersion } from '../../versions/create-version.js';
import { objectOf } from '../refs.js';
import { forgetParts } from './deletion.js';
import { keyOf } from './named-version.js';
import { requireConditionSupport, requireVersionConditionSupport } from './write-support.js';

/** What becomes of an object that is uploaded, copied or completed. */

type Created = Extract<PutOutcome, { outcome: 'created' }>;

export interface ObjectWrite {
  /** Of what is at the key. */
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
  /** What is told of it beside ETag and time; asked once it is written. */
  describe(): Omit<WrittenVersion, 'etag' | 'lastModified'>;
  /** Where writing it uses up what it is made of: its ETag. Then all of it is known before. */
  readonly unrepeatable?: { readonly etag: string } | undefined;
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
 * Refuses what the write could only be refused for later: to be called before a body is read.
 * @throws S3Error `NotImplemented` for a condition that nobody could decide atomically
 */
export async function requireStorable(
  context: RequestContext,
  condition: WritePrecondition | undefined,
): Promise<void> {
  const { systemMetadata } = await context.containerHead();
  const { capabilities } = context.services.backend;
  if (bucketVersioning(systemMetadata) === 'unversioned') {
    requireConditionSupport(condition, capabilities);
  } else requireVersionConditionSupport(condition, capabilities);
}

/**
 * Makes an object the current one of its key: SPEC.md 3.1. Without versions it replaces the one that
 * is there; with them it is written where it stays, and nothing is copied or moved.
 *
 * @throws S3Error `PreconditionFailed`, `NoSuchKey`; `OperationAborted` when a newer write won
 */
export async function storeObject(
  context: RequestContext,
  object: ObjectWrite,
): Promise<StoredObject> {
  const { systemMetadata } = await context.containerHead();
  const state = bucketVersioning(systemMetadata);
  if (state === 'unversioned') return replaceObject(context, object);
  const { services, call } = context;
  const created = await services.versions.createVersion(call, keyOf(context), {
    nullVersion: state === 'Suspended',
    condition: object.condition,
    unrepeatable: object.unrepeatable && { ...object.describe(), ...object.unrepeatable },
    write: async (ref, added) => {
      const { etag, lastModified } = requireCreated(await object.write(ref, added, undefined));
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
  return { etag, lastModified, headers: [] };
}

/** As AWS: `If-Match` fails otherwise where there is no object. @throws BackendError NoSuchObject */
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
