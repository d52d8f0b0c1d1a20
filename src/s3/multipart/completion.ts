import type {
  CallContext,
  ManifestInput,
  ObjectHead,
  ObjectRef,
  WritePrecondition,
} from '../../backend/backend.js';
import { isCode } from '../../backend/errors.js';
import type { HeaderList } from '../../http/exchange.js';
import { S3Error } from '../errors.js';
import { checksumType, readStoredChecksum, SYSTEM_METADATA } from '../object/attributes.js';
import { forgetParts } from '../object/delete-object.js';
import { ownVersionHeaders } from '../object/object-response.js';
import { storeObject, type StoredObject } from '../object/store-object.js';
import type { RequestContext } from '../operation.js';
import { reopenUnfinished, reopenUpload } from './reopen-upload.js';
import {
  requireAscendingParts,
  requireObjectSize,
  selectParts,
  type RequestedPart,
  type SelectedParts,
} from '../rules/complete-rules.js';
import { multipartEtag } from '../rules/multipart-etag.js';
import { decodeUploadChecksum, parseClaimedChecksum } from '../rules/upload-checksum.js';
import { noSuchUpload } from '../rules/upload-id.js';
import { markerOf, partOf, targetOf, type Upload } from '../segments/names.js';
import { readParts, type StoredPart } from '../segments/parts.js';
import { versionRef } from '../versions/names.js';
import type { ResultChecksum } from '../xml/checksum-elements.js';
import { objectChecksum } from './checksums.js';
import { contentTypeOf, objectAttributes } from './upload-metadata.js';
import { withUnlistedParts } from './unlisted-parts.js';
import { isGone, requireOpenUpload } from './upload.js';

interface Completion {
  readonly upload: Upload;
  /** The requested parts, in ascending order. */
  readonly requested: readonly RequestedPart[];
  readonly precondition: WritePrecondition | undefined;
}

interface CompletedObject {
  /** Unquoted. */
  readonly etag: string;
  readonly checksum: ResultChecksum | undefined;
  /** `x-amz-version-id`, of a version. */
  readonly headers: HeaderList;
}

/** The limit of attempts: each failed one means that another request ended the upload. */
const ATTEMPTS_MAX = 3;

/**
 * Makes an upload's parts an object:
 *
 *     marker → parts → checks → manifest in exchange for the marker → parts left out removed, later
 *
 * One of several racing completions and aborts gets the marker; from then on no part can be
 * replaced. Once the marker is gone, a repeated completion is answered from the object's metadata,
 * so that a client which missed the answer gets it; and a version whose writer stopped before the
 * commit is committed.
 *
 * The completion continues when the client leaves.
 */
export async function completeUpload(
  context: RequestContext,
  completion: Completion,
): Promise<CompletedObject> {
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
    const marker = await findMarker(context, completion.upload);
    const completed =
      (marker && (await completeFromParts(context, completion, marker))) ??
      (await completedBefore(context, completion)) ??
      (await completeUnfinished(context, completion));
    if (completed !== undefined) return completed;
  }
  throw new S3Error('OperationAborted');
}

/** @returns undefined when the upload was completed or aborted in between */
async function completeFromParts(
  context: RequestContext,
  completion: Completion,
  marker: ObjectHead,
): Promise<CompletedObject | undefined> {
  const { upload, requested } = completion;
  const { backend } = context.services;
  requireAscendingParts(requested);
  const call = callOf(context);
  const listed = await readParts(backend, call, upload);
  const uploaded = await withUnlistedParts(backend, call, upload, requested, listed);
  const selected = selectParts(upload.uploadId, requested, uploaded);
  requireObjectSize(context.headers, selected.size);
  requireSegmentCount(selected, backend.capabilities.segmentsMax);
  const created = decodeUploadChecksum(marker.systemMetadata[SYSTEM_METADATA.uploadChecksum]);
  const claimed = parseClaimedChecksum(context.headers, created);
  const checksum = objectChecksum(created, claimed, selected.parts);
  const etag = multipartEtag(selected.parts.map((part) => part.etag));

  const input = manifestOf(upload, marker, selected, etag, checksum);
  const stored = await store(context, completion, marker, input, selected.size);
  if (stored === undefined) return undefined;
  if (uploaded.size > selected.parts.length) {
    context.services.segments.later(upload, context.call.requestId);
  }
  // The store has its own where it cannot keep one.
  return { etag: stored.etag, checksum, headers: stored.headers };
}

/** A call without cancellation: a completion that has begun should be finished. */
function callOf({ call: { requestId } }: RequestContext): CallContext {
  return { requestId };
}

/** @throws BackendError NoSuchContainer without the bucket */
async function findMarker(
  context: RequestContext,
  upload: Upload,
): Promise<ObjectHead | undefined> {
  try {
    return await requireOpenUpload(context, upload);
  } catch (error) {
    if (error instanceof S3Error && error.code === 'NoSuchUpload') return undefined;
    throw error;
  }
}

function manifestOf(
  upload: Upload,
  marker: ObjectHead,
  { parts }: SelectedParts<StoredPart>,
  etag: string,
  checksum: ResultChecksum | undefined,
): ManifestInput {
  const { headers, metadata } = marker;
  return {
    contentType: contentTypeOf(marker),
    headers,
    metadata,
    ...objectAttributes(upload.uploadId, marker.systemMetadata, checksum),
    segments: parts.map((part) => {
      const { container, object } = partOf(upload, part.partNumber);
      return { container, object, size: part.size, etag: part.etag };
    }),
    etag,
    guard: { ref: markerOf(upload), consumed: true },
  };
}

/** @returns undefined when the upload was completed or aborted in between */
async function store(
  context: RequestContext,
  { upload, precondition }: Completion,
  marker: ObjectHead,
  input: ManifestInput,
  size: number,
): Promise<StoredObject | undefined> {
  const { backend } = context.services;
  const { systemMetadata = {}, listingAttributes = {} } = input;
  let version: ObjectRef | undefined;
  try {
    return await storeObject(context, {
      condition: precondition,
      write: async (ref, added, condition) => {
        const withAdded = { ...input, systemMetadata: { ...systemMetadata, ...added } };
        const put = await backend.putManifest(callOf(context), ref, withAdded, condition);
        if (SYSTEM_METADATA.versionId in added && put.outcome === 'created') version = ref;
        return put;
      },
      describe: () => ({
        size,
        storageClass: listingAttributes[SYSTEM_METADATA.storageClass],
        checksumAlgorithm: listingAttributes[SYSTEM_METADATA.checksumAlgorithm],
        owner: listingAttributes[SYSTEM_METADATA.owner],
        uploadId: systemMetadata[SYSTEM_METADATA.uploadId],
      }),
      // The manifest uses the upload up.
      unrepeatable: { etag: input.etag },
    });
  } catch (error) {
    if (isCode(error, 'GuardMissing')) return undefined;
    if (version !== undefined && isLostCondition(error)) {
      await reopenUpload(context, upload, marker, version);
    }
    throw error;
  }
}

/** Whether a version was refused that was written before its condition was decided. */
function isLostCondition(error: unknown): boolean {
  return error instanceof S3Error && CONDITION_CODES.has(error.code);
}

const CONDITION_CODES: ReadonlySet<string> = new Set(['PreconditionFailed', 'NoSuchKey']);

/**
 * The answer when this request has nothing to do: the object is what it asks for already.
 * @returns undefined where no object of the upload is known
 * @throws S3Error `NoSuchUpload` for one of other parts
 */
async function completedBefore(
  context: RequestContext,
  { upload, requested }: Completion,
): Promise<CompletedObject | undefined> {
  const found = await findObject(context, upload);
  if (found === undefined) return undefined;
  requireRequested(upload, requested, found.etag);
  return completedObject(found);
}

/**
 * Finishes a completion whose writer stopped after writing everything and before the commit.
 * @returns undefined when the upload is open again, or another request has ended it
 * @throws S3Error `NoSuchUpload` when there is nothing to end
 */
async function completeUnfinished(
  context: RequestContext,
  { upload, requested, precondition }: Completion,
): Promise<CompletedObject | undefined> {
  const { versions } = context.services;
  const call = callOf(context);
  const all = await versions.findUnfinished(call, upload, upload.uploadId);
  const found = all.find(({ givenUp }) => !givenUp) ?? all[0];
  if (found === undefined) throw noSuchUpload(upload.uploadId);
  if (found.givenUp) {
    if (await reopenUnfinished(context, upload, found)) return undefined;
    throw noSuchUpload(upload.uploadId);
  }
  requireRequested(upload, requested, found.head.etag);
  try {
    const { removed } = await versions.finishVersion(call, upload, found, precondition);
    forgetParts(context, upload, removed);
    // The version has all the parts that the request named; the parts left out are removed.
    context.services.segments.later(upload, context.call.requestId);
    return completedObject(found.head);
  } catch (error) {
    if (isCode(error, 'GuardMissing')) return undefined;
    if (isLostCondition(error)) await reopenUnfinished(context, upload, found);
    throw error;
  }
}

function completedObject(head: ObjectHead): CompletedObject {
  const stored = readStoredChecksum(head.systemMetadata[SYSTEM_METADATA.checksum]);
  const checksum = stored && { ...stored, type: checksumType(stored.value) };
  return { etag: head.etag, checksum, headers: ownVersionHeaders(head) };
}

/** The object at the upload's key, or the version of it, that was made of this upload. */
async function findObject(
  context: RequestContext,
  upload: Upload,
): Promise<ObjectHead | undefined> {
  const { backend, versions } = context.services;
  const { entries } = await versions.readIndex(callOf(context), upload);
  const version = entries.find(({ uploadId }) => uploadId === upload.uploadId);
  // The writer that committed it may have stopped before the link.
  if (version !== undefined) await versions.repairLink(callOf(context), upload);
  const ref = version === undefined ? targetOf(upload) : versionRef(upload, version.name);
  try {
    const head = await backend.headObject(callOf(context), ref);
    const uploadId = head.systemMetadata[SYSTEM_METADATA.uploadId];
    return uploadId === upload.uploadId ? head : undefined;
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}

/** @throws S3Error `NoSuchUpload` for an object that was made of other parts */
function requireRequested(
  { uploadId }: Upload,
  requested: readonly RequestedPart[],
  etag: string,
): void {
  if (etag !== requestedEtag(requested)) throw noSuchUpload(uploadId);
}

/** Undefined when a part is named by what can be no part's ETag. */
function requestedEtag(requested: readonly RequestedPart[]): string | undefined {
  try {
    return multipartEtag(requested.map(({ etag }) => etag));
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function requireSegmentCount({ parts }: SelectedParts<StoredPart>, segmentsMax: number): void {
  if (parts.length <= segmentsMax) return;
  throw new S3Error(
    'InvalidRequest',
    `The storage behind this service makes objects of at most ${segmentsMax} parts.`,
  );
}
