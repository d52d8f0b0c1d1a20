import type { CallContext, Metadata, ObjectHead, ObjectRef } from '../../backend/backend.js';
import { SYSTEM_METADATA } from '../object/attributes.js';
import type { RequestContext } from '../operation.js';
import { ACL_METADATA } from '../rules/acl/stored.js';
import { markerOf, type Upload } from '../segments/names.js';
import { isCode } from '../../backend/errors.js';
import { versionRef } from '../versions/names.js';
import type { UnfinishedVersion } from '../versions/unfinished.js';
import { metadataOfUpload } from './upload-metadata.js';

/**
 * Opens an upload again whose version lost a conditional write after it was written, as an upload
 * stays open in AWS that is answered 412:
 *
 *     note on the version ──▶ version given up in the index ──▶ marker in exchange for the version
 *
 * The note has the metadata that the marker had and the version lacks, so that the next completion
 * can go on if the gateway dies on the way.
 */

/** @param marker of the upload, as it was before the version took its place */
export async function reopenUpload(
  context: RequestContext,
  upload: Upload,
  marker: ObjectHead,
  version: ObjectRef,
): Promise<void> {
  const { backend } = context.services;
  const note = { ...metadataOfUpload(marker.systemMetadata), [SYSTEM_METADATA.reopening]: 'yes' };
  await backend.updateObject(callOf(context), version, { systemMetadata: note });
  await exchange(context, upload, version);
}

/**
 * Continues where reopenUpload stopped.
 * @returns false when it was not begun: then the marker's content is lost
 */
export async function reopenUnfinished(
  context: RequestContext,
  upload: Upload,
  { entry, head }: UnfinishedVersion,
): Promise<boolean> {
  if (head.systemMetadata[SYSTEM_METADATA.reopening] === undefined) return false;
  await exchange(context, upload, versionRef(upload, entry.name));
  return true;
}

async function exchange(
  context: RequestContext,
  upload: Upload,
  version: ObjectRef,
): Promise<void> {
  const { backend, versions } = context.services;
  const call = callOf(context);
  const name = version.object.slice(versionRef(upload, '').object.length);
  if (!(await versions.giveUpVersion(call, upload, name, upload.uploadId))) return;
  try {
    const { contentType, headers, metadata, systemMetadata } = await backend.headObject(
      call,
      version,
      { newest: true },
    );
    const input = {
      contentType,
      headers,
      metadata,
      systemMetadata: markerMetadata(systemMetadata),
      listingAttributes: listedOfMarker(systemMetadata),
      size: 0,
      body: Buffer.alloc(0),
      guard: { ref: version, consumed: true },
      // Allowed also in a store that has become full.
      writeClass: 'deletion',
    } as const;
    const put = await backend.putObject(call, markerOf(upload), input, { absent: true });
    // Another writer stopped before it reached the version.
    if (put.outcome === 'precondition_failed') await backend.deleteObject(call, version);
  } catch (error) {
    // Another request was faster.
    if (!isCode(error, 'GuardMissing', 'NoSuchObject')) throw error;
  }
}

/** A reopening that has begun is finished, also when the client has left. */
function callOf({ call: { requestId } }: RequestContext): CallContext {
  return { requestId };
}

const OF_VERSION: ReadonlySet<string> = new Set([
  SYSTEM_METADATA.uploadId,
  SYSTEM_METADATA.checksum,
  SYSTEM_METADATA.versionId,
  SYSTEM_METADATA.reopening,
  ACL_METADATA,
]);

function markerMetadata(ofVersion: Metadata): Metadata {
  return Object.fromEntries(Object.entries(ofVersion).filter(([name]) => !OF_VERSION.has(name)));
}

const LISTED = [
  SYSTEM_METADATA.storageClass,
  SYSTEM_METADATA.initiator,
  SYSTEM_METADATA.uploadChecksum,
] as const;

/** The attributes in a listing of uploads, as CreateMultipartUpload writes them. */
function listedOfMarker(systemMetadata: Metadata): Metadata {
  return Object.fromEntries(
    LISTED.flatMap((name) => {
      const value = systemMetadata[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
