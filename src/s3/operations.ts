import { notImplemented, type Endpoint } from './endpoint/endpoint.js';
import type { SupportedOperationName } from './endpoint/table.js';
import type { Operation } from './operation.js';
import { createBucket } from './bucket/create-bucket.js';
import { deleteBucket } from './bucket/delete-bucket.js';
import { deleteBucketCors, getBucketCors, putBucketCors } from './bucket/cors.js';
import {
  deleteBucketLifecycle,
  getBucketLifecycleConfiguration,
  putBucketLifecycleConfiguration,
} from './bucket/lifecycle.js';
import { deleteBucketTagging, getBucketTagging, putBucketTagging } from './bucket/tagging.js';
import { deleteObjects } from './bucket/delete-objects.js';
import { getBucketAcl, putBucketAcl } from './bucket/acl.js';
import { getBucketLocation, headBucket } from './bucket/head-bucket.js';
import { getBucketVersioning, putBucketVersioning } from './bucket/versioning.js';
import { getObjectLockConfiguration, putObjectLockConfiguration } from './bucket/object-lock.js';
import { listObjectVersions } from './bucket/list-object-versions.js';
import { listObjects, listObjectsV2 } from './bucket/list-objects.js';
import { abortMultipartUpload } from './multipart/upload.js';
import { completeMultipartUpload } from './multipart/complete-multipart-upload.js';
import { createMultipartUpload } from './multipart/create-multipart-upload.js';
import { listMultipartUploads, listParts } from './multipart/listings.js';
import { uploadPart } from './multipart/upload-part.js';
import { uploadPartCopy } from './multipart/upload-part-copy.js';
import { copyObject } from './object/copy-object.js';
import { deleteObject } from './object/delete-object.js';
import { deleteObjectTagging, getObjectTagging, putObjectTagging } from './object/tagging.js';
import { getObject } from './object/get-object.js';
import { getObjectAcl, putObjectAcl } from './object/acl.js';
import {
  getObjectLegalHold,
  getObjectRetention,
  putObjectLegalHold,
  putObjectRetention,
} from './object/object-lock.js';
import { headObject } from './object/head-object.js';
import { getObjectPart, headObjectPart } from './object/object-part.js';
import { putObject } from './object/put-object.js';
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
