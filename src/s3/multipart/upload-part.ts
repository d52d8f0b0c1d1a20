import type { ObjectSeal, PutObjectInput } from '../../backend/backend.js';
import type { PayloadDigests } from '../auth/payload-plan.js';
import { S3Error } from '../errors.js';
import {
  checksumHeaders,
  SYSTEM_METADATA,
  writeStoredChecksum,
  type StoredChecksum,
} from '../object/attributes.js';
import { neededMd5 } from '../object/put-object.js';
import { requireUploadable, uploadBody } from '../object/upload-body.js';
import type { RequestContext, S3Response } from '../operation.js';
import { quoteEtag } from '../rules/etags.js';
import { parsePartNumber } from '../rules/part-number.js';
import {
  decodeUploadChecksum,
  requirePartChecksum,
  type UploadChecksum,
} from '../rules/upload-checksum.js';
import { markerOf, partOf } from '../segments/names.js';
import { asUploadError, requireOpenUpload, uploadOf } from './upload.js';

/** The content type of a part, which no client reads by itself. */
export const PART_CONTENT_TYPE = 'application/octet-stream';

/** UploadPart: a part that was uploaded before is replaced. */
export async function uploadPart(context: RequestContext): Promise<S3Response> {
  const { backend } = context.services;
  const upload = await uploadOf(context);
  const partNumber = parsePartNumber(context.endpoint.query);
  const payload = context.openPayload({ md5: neededMd5(backend) });
  requireUploadable(payload, backend.capabilities);
  const { systemMetadata } = await requireOpenUpload(context, upload);
  const checksum = decodeUploadChecksum(systemMetadata[SYSTEM_METADATA.uploadChecksum]);
  // If the upload asks for a checksum, the seal reports a part without one.
  const needsSeal = payload.takesMd5 || checksum !== undefined;
  const { size, body } = await uploadBody(payload);
  const input: PutObjectInput = {
    size,
    contentType: PART_CONTENT_TYPE,
    body,
    seal: needsSeal ? () => sealOf(payload.digests(), checksum) : undefined,
    // Once the upload is completed, this part belongs to an object: a late one must not replace it.
    guard: { ref: markerOf(upload), consumed: false },
  };
  const put = await backend
    .putObject(context.call, partOf(upload, partNumber), input)
    .catch((error: unknown) => {
      throw asUploadError(error, upload);
    });
  if (put.outcome !== 'created') throw new S3Error('OperationAborted');
  return created(put.etag, payload.digests());
}

/** @throws S3Error `InvalidRequest` when the upload asks for another checksum: nothing is stored */
function sealOf({ md5, checksum }: PayloadDigests, wanted: UploadChecksum | undefined): ObjectSeal {
  requirePartChecksum(wanted, checksum);
  if (checksum === undefined) return { etag: md5 };
  return { etag: md5, ...storedChecksum(checksum) };
}

/**
 * The checksum goes into the listing, so that a completion need not ask for each part, and into the
 * part, because a listing may lag behind.
 */
export function storedChecksum(
  checksum: StoredChecksum | undefined,
): Required<Pick<ObjectSeal, 'systemMetadata' | 'listingAttributes'>> {
  const stored =
    checksum === undefined ? {} : { [SYSTEM_METADATA.checksum]: writeStoredChecksum(checksum) };
  return { systemMetadata: stored, listingAttributes: stored };
}

function created(etag: string, { checksum }: PayloadDigests): S3Response {
  const [header] =
    checksum === undefined ? [] : checksumHeaders(checksum.algorithm, checksum.value);
  return {
    status: 200,
    headers: [['ETag', quoteEtag(etag)], ...(header === undefined ? [] : [header])],
    body: '',
  };
}
