import type {
  CallContext,
  ManifestInput,
  ObjectRef,
  PutOutcome,
  Segment,
  WritePrecondition,
} from '../backend.js';
import { BackendError } from '../errors.js';
import { throwIfAborted } from '../call-context.js';
import { ID_BYTES, objectKey } from './keys.js';
import { encodeContent, encodeObject, isPlainWith } from './object-record.js';
import type { StoreDeps } from './deps.js';
import { commitReplacement } from './replacements.js';
import { encodeSegments } from './segment-list.js';
import { forEachInSlices } from './slices.js';
import { peek } from './tables.js';
import type { WriteTransaction } from './write-transaction.js';

/** AWS's limit of parts, and Swift's of segments where an operator allows as many. */
export const SEGMENTS_MAX = 10_000;

/** A segment as the transaction looks for it. */
interface Wanted {
  readonly segment: Segment;
  /** Its key in the index, but for the container's id, which only the transaction knows. */
  readonly key: Buffer;
  readonly content: Buffer;
}

/**
 * Stores a large object: the list of its segments, in the index.
 *
 * The segments are checked in the transaction that makes it visible, so that none can be removed
 * in between. That is the one long step on the loop; everything else is prepared outside in slices.
 * 10,000 of them keep the loop for about 9 ms: docs/embedded-store.md.
 * @throws BackendError NoSuchContainer, GuardMissing, SegmentMismatch, StorageFull, Unsupported
 */
export async function putManifest(
  deps: StoreDeps,
  context: CallContext,
  ref: ObjectRef,
  input: ManifestInput,
  precondition: WritePrecondition | undefined,
): Promise<PutOutcome> {
  const { segments, etag, contentType, headers, metadata, systemMetadata, guard } = input;
  const { deleteAt } = input;
  const { size, list, check } = await prepareSegments(ref, segments);
  await deps.space.admit(input.writeClass, list.length, false);
  throwIfAborted(context);
  const attributes = input.listingAttributes;
  const segmentCount = segments.length;
  const described = { contentType, attributes, headers, metadata, systemMetadata, deleteAt };
  const fields = { size, etag, ...described };
  const record = encodeObject({ ...fields, segmentCount }, 'segments');
  const replacement = { ref, record, bytesUsed: 0, body: list, precondition, check, guard };
  return commitReplacement(deps, { replacement, etag });
}

/** A list of segments as it is stored. */
export interface PreparedSegments {
  /** The size of all segments together, in bytes. */
  readonly size: number;
  readonly list: Buffer;
  /** Checks the segments. Call it inside the transaction. */
  readonly check: (transaction: WriteTransaction) => void;
}

/** @throws BackendError SegmentMismatch, Unsupported */
export async function prepareSegments(
  ref: ObjectRef,
  segments: readonly Segment[],
): Promise<PreparedSegments> {
  checkCount(segments.length);
  const wanted: Wanted[] = [];
  let size = 0;
  await forEachInSlices(segments, (segment) => {
    size += segment.size;
    wanted.push(prepare(ref, segment));
  });
  const check = (transaction: WriteTransaction): void => {
    checkSegments(transaction, ref.account, wanted);
  };
  return { size, list: await encodeSegments(segments), check };
}

function checkCount(count: number): void {
  if (count >= 1 && count <= SEGMENTS_MAX) return;
  const detail = `a large object has 1 to ${SEGMENTS_MAX} segments, not ${count}`;
  throw new BackendError('Unsupported', detail);
}

function prepare(ref: ObjectRef, segment: Segment): Wanted {
  const { container, object, size, etag } = segment;
  // It would be overwritten by what it is to be a part of.
  if (container === ref.container && object === ref.object) throw mismatch(segment);
  return { segment, key: objectKey(0, object), content: encodeContent(size, etag) };
}

/** @throws BackendError SegmentMismatch */
function checkSegments(
  transaction: WriteTransaction,
  account: string,
  wanted: readonly Wanted[],
): void {
  const ids = new Map<string, number>();
  for (const { segment, key, content } of wanted) {
    let id = ids.get(segment.container);
    if (id === undefined) {
      id = containerIdOf(transaction, account, segment);
      ids.set(segment.container, id);
    }
    key.writeUIntBE(id, 0, ID_BYTES);
    const row = peek(transaction.tables.objects, key);
    if (row === undefined || !isPlainWith(row, content)) throw mismatch(segment);
  }
}

function containerIdOf(transaction: WriteTransaction, account: string, segment: Segment): number {
  try {
    return transaction.containerId({ account, container: segment.container });
  } catch (error) {
    if (error instanceof BackendError && error.code === 'NoSuchContainer') throw mismatch(segment);
    throw error;
  }
}

function mismatch({ container, object, size, etag }: Segment): BackendError {
  const detail = `no object ${container}/${object} of ${size} bytes with ETag ${etag}`;
  return new BackendError('SegmentMismatch', `${detail} that could be a segment`);
}
