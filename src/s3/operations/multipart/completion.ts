import type {
  CallContext,
  ManifestInput,
  ObjectHead,
  WritePrecondition,
} from '../../../backend/backend.js';
import { BackendError } from '../../../backend/errors.js';
import type { HeaderList } from '../../../http/exchange.js';
import { checksumType, readStoredChecksum, SYSTEM_METADATA } from '../../object-attributes.js';
import type { RequestContext } from '../../operation.js';
import {
  requireObjectSize,
  selectParts,
  type RequestedPart,
  type SelectedParts,
} from '../../rules/complete-rules.js';
import { multipartEtag } from '../../rules/multipart-etag.js';
import { decodeUploadChecksum, parseClaimedChecksum } from '../../rules/upload-checksum.js';
import { noSuchUpload } from '../../rules/upload-id.js';
import { S3Error } from '../../s3-error.js';
import { markerOf, partOf, targetOf, type Upload } from '../../segments/names.js';
import { readParts, type StoredPart } from '../../segments/parts.js';
import { versionRef } from '../../versions/names.js';
import type { ResultChecksum } from '../../xml/checksum-elements.js';
import { versionHeaders } from '../object/object-response.js';
import { storeObject, type StoredObject } from '../object/store-object.js';
import { contentTypeOf, objectAttributes } from './object-from-upload.js';
import { objectChecksum } from './object-checksum.js';
import { isGone, requireOpenUpload } from './upload.js';

export interface Completion {
  readonly upload: Upload;
  /** In ascending order. */
  readonly requested: readonly RequestedPart[];
  readonly precondition: WritePrecondition | undefined;
}

export interface CompletedObject {
  /** Unquoted. */
  readonly etag: string;
  readonly checksum: ResultChecksum | undefined;
  /** `x-amz-version-id`, of a version. */
  readonly headers: HeaderList;
}

/**
 * Makes an upload's parts an object:
 *
 *     marker → parts → checks → manifest in exchange for the marker → parts left out removed, later
 *
 * Of racing completions and aborts one gets the marker; from then on no part can be replaced. Once
 * it is gone, a completion is answered by what the object tells of its origin, so that a client
 * which missed the answer gets it.
 *
 * It goes on when the client leaves.
 */
export async function completeUpload(
  context: RequestContext,
  completion: Completion,
): Promise<CompletedObject> {
  const { upload, requested } = completion;
  const marker = await findMarker(context, upload);
  if (marker === undefined) return completedBefore(context, completion);

  const { backend } = context.services;
  const uploaded = await readParts(backend, callOf(context), upload);
  const byNumber = new Map(uploaded.map((part) => [part.partNumber, part]));
  const selected = selectParts(upload.uploadId, requested, byNumber);
  requireObjectSize(context.headers, selected.size);
  requireSegmentCount(selected, backend.capabilities.segmentsMax);
  const created = decodeUploadChecksum(marker.systemMetadata[SYSTEM_METADATA.uploadChecksum]);
  const claimed = parseClaimedChecksum(context.headers, created);
  const checksum = objectChecksum(created, claimed, selected.parts);
  const etag = multipartEtag(selected.parts.map((part) => part.etag));

  const input = manifestOf(upload, marker, selected, etag, checksum);
  const stored = await store(context, completion, input, selected.size);
  if (stored === undefined) return completedBefore(context, completion);
  if (uploaded.length > selected.parts.length) {
    context.services.segments.later(upload, context.call.requestId);
  }
  // The store has its own where it cannot keep one.
  return { etag: stored.etag, checksum, headers: stored.headers };
}

/** Not to be cancelled: a completion that has begun is best finished. */
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
  { precondition }: Completion,
  input: ManifestInput,
  size: number,
): Promise<StoredObject | undefined> {
  const { backend } = context.services;
  const { systemMetadata = {}, listingAttributes = {} } = input;
  try {
    return await storeObject(context, {
      condition: precondition,
      write: (ref, added, condition) => {
        const withAdded = { ...input, systemMetadata: { ...systemMetadata, ...added } };
        return backend.putManifest(callOf(context), ref, withAdded, condition);
      },
      describe: () => ({
        size,
        storageClass: listingAttributes[SYSTEM_METADATA.storageClass],
        checksumAlgorithm: listingAttributes[SYSTEM_METADATA.checksumAlgorithm],
        uploadId: systemMetadata[SYSTEM_METADATA.uploadId],
      }),
      // With the object, the upload is gone.
      unrepeatable: { etag: input.etag },
    });
  } catch (error) {
    if (error instanceof BackendError && error.code === 'GuardMissing') return undefined;
    throw error;
  }
}

/**
 * The answer when this request has nothing to do: the object is what it asks for already.
 * @throws S3Error `NoSuchUpload` when it is not
 */
async function completedBefore(
  context: RequestContext,
  { upload, requested }: Completion,
): Promise<CompletedObject> {
  const found = await findObject(context, upload);
  if (found === undefined || found.etag !== requestedEtag(requested)) {
    throw noSuchUpload(upload.uploadId);
  }
  const stored = readStoredChecksum(found.systemMetadata[SYSTEM_METADATA.checksum]);
  const checksum = stored && { ...stored, type: checksumType(stored.value) };
  return { etag: found.etag, checksum, headers: versionHeaders(found) };
}

/** The object at the upload's key, or the version of it, that was made of this upload. */
async function findObject(
  context: RequestContext,
  upload: Upload,
): Promise<ObjectHead | undefined> {
  const { backend, versions } = context.services;
  const { entries } = await versions.readIndex(callOf(context), upload);
  const version = entries.find(({ uploadId }) => uploadId === upload.uploadId);
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
