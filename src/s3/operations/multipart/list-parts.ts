import type { ObjectHead } from '../../../backend/backend.js';
import { SYSTEM_METADATA } from '../../object-attributes.js';
import type { RequestContext, S3Response } from '../../operation.js';
import { parseListPartsQuery } from '../../rules/multipart-listing-query.js';
import { DEFAULT_STORAGE_CLASS } from '../../rules/storage-class.js';
import { decodeUploadChecksum } from '../../rules/upload-checksum.js';
import { readParts } from '../../segments/parts.js';
import { renderListPartsResult } from '../../xml/list-parts-result.js';
import type { Owner } from '../../xml/owner.js';
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
  const response = xmlResponse(
    renderListPartsResult({
      bucket: upload.bucket,
      key: upload.key,
      query,
      owner: ownerOf(context),
      initiator: initiatorOf(systemMetadata, ownerOf(context)),
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

/** Uploads that another gateway began do not say who it was. */
export function initiatorOf(attributes: ObjectHead['systemMetadata'], owner: Owner): Owner {
  const id = attributes[SYSTEM_METADATA.initiator];
  return id === undefined ? owner : { id, displayName: id };
}
