import type {
  ByteRange,
  CallContext,
  CopyInput,
  CopyOutcome,
  ObjectHead,
  ObjectRef,
  PutObjectInput,
  WritePrecondition,
} from '../backend.js';
import { BackendError } from '../errors.js';
import { throwIfAborted } from '../call-context.js';
import { bufferBody } from './lazy-body.js';
import type { LinkResult } from './body-files.js';
import { corrupt, isMd5 } from './bytes.js';
import { asBackendError } from './lmdb-error.js';
import { holds } from './object-changes.js';
import { type FoundObject, readObject, readSummary } from './object-lookup.js';
import { putObject } from './object-puts.js';
import { bodyAbsent, bodyOf, wholeOf } from './object-reads.js';
import { encodeObject, isPlain, type StoredObject } from './object-record.js';
import type { StoreDeps } from './deps.js';
import { commitReplacement, commitWithFile, PRECONDITION_FAILED } from './replacements.js';
import { refresh } from './tables.js';

/** A copy under way. */
interface Copy {
  readonly from: ObjectRef;
  readonly to: ObjectRef;
  readonly input: CopyInput;
  readonly precondition: WritePrecondition | undefined;
}

/** The source changed under the copy, which begins again. */
type Attempt = CopyOutcome | 'again';

/**
 * Copies an object. Its record is read once; the rest is an ordinary put, but for a whole file,
 * which the copy shares by a hard link: bodies never change.
 * @throws BackendError NoSuchContainer, NoSuchSourceContainer, NoSuchObject, BrokenLink, Denied,
 *   BodyMismatch, BodyAbsent, StorageFull; Unavailable when the source is replaced while it is read
 */
export async function copyObject(
  deps: StoreDeps,
  context: CallContext,
  from: ObjectRef,
  to: ObjectRef,
  input: CopyInput,
  precondition: WritePrecondition | undefined,
): Promise<CopyOutcome> {
  const copy = { from, to, input, precondition };
  let attempt: Attempt;
  do {
    throwIfAborted(context);
    attempt = await tryCopy(deps, context, copy);
  } while (attempt === 'again');
  return attempt;
}

async function tryCopy(deps: StoreDeps, context: CallContext, copy: Copy): Promise<Attempt> {
  const { from, input } = copy;
  const source = readSource(deps, context, from);
  const { head } = source.object;
  if (input.sourceEtag !== undefined && input.sourceEtag !== head.etag) return SOURCE_CHANGED;
  const range = rangeOf(input.range, head);
  const replaced = copy.precondition === undefined ? replacedBy(copy, source) : undefined;
  if (replaced === undefined) return writeCopy(deps, context, copy, source, range);
  const { etag, lastModified } = replaced;
  const guarded = { ...copy, precondition: { etag, lastModified } };
  const attempt = await writeCopy(deps, context, guarded, source, range);
  if (attempt === 'again' || attempt.outcome !== 'precondition_failed') return attempt;
  return 'again';
}

/**
 * The object, of those read, that a copy replaces: a copy onto itself must not undo a write that it
 * has not seen. A copy onto the link that it came through replaces the link.
 */
function replacedBy(
  { from, to }: Copy,
  { ref, object: { head } }: FoundObject,
): Pick<ObjectHead, 'etag' | 'lastModified'> | undefined {
  if (isSame(from, to)) return head.link ?? head;
  return isSame(ref, to) ? head : undefined;
}

async function writeCopy(
  deps: StoreDeps,
  context: CallContext,
  copy: Copy,
  source: FoundObject,
  range: ByteRange | undefined,
): Promise<Attempt> {
  const { place, head } = source.object;
  if (place === 'absent') return copyAbsent(deps, copy, source, range);
  const { etag } = head;
  const keepsEtag = isPlain(place) && isMd5(etag) && isWhole(head, range);
  if (place === 'file' && keepsEtag) {
    const linked = await linkFile(deps, context, copy, source.object);
    if (linked !== 'unsupported') return linked;
  }
  const body = range ? bodyOf(deps, context, source, range) : bufferBody(EMPTY);
  const input: PutObjectInput = {
    ...describe(copy.input, source.object),
    size: body.length,
    body: body.source,
    seal: keepsEtag ? () => ({ etag }) : undefined,
    guard: copy.input.guard,
    writeClass: copy.input.writeClass,
  };
  return putObject(deps, context, copy.to, input, copy.precondition);
}

/** Copies an object whose bytes are kept elsewhere: the copy has the same reference to them. */
async function copyAbsent(
  deps: StoreDeps,
  { to, input, precondition }: Copy,
  { ref, object }: FoundObject,
  range: ByteRange | undefined,
): Promise<Attempt> {
  const { size, etag } = object.head;
  if (input.absentBody !== true || !isWhole(object.head, range)) throw bodyAbsent(ref);
  await deps.space.admit(input.writeClass, 0, false);
  const { listingAttributes: attributes, ...fields } = describe(input, object);
  const record = encodeObject({ ...fields, size, etag, attributes }, 'absent');
  const { guard } = input;
  const replacement = { ref: to, record, bytesUsed: 0, body: EMPTY, precondition, guard };
  return commitReplacement(deps, { replacement, etag });
}

/** @throws BackendError NoSuchSourceContainer, NoSuchObject, BrokenLink, Denied */
function readSource(deps: StoreDeps, context: CallContext, from: ObjectRef): FoundObject {
  refresh(deps.tables);
  try {
    return readObject(deps, context, from);
  } catch (thrown) {
    const error = asBackendError(thrown);
    if (error.code !== 'NoSuchContainer') throw error;
    throw new BackendError('NoSuchSourceContainer', error.message, { cause: error });
  }
}

/** Undefined when nothing is to be copied but the metadata of an empty object. */
function rangeOf(wanted: ByteRange | undefined, head: ObjectHead): ByteRange | undefined {
  if (wanted === undefined) return head.size === 0 ? undefined : wholeOf(head);
  const { start, end } = wanted;
  if (start >= 0 && start <= end && end < head.size) return wanted;
  const detail = `bytes ${start} to ${end} are not inside an object of ${head.size} bytes`;
  throw new BackendError('BodyMismatch', detail);
}

function isWhole({ size }: ObjectHead, range: ByteRange | undefined): boolean {
  return range === undefined || (range.start === 0 && range.end === size - 1);
}

/** Gives the body a second file, at the same cost for any size. */
async function linkFile(
  deps: StoreDeps,
  context: CallContext,
  { from, to, input, precondition }: Copy,
  source: StoredObject,
): Promise<Attempt | 'unsupported'> {
  const { size, etag } = source.head;
  await deps.space.admit(input.writeClass, 0, false);
  if (!holds(precondition, readSummary(deps, to))) return PRECONDITION_FAILED;
  let linked = 'linked' as LinkResult;
  const outcome = await commitWithFile(deps, async (bodyId) => {
    linked = await deps.files.link(source.bodyId, bodyId).catch(rethrow);
    if (linked !== 'linked') return undefined;
    await deps.files.syncFoldersOf([bodyId]).catch(rethrow);
    const { listingAttributes: attributes, ...fields } = describe(input, source);
    const record = encodeObject({ ...fields, size, etag, attributes }, 'file');
    const { guard } = input;
    const replacement = { ref: to, record, bytesUsed: size, body: bodyId, precondition, guard };
    return { replacement, etag };
  });
  if (outcome !== undefined) return outcome;
  if (linked === 'unsupported') return 'unsupported';
  if (readSource(deps, context, from).object.bodyId !== source.bodyId) return 'again';
  throw corrupt('the file of its body is missing');
}

/** Everything about the copy but its body. */
function describe(
  input: CopyInput,
  { head, attributes }: StoredObject,
): Omit<PutObjectInput, 'size' | 'body' | 'seal'> {
  return {
    contentType: input.contentType ?? head.contentType,
    headers: input.headers ?? head.headers,
    metadata: input.metadata ?? head.metadata,
    systemMetadata: input.systemMetadata ?? head.systemMetadata,
    listingAttributes: input.listingAttributes ?? attributes,
    deleteAt: input.deleteAt === undefined ? head.deleteAt : (input.deleteAt ?? undefined),
  };
}

function isSame(one: ObjectRef, other: ObjectRef): boolean {
  return (
    one.object === other.object &&
    one.container === other.container &&
    one.account === other.account
  );
}

const EMPTY = Buffer.alloc(0);
const SOURCE_CHANGED: CopyOutcome = { outcome: 'source_changed' };

function rethrow(error: unknown): never {
  throw asBackendError(error);
}
