import type {
  BodyUpdate,
  CallContext,
  ObjectRef,
  ObjectUpdate,
  UpdateOutcome,
  UpdatePrecondition,
} from '../backend.js';
import { BackendError } from '../errors.js';
import { throwIfAborted } from '../call-context.js';
import { collectBody } from '../body-intake.js';
import type { WriteOperation } from './commit-queue.js';
import { forgetExpiry, rememberExpiry } from './expired-objects.js';
import { objectKey } from './keys.js';
import { prepareSegments } from './manifest-puts.js';
import { patched } from '../metadata-patch.js';
import { meets } from '../update-precondition.js';
import { bytesUsedBy, type Change, dropBody, noSuchObject, storeBody } from './object-changes.js';
import { readSummary } from './object-lookup.js';
import { writeBodyFile } from './object-puts.js';
import {
  type BodyPlace,
  decodeObject,
  encodeObject,
  hasExpired,
  stampObject,
} from './object-record.js';
import type { StoreDeps } from './deps.js';
import { withBodyFile } from './replacements.js';
import { peek } from './tables.js';
import type { WriteTransaction } from './write-transaction.js';

/** Changes of an object in place: size, ETag and time of modification stay. */

/** The new place of the body. */
interface NewBody {
  readonly place: BodyPlace;
  /** The new body, in the form of {@link Replacement}. */
  readonly body: Buffer | number;
  readonly size: number | undefined;
  readonly segmentCount?: number | undefined;
  readonly check?: ((transaction: WriteTransaction) => void) | undefined;
}

type UpdateChange = Change<UpdateOutcome>;

/** @throws BackendError NoSuchContainer, NoSuchObject */
export async function updateObject(
  deps: StoreDeps,
  ref: ObjectRef,
  update: ObjectUpdate,
  precondition: UpdatePrecondition | undefined,
): Promise<UpdateOutcome> {
  return commit(deps, changeOf(ref, update, precondition, undefined, deps.owner));
}

/**
 * Lets go of a body, or brings it back: the bytes are on disk before the record names them.
 * @throws BackendError NoSuchContainer, NoSuchObject, BodyMismatch, SegmentMismatch, StorageFull,
 *   Unsupported for a link; what the body throws
 */
export async function updateBody(
  deps: StoreDeps,
  context: CallContext,
  ref: ObjectRef,
  { body, ...update }: BodyUpdate,
  precondition: UpdatePrecondition,
): Promise<UpdateOutcome> {
  const commitWith = (to: NewBody): Promise<UpdateOutcome> =>
    commit(deps, changeOf(ref, update, precondition, to, deps.owner));
  if (body.kind === 'absent') {
    return commitWith({ place: 'absent', body: NOTHING, size: undefined });
  }
  if (body.kind === 'segments') {
    const { size, list, check } = await prepareSegments(ref, body.segments);
    await deps.space.admit(undefined, list.length, false);
    const segmentCount = body.segments.length;
    return commitWith({ place: 'segments', body: list, size, segmentCount, check });
  }
  const size = readSummary(deps, ref)?.size;
  if (size === undefined) throw noSuchObject(ref);
  const intake = { body: body.source, size, context };
  const small = size <= deps.options.inlineBodyBytesMax;
  await deps.space.admit(undefined, size, !small);
  if (small) {
    const bytes = await collectBody(intake);
    throwIfAborted(context);
    return commitWith({ place: size === 0 ? 'empty' : 'inline', body: bytes, size });
  }
  return withBodyFile(
    deps,
    async (bodyId) => {
      await writeBodyFile(deps, intake, bodyId, { md5: undefined, written: () => undefined });
      throwIfAborted(context);
      return commitWith({ place: 'file', body: bodyId, size });
    },
    ({ outcome }) => outcome === 'updated',
  );
}

async function commit(
  { commits, reaper }: StoreDeps,
  operation: WriteOperation<UpdateChange>,
): Promise<UpdateOutcome> {
  const { outcome, freed } = await commits.run(operation);
  reaper.add(freed);
  return outcome;
}

/** @throws (the operation) BackendError NoSuchContainer, NoSuchObject, Unsupported, SegmentMismatch */
function changeOf(
  ref: ObjectRef,
  update: ObjectUpdate,
  precondition: UpdatePrecondition | undefined,
  to: NewBody | undefined,
  owner: Buffer,
): WriteOperation<UpdateChange> {
  return (transaction) => {
    const { tables } = transaction;
    const containerId = transaction.containerId(ref);
    const key = objectKey(containerId, ref.object);
    const row = peek(tables.objects, key);
    if (row === undefined || (update.openExpired !== true && hasExpired(row, row.length))) {
      throw noSuchObject(ref);
    }
    const stored = decodeObject(row, row.length);
    const { head, attributes, place, bodyId, target } = stored;
    if (!meets(head, precondition)) return FAILED;
    // An unchanged ETag means an unchanged size, unless a client has chosen the ETag itself.
    if (to?.size !== undefined && to.size !== head.size) return FAILED;
    if (to !== undefined && place === 'link') {
      throw new BackendError('Unsupported', 'a link has no body');
    }
    to?.check?.(transaction);
    const deleteAt = update.deleteAt === undefined ? head.deleteAt : (update.deleteAt ?? undefined);
    const record = encodeObject(
      {
        size: head.size,
        etag: head.etag,
        contentType: update.contentType ?? head.contentType,
        attributes: patched(attributes, update.listingAttributes),
        headers: update.headers ?? head.headers,
        metadata: update.metadata ?? head.metadata,
        systemMetadata: patched(head.systemMetadata, update.systemMetadata),
        segmentCount: to === undefined ? head.segmentCount : to.segmentCount,
        target,
        deleteAt,
      },
      to?.place ?? place,
    );
    const freed: number[] = [];
    const newBodyId = to === undefined ? bodyId : storeBody(transaction, to.body);
    stampObject(record, newBodyId, head.lastModified);
    void tables.objects.put(key, record);
    if (deleteAt !== head.deleteAt) {
      forgetExpiry(tables, ref, head.deleteAt);
      rememberExpiry(tables, ref, deleteAt);
    }
    if (to !== undefined) {
      const { size } = head;
      const added = bytesUsedBy({ place: to.place, size }) - bytesUsedBy({ place, size });
      transaction.addUsage(containerId, 0, added);
      dropBody(transaction, { place, bodyId }, owner, freed);
    }
    return { outcome: UPDATED, freed };
  };
}

const NOTHING = Buffer.alloc(0);
const UPDATED: UpdateOutcome = { outcome: 'updated' };
const FAILED: UpdateChange = { outcome: { outcome: 'precondition_failed' }, freed: [] };
