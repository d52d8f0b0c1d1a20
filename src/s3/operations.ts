import type { RequestPath } from '../telemetry/stage-metrics.js';
import type { OperationName, SupportedOperationName } from './endpoint/table.js';
import type { Operation, OperationFacts } from './operation.js';
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
import type { Requirement } from './rules/acl/decision.js';
import type { HeaderFamily } from './rules/unsupported-headers.js';
import { listBuckets } from './service/list-buckets.js';

/** AWS's mapping of ACL permissions to operations; what ACLs cannot grant there is the owner's here. */
const ACCOUNT = needs('account', 'OWNER');
const BUCKET_OWNER = needs('bucket', 'OWNER');
const BUCKET_READ = needs('bucket', 'READ');
const BUCKET_WRITE = needs('bucket', 'WRITE');
const BUCKET_READ_ACP = needs('bucket', 'READ_ACP');
const BUCKET_WRITE_ACP = needs('bucket', 'WRITE_ACP');
const OBJECT_OWNER = needs('object', 'OWNER');
const OBJECT_READ = needs('object', 'READ');
const OBJECT_READ_ACP = needs('object', 'READ_ACP');
const OBJECT_WRITE_ACP = needs('object', 'WRITE_ACP');
const COPY = [...BUCKET_WRITE, ...needs('source', 'READ')];

/** Headers that are read: nearly every operation has a bucket, whose owner the client may name. */
const OWNER: readonly HeaderFamily[] = ['expected-owner'];
const ACL: readonly HeaderFamily[] = [...OWNER, 'acl'];
const BYPASS: readonly HeaderFamily[] = [...OWNER, 'bypass-retention'];
const NEW_BUCKET: readonly HeaderFamily[] = ['acl', 'bucket-lock'];
const NEW_OBJECT: readonly HeaderFamily[] = [...ACL, 'new-object'];
const COPIED_OBJECT: readonly HeaderFamily[] = [...NEW_OBJECT, 'copy'];
const COPIED_PART: readonly HeaderFamily[] = [...OWNER, 'copy'];

type Row = readonly [
  handler: Operation,
  needs: readonly Requirement[],
  weight: number,
  path: RequestPath,
  versionId: 'versionId' | '-',
  metadata: 'protected' | '-',
  reads: readonly HeaderFamily[],
];

/** The pipeline answers a preflight before anybody is known: see request/cors.ts. */
type OperationInTable = Exclude<SupportedOperationName, 'PreflightRequest'>;

/**
 * The one table of the operations that this release carries out: what the endpoint table calls
 * supported has a row here, or this file does not compile. The columns, which `OperationFacts`
 * explains:
 *
 * - handler;
 * - what the requester needs. ListParts needs WRITE: the initiator may list the parts with AWS, and a
 *   READ grant is not enough there;
 *   https://docs.aws.amazon.com/AmazonS3/latest/userguide/acl-overview.html#acl-access-policy-permission-mapping
 * - weight for admission: a page of a listing is 0.5 ms of CPU, and a DeleteObjects has up to 1000
 *   deletes, measured with bench/;
 * - the path under which the times of its stages are counted;
 * - `versionId` if it accepts that parameter: what makes a version never chooses its id;
 * - `protected` if it needs metadata that clients of the store cannot change;
 * - the families of headers that it reads, and that others refuse.
 */
// prettier-ignore
const TABLE: Readonly<Record<OperationInTable, Row>> = {
  ListBuckets:                     [listBuckets,                     ACCOUNT,          4,  'list',   '-',         '-',         []],
  CreateBucket:                    [createBucket,                    ACCOUNT,          1,  'other',  '-',         '-',         NEW_BUCKET],
  DeleteBucket:                    [deleteBucket,                    BUCKET_OWNER,     1,  'other',  '-',         '-',         OWNER],
  HeadBucket:                      [headBucket,                      BUCKET_READ,      1,  'other',  '-',         '-',         OWNER],
  GetBucketLocation:               [getBucketLocation,               BUCKET_OWNER,     1,  'other',  '-',         '-',         OWNER],
  GetBucketAcl:                    [getBucketAcl,                    BUCKET_READ_ACP,  1,  'other',  '-',         '-',         OWNER],
  PutBucketAcl:                    [putBucketAcl,                    BUCKET_WRITE_ACP, 1,  'other',  '-',         'protected', ACL],
  GetBucketCors:                   [getBucketCors,                   BUCKET_OWNER,     1,  'other',  '-',         '-',         OWNER],
  PutBucketCors:                   [putBucketCors,                   BUCKET_OWNER,     1,  'other',  '-',         'protected', OWNER],
  DeleteBucketCors:                [deleteBucketCors,                BUCKET_OWNER,     1,  'other',  '-',         '-',         OWNER],
  GetBucketTagging:                [getBucketTagging,                BUCKET_OWNER,     1,  'other',  '-',         '-',         OWNER],
  PutBucketTagging:                [putBucketTagging,                BUCKET_OWNER,     1,  'other',  '-',         'protected', OWNER],
  DeleteBucketTagging:             [deleteBucketTagging,             BUCKET_OWNER,     1,  'other',  '-',         '-',         OWNER],
  GetBucketVersioning:             [getBucketVersioning,             BUCKET_OWNER,     1,  'other',  '-',         '-',         OWNER],
  PutBucketVersioning:             [putBucketVersioning,             BUCKET_OWNER,     1,  'other',  '-',         'protected', OWNER],
  GetObjectLockConfiguration:      [getObjectLockConfiguration,      BUCKET_OWNER,     1,  'other',  '-',         '-',         OWNER],
  PutObjectLockConfiguration:      [putObjectLockConfiguration,      BUCKET_OWNER,     1,  'other',  '-',         'protected', OWNER],
  DeleteObjects:                   [deleteObjects,                   BUCKET_WRITE,     16, 'delete', '-',         '-',         BYPASS],
  GetBucketLifecycleConfiguration: [getBucketLifecycleConfiguration, BUCKET_OWNER,     1,  'other',  '-',         '-',         OWNER],
  PutBucketLifecycleConfiguration: [putBucketLifecycleConfiguration, BUCKET_OWNER,     1,  'other',  '-',         'protected', OWNER],
  DeleteBucketLifecycle:           [deleteBucketLifecycle,           BUCKET_OWNER,     1,  'other',  '-',         '-',         OWNER],
  ListObjects:                     [listObjects,                     BUCKET_READ,      4,  'list',   '-',         '-',         OWNER],
  ListObjectsV2:                   [listObjectsV2,                   BUCKET_READ,      4,  'list',   '-',         '-',         OWNER],
  ListObjectVersions:              [listObjectVersions,              BUCKET_READ,      4,  'list',   '-',         '-',         OWNER],
  ListMultipartUploads:            [listMultipartUploads,            BUCKET_READ,      4,  'list',   '-',         '-',         OWNER],
  PutObject:                       [putObject,                       BUCKET_WRITE,     1,  'put',    '-',         '-',         NEW_OBJECT],
  CopyObject:                      [copyObject,                      COPY,             4,  'other',  '-',         '-',         COPIED_OBJECT],
  GetObject:                       [getObject,                       OBJECT_READ,      1,  'get',    'versionId', '-',         OWNER],
  HeadObject:                      [headObject,                      OBJECT_READ,      1,  'head',   'versionId', '-',         OWNER],
  GetObjectPart:                   [getObjectPart,                   OBJECT_READ,      1,  'other',  'versionId', '-',         OWNER],
  HeadObjectPart:                  [headObjectPart,                  OBJECT_READ,      1,  'other',  'versionId', '-',         OWNER],
  DeleteObject:                    [deleteObject,                    BUCKET_WRITE,     1,  'delete', 'versionId', '-',         BYPASS],
  GetObjectAcl:                    [getObjectAcl,                    OBJECT_READ_ACP,  1,  'other',  'versionId', '-',         OWNER],
  PutObjectAcl:                    [putObjectAcl,                    OBJECT_WRITE_ACP, 1,  'other',  'versionId', 'protected', ACL],
  GetObjectTagging:                [getObjectTagging,                OBJECT_OWNER,     1,  'other',  'versionId', '-',         OWNER],
  PutObjectTagging:                [putObjectTagging,                OBJECT_OWNER,     1,  'other',  'versionId', 'protected', OWNER],
  GetObjectLegalHold:              [getObjectLegalHold,              BUCKET_OWNER,     1,  'other',  'versionId', '-',         OWNER],
  PutObjectLegalHold:              [putObjectLegalHold,              BUCKET_OWNER,     1,  'other',  'versionId', 'protected', OWNER],
  GetObjectRetention:              [getObjectRetention,              BUCKET_OWNER,     1,  'other',  'versionId', '-',         OWNER],
  PutObjectRetention:              [putObjectRetention,              BUCKET_OWNER,     1,  'other',  'versionId', 'protected', BYPASS],
  RestoreObject:                   [restoreObject,                   BUCKET_OWNER,     1,  'other',  'versionId', 'protected', OWNER],
  DeleteObjectTagging:             [deleteObjectTagging,             OBJECT_OWNER,     1,  'other',  'versionId', '-',         OWNER],
  CreateMultipartUpload:           [createMultipartUpload,           BUCKET_WRITE,     1,  'other',  '-',         '-',         NEW_OBJECT],
  UploadPart:                      [uploadPart,                      BUCKET_WRITE,     1,  'put',    '-',         '-',         OWNER],
  UploadPartCopy:                  [uploadPartCopy,                  COPY,             4,  'other',  '-',         '-',         COPIED_PART],
  ListParts:                       [listParts,                       BUCKET_WRITE,     4,  'list',   '-',         '-',         OWNER],
  CompleteMultipartUpload:         [completeMultipartUpload,         BUCKET_WRITE,     4,  'other',  '-',         '-',         OWNER],
  AbortMultipartUpload:            [abortMultipartUpload,            BUCKET_WRITE,     1,  'other',  '-',         '-',         OWNER],
};

const FACTS: Readonly<Partial<Record<string, OperationFacts>>> = Object.fromEntries(
  Object.entries(TABLE).map(([name, row]) => [name, factsOf(row)]),
);

/**
 * The facts of known operations that are answered with 501, which only a bucket's owner is told.
 */
const UNSUPPORTED: OperationFacts = {
  handler: undefined,
  needs: BUCKET_OWNER,
  weight: 1,
  path: 'other',
  takesVersionId: true,
  needsProtectedMetadata: false,
  reads: OWNER,
};

/** The row of an operation; without a handler, this release does not carry it out. */
export function operationFacts(name: OperationName): OperationFacts {
  return FACTS[name] ?? UNSUPPORTED;
}

function factsOf([handler, needed, weight, path, versionId, metadata, reads]: Row): OperationFacts {
  return {
    handler,
    needs: needed,
    weight,
    path,
    takesVersionId: versionId === 'versionId',
    needsProtectedMetadata: metadata === 'protected',
    reads,
  };
}

function needs(
  resource: Requirement['resource'],
  access: Requirement['access'],
): readonly Requirement[] {
  return [{ resource, access }];
}
