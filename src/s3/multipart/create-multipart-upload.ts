import type { PutObjectInput, PutOutcome } from '../../backend/backend.js';
import { BackendError } from '../../backend/errors.js';
import type { HeaderList } from '../../http/exchange.js';
import { bucketVersioning } from '../bucket/configuration.js';
import { abortDateOfUpload } from '../bucket/lifecycles.js';
import { S3Error } from '../errors.js';
import { SYSTEM_METADATA } from '../object/attributes.js';
import { requestedLocks } from '../object/object-lock.js';
import { requestedAttributes } from '../object/store-object.js';
import { requestedObjectAcl } from '../object/stored-acl.js';
import { type RequestContext, type S3Response, containerOf, xmlResponse } from '../operation.js';
import { aclOfSegments } from '../rules/acl/container-acl.js';
import { canonicalId } from '../rules/acl/requester.js';
import { UPLOAD_ACL_METADATA } from '../rules/acl/stored.js';
import { readMetadataHeaders } from '../rules/metadata-headers.js';
import { PART_NUMBER_MAX } from '../rules/protocol-limits.js';
import {
  encodeUploadChecksum,
  parseUploadChecksum,
  type UploadChecksum,
} from '../rules/upload-checksum.js';
import { mintUploadId } from '../rules/upload-id.js';
import { markerOf, partOf, segmentsContainer, type Upload } from '../segments/names.js';
import { renderInitiateMultipartUploadResult } from '../xml/initiate-multipart-upload-result.js';

/**
 * CreateMultipartUpload: an empty object in the companion container, which has of metadata all that
 * the finished object will have.
 */
export async function createMultipartUpload(context: RequestContext): Promise<S3Response> {
  const { backend, settings } = context.services;
  const { headers } = context;
  const attributes = requestedAttributes(headers, settings.storageClasses);
  const acl = await requestedObjectAcl(context, UPLOAD_ACL_METADATA);
  const described = readMetadataHeaders(headers);
  const locks = await requestedLocks(context);
  const checksum = parseUploadChecksum(headers);
  const { account, container: bucket } = containerOf(context);
  const initiatedAt = Date.now();
  const uploadId = mintUploadId(initiatedAt);
  const upload: Upload = { account, bucket, key: context.endpoint.key, uploadId };
  requireNameLength(upload, backend.capabilities.objectNameBytesMax);

  const ofUpload = {
    [SYSTEM_METADATA.initiator]: canonicalId(context.principal),
    ...(checksum === undefined
      ? {}
      : { [SYSTEM_METADATA.uploadChecksum]: encodeUploadChecksum(checksum) }),
  };
  await putMarker(context, upload, {
    ...described,
    systemMetadata: { ...attributes.systemMetadata, ...acl, ...locks, ...ofUpload },
    // A listing of uploads shows these.
    listingAttributes: { ...attributes.listingAttributes, ...ofUpload },
    size: 0,
    body: Buffer.alloc(0),
  });

  const response = xmlResponse(
    renderInitiateMultipartUploadResult({ bucket, key: upload.key, uploadId }),
  );
  return {
    ...response,
    headers: [
      ...response.headers,
      ...(checksum === undefined ? [] : checksumHeaders(checksum)),
      ...(await abortDateOfUpload(context, initiatedAt)),
    ],
  };
}

function checksumHeaders({ algorithm, type }: UploadChecksum): HeaderList {
  return [
    ['x-amz-checksum-algorithm', algorithm],
    ['x-amz-checksum-type', type],
  ];
}

/**
 * @throws S3Error `OperationAborted` when the store did not take it: the client must not get its id
 */
async function putMarker(
  context: RequestContext,
  upload: Upload,
  input: PutObjectInput,
): Promise<void> {
  const { outcome } = await putIntoCompanion(context, upload, input);
  if (outcome !== 'created') throw new S3Error('OperationAborted');
}

/** The companion container comes with the first upload of a bucket. */
async function putIntoCompanion(
  context: RequestContext,
  upload: Upload,
  input: PutObjectInput,
): Promise<PutOutcome> {
  const { backend } = context.services;
  const put = () => backend.putObject(context.call, markerOf(upload), input);
  try {
    return await put();
  } catch (error) {
    if (!(error instanceof BackendError && error.code === 'NoSuchContainer')) throw error;
    await createCompanion(context, upload);
    return put();
  }
}

/**
 * The container gets the bucket's current ACL: another request may have closed it since this
 * listener read it.
 */
async function createCompanion(
  { call, services: { backend } }: RequestContext,
  { account, bucket }: Upload,
): Promise<void> {
  const ref = { account, container: bucket };
  const { acl, systemMetadata } = await backend.headContainer(call, ref, { newest: true });
  const keepsVersions = bucketVersioning(systemMetadata) !== 'unversioned';
  const input = { acl: aclOfSegments(acl, keepsVersions), placedLike: bucket };
  await backend.createContainer(call, segmentsContainer(account, bucket), input);
}

/**
 * The names of parts are longer than the key. A store that cannot take them has to say so now, and
 * not when parts are on their way.
 */
function requireNameLength(upload: Upload, nameBytesMax: number): void {
  const { object } = partOf(upload, PART_NUMBER_MAX);
  const keyBytes = Buffer.byteLength(upload.key);
  const keyBytesMax = nameBytesMax - (Buffer.byteLength(object) - keyBytes);
  if (keyBytes <= keyBytesMax) return;
  throw new S3Error(
    'KeyTooLongError',
    `The storage behind this service takes keys of at most ${keyBytesMax} bytes for multipart uploads`,
    { Size: String(keyBytes), MaxSizeAllowed: String(keyBytesMax) },
  );
}
