import type { Metadata } from '../../../backend/backend.js';
import { listedOwner, SYSTEM_METADATA } from '../../object-attributes.js';
import type { RequestContext, S3Response } from '../../operation.js';
import { UPLOAD_ACL_METADATA } from '../../rules/acl/stored.js';
import { parseListPartsQuery } from '../../rules/multipart-listing-query.js';
import { DEFAULT_STORAGE_CLASS } from '../../rules/storage-class.js';
import { decodeUploadChecksum } from '../../rules/upload-checksum.js';
import { readParts } from '../../segments/parts.js';
import { renderListPartsResult } from '../../xml/list-parts-result.js';
import { userOwner, type Owner } from '../../xml/owner.js';
import { abortDateOfUpload } from '../lifecycle-headers.js';
import { ownerOf } from '../refs.js';
import { xmlResponse } from '../xml-response.js';
import { requireOpenUpload, uploadOf } from './upload.js';

/** ListParts: in the order of their numbers. */
export async function listParts(context: RequestContext): Promise<S3Response> {
  const query = parseListPartsQuery(context.endpoint.query);
  const upload = uploadOf(context);
  const { systemMetadata, lastModified } = await requireOpenUpload(context, upload);
  const all = await readParts(context.services.backend, context.call, upload);
  const following = all.filter(({ partNumber }) => partNumber > query.partNumberMarker);
  const parts = following.slice(0, query.maxParts);
  const checksum = decodeUploadChecksum(systemMetadata[SYSTEM_METADATA.uploadChecksum]);
  const whose = ownerOfUpload(systemMetadata, ownerOf(context));
  const response = xmlResponse(
    renderListPartsResult({
      bucket: upload.bucket,
      key: upload.key,
      query,
      owner: whose,
      initiator: initiatorOf(systemMetadata, whose),
      storageClass: systemMetadata[SYSTEM_METADATA.storageClass] ?? DEFAULT_STORAGE_CLASS,
      checksumAlgorithm: checksum?.algorithm,
      checksumType: checksum?.type,
      parts,
      // Without room for any part there is no marker to go on from.
      truncated: parts.length > 0 && parts.length < following.length,
    }),
  );
  const abortDate = await abortDateOfUpload(context, lastModified);
  return { ...response, headers: [...response.headers, ...abortDate] };
}

/**
 * Who is to own the object: by its ACL, or who began the upload.
 *
 * @param attributes - system metadata of the upload's marker, or of that what listings show
 * @param accountOwner - of an upload that says nothing of it: Swift's s3api began it
 */
export function ownerOfUpload(attributes: Metadata, accountOwner: Owner): Owner {
  const id = listedOwner(attributes[UPLOAD_ACL_METADATA]);
  return id === undefined ? initiatorOf(attributes, accountOwner) : userOwner(id);
}

/** Uploads that Swift's s3api began do not say who it was. */
export function initiatorOf(attributes: Metadata, owner: Owner): Owner {
  const id = attributes[SYSTEM_METADATA.initiator];
  return id === undefined ? owner : userOwner(id);
}
