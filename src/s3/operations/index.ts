import { notImplemented, type Endpoint } from '../endpoint.js';
import type { SupportedOperationName } from '../endpoint-table.js';
import type { Operation } from '../operation.js';
import { createBucket } from './bucket/create-bucket.js';
import { deleteBucket } from './bucket/delete-bucket.js';
import { deleteBucketCors } from './bucket/delete-bucket-cors.js';
import { deleteBucketLifecycle } from './bucket/delete-bucket-lifecycle.js';
import { deleteBucketTagging } from './bucket/delete-bucket-tagging.js';
import { deleteObjects } from './bucket/delete-objects.js';
import { getBucketAcl } from './bucket/get-bucket-acl.js';
import { getBucketCors } from './bucket/get-bucket-cors.js';
import { getBucketLifecycleConfiguration } from './bucket/get-bucket-lifecycle.js';
import { getBucketLocation } from './bucket/get-bucket-location.js';
import { getBucketTagging } from './bucket/get-bucket-tagging.js';
import { getBucketVersioning } from './bucket/get-bucket-versioning.js';
import { getObjectLockConfiguration } from './bucket/get-object-lock-configuration.js';
import { headBucket } from './bucket/head-bucket.js';
import { listObjectVersions } from './bucket/list-object-versions.js';
import { listObjects } from './bucket/list-objects.js';
import { listObjectsV2 } from './bucket/list-objects-v2.js';
import { putBucketAcl } from './bucket/put-bucket-acl.js';
import { putBucketCors } from './bucket/put-bucket-cors.js';
import { putBucketLifecycleConfiguration } from './bucket/put-bucket-lifecycle.js';
import { putBucketTagging } from './bucket/put-bucket-tagging.js';
import { putBucketVersioning } from './bucket/put-bucket-versioning.js';
import { putObjectLockConfiguration } from './bucket/put-object-lock-configuration.js';
import { abortMultipartUpload } from './multipart/abort-multipart-upload.js';
import { completeMultipartUpload } from './multipart/complete-multipart-upload.js';
import { createMultipartUpload } from './multipart/create-multipart-upload.js';
import { listMultipartUploads } from './multipart/list-multipart-uploads.js';
import { listParts } from './multipart/list-parts.js';
import { uploadPart } from './multipart/upload-part.js';
import { uploadPartCopy } from './multipart/upload-part-copy.js';
import { copyObject } from './object/copy-object.js';
import { deleteObject } from './object/delete-object.js';
import { deleteObjectTagging } from './object/delete-object-tagging.js';
import { getObject } from './object/get-object.js';
import { getObjectAcl } from './object/get-object-acl.js';
import { getObjectLegalHold } from './object/get-object-legal-hold.js';
import { getObjectRetention } from './object/get-object-retention.js';
import { getObjectTagging } from './object/get-object-tagging.js';
import { headObject } from './object/head-object.js';
import { getObjectPart, headObjectPart } from './object/object-part.js';
import { putObject } from './object/put-object.js';
import { putObjectAcl } from './object/put-object-acl.js';
import { putObjectLegalHold } from './object/put-object-legal-hold.js';
import { putObjectRetention } from './object/put-object-retention.js';
import { putObjectTagging } from './object/put-object-tagging.js';
import { restoreObject } from './object/restore-object.js';
import { listBuckets } from './service/list-buckets.js';

/** A preflight is nobody's, and answered by the pipeline: see cross-origin.ts. */
type OperationOfSomebody = Exclude<SupportedOperationName, 'PreflightRequest'>;

/** Complete by its type: an operation that the endpoint table calls supported has to be here. */
const OPERATIONS: Readonly<Record<OperationOfSomebody, Operation>> = {
  ListBuckets: listBuckets,
  CreateBucket: createBucket,
  DeleteBucket: deleteBucket,
  HeadBucket: headBucket,
  GetBucketLocation: getBucketLocation,
  GetBucketAcl: getBucketAcl,
  PutBucketAcl: putBucketAcl,
  GetBucketCors: getBucketCors,
  PutBucketCors: putBucketCors,
  DeleteBucketCors: deleteBucketCors,
  GetBucketTagging: getBucketTagging,
  PutBucketTagging: putBucketTagging,
  DeleteBucketTagging: deleteBucketTagging,
  GetBucketVersioning: getBucketVersioning,
  PutBucketVersioning: putBucketVersioning,
  GetObjectLockConfiguration: getObjectLockConfiguration,
  PutObjectLockConfiguration: putObjectLockConfiguration,
  DeleteObjects: deleteObjects,
  GetBucketLifecycleConfiguration: getBucketLifecycleConfiguration,
  PutBucketLifecycleConfiguration: putBucketLifecycleConfiguration,
  DeleteBucketLifecycle: deleteBucketLifecycle,
  ListObjects: listObjects,
  ListObjectsV2: listObjectsV2,
  ListObjectVersions: listObjectVersions,
  ListMultipartUploads: listMultipartUploads,
  PutObject: putObject,
  CopyObject: copyObject,
  GetObject: getObject,
  HeadObject: headObject,
  GetObjectPart: getObjectPart,
  HeadObjectPart: headObjectPart,
  DeleteObject: deleteObject,
  GetObjectAcl: getObjectAcl,
  PutObjectAcl: putObjectAcl,
  GetObjectTagging: getObjectTagging,
  PutObjectTagging: putObjectTagging,
  GetObjectLegalHold: getObjectLegalHold,
  PutObjectLegalHold: putObjectLegalHold,
  GetObjectRetention: getObjectRetention,
  PutObjectRetention: putObjectRetention,
  RestoreObject: restoreObject,
  DeleteObjectTagging: deleteObjectTagging,
  CreateMultipartUpload: createMultipartUpload,
  UploadPart: uploadPart,
  UploadPartCopy: uploadPartCopy,
  ListParts: listParts,
  CompleteMultipartUpload: completeMultipartUpload,
  AbortMultipartUpload: abortMultipartUpload,
};

/** @throws S3Error `NotImplemented` when the endpoint is one that this release does not serve */
export function operationFor(endpoint: Endpoint): Operation {
  const operation = (OPERATIONS as Readonly<Partial<Record<string, Operation>>>)[
    endpoint.operation
  ];
  if (operation === undefined) throw notImplemented(endpoint);
  return operation;
}
