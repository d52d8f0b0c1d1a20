/**
 * Every operation of AWS's S3 API, by resource, subresource and method: what endpoint.ts reads
 * requests with, and what docs/s3-compatibility.md is checked against.
 *
 * A row is `[subresource, method, operation, supported, refinement?]`. An operation that is not
 * supported stands here all the same, so that its requests answer 501 (SPEC.md 4.2) and can never
 * pass for a listing or an object write. A release that brings an operation turns its `no` to
 * `yes`.
 *
 * A refinement tells operations of one method and subresource apart: by a query parameter, or by a
 * header. If several rows fit, the refined one wins.
 */

export type ResourceType = 'service' | 'bucket' | 'object';

/** `?name` refines by a query parameter, any other text by a header of that (lower-case) name. */
type Refinement = string;

type Row = readonly [
  subresource: string,
  method: string,
  operation: string,
  supported: boolean,
  refinement?: Refinement,
];

const yes = true;
const no = false;

const SERVICE = [['', 'GET', 'ListBuckets', yes]] as const satisfies readonly Row[];

const BUCKET = [
  ['', 'GET', 'ListObjects', yes],
  ['', 'GET', 'ListObjectsV2', yes, '?list-type'],
  ['', 'PUT', 'CreateBucket', yes],
  ['', 'DELETE', 'DeleteBucket', yes],
  ['', 'HEAD', 'HeadBucket', yes],
  ['', 'POST', 'PostObject', no],
  ['', 'OPTIONS', 'PreflightRequest', yes],
  ['location', 'GET', 'GetBucketLocation', yes],
  ['abac', 'GET', 'GetBucketAbac', no],
  ['abac', 'PUT', 'PutBucketAbac', no],
  ['accelerate', 'GET', 'GetBucketAccelerateConfiguration', no],
  ['accelerate', 'PUT', 'PutBucketAccelerateConfiguration', no],
  ['acl', 'GET', 'GetBucketAcl', yes],
  ['acl', 'PUT', 'PutBucketAcl', yes],
  ['analytics', 'GET', 'ListBucketAnalyticsConfigurations', no],
  ['analytics', 'GET', 'GetBucketAnalyticsConfiguration', no, '?id'],
  ['analytics', 'PUT', 'PutBucketAnalyticsConfiguration', no],
  ['analytics', 'DELETE', 'DeleteBucketAnalyticsConfiguration', no],
  ['cors', 'GET', 'GetBucketCors', yes],
  ['cors', 'PUT', 'PutBucketCors', yes],
  ['cors', 'DELETE', 'DeleteBucketCors', yes],
  ['delete', 'POST', 'DeleteObjects', yes],
  ['encryption', 'GET', 'GetBucketEncryption', no],
  ['encryption', 'PUT', 'PutBucketEncryption', no],
  ['encryption', 'DELETE', 'DeleteBucketEncryption', no],
  ['intelligent-tiering', 'GET', 'ListBucketIntelligentTieringConfigurations', no],
  ['intelligent-tiering', 'GET', 'GetBucketIntelligentTieringConfiguration', no, '?id'],
  ['intelligent-tiering', 'PUT', 'PutBucketIntelligentTieringConfiguration', no],
  ['intelligent-tiering', 'DELETE', 'DeleteBucketIntelligentTieringConfiguration', no],
  ['inventory', 'GET', 'ListBucketInventoryConfigurations', no],
  ['inventory', 'GET', 'GetBucketInventoryConfiguration', no, '?id'],
  ['inventory', 'PUT', 'PutBucketInventoryConfiguration', no],
  ['inventory', 'DELETE', 'DeleteBucketInventoryConfiguration', no],
  ['lifecycle', 'GET', 'GetBucketLifecycleConfiguration', yes],
  ['lifecycle', 'PUT', 'PutBucketLifecycleConfiguration', yes],
  ['lifecycle', 'DELETE', 'DeleteBucketLifecycle', yes],
  ['logging', 'GET', 'GetBucketLogging', no],
  ['logging', 'PUT', 'PutBucketLogging', no],
  ['metadataAnnotationTable', 'PUT', 'UpdateBucketMetadataAnnotationTableConfiguration', no],
  ['metadataConfiguration', 'GET', 'GetBucketMetadataConfiguration', no],
  ['metadataConfiguration', 'POST', 'CreateBucketMetadataConfiguration', no],
  ['metadataConfiguration', 'DELETE', 'DeleteBucketMetadataConfiguration', no],
  ['metadataInventoryTable', 'PUT', 'UpdateBucketMetadataInventoryTableConfiguration', no],
  ['metadataJournalTable', 'PUT', 'UpdateBucketMetadataJournalTableConfiguration', no],
  ['metadataTable', 'GET', 'GetBucketMetadataTableConfiguration', no],
  ['metadataTable', 'POST', 'CreateBucketMetadataTableConfiguration', no],
  ['metadataTable', 'DELETE', 'DeleteBucketMetadataTableConfiguration', no],
  ['metrics', 'GET', 'ListBucketMetricsConfigurations', no],
  ['metrics', 'GET', 'GetBucketMetricsConfiguration', no, '?id'],
  ['metrics', 'PUT', 'PutBucketMetricsConfiguration', no],
  ['metrics', 'DELETE', 'DeleteBucketMetricsConfiguration', no],
  ['notification', 'GET', 'GetBucketNotificationConfiguration', no],
  ['notification', 'PUT', 'PutBucketNotificationConfiguration', no],
  ['object-lock', 'GET', 'GetObjectLockConfiguration', yes],
  ['object-lock', 'PUT', 'PutObjectLockConfiguration', yes],
  ['ownershipControls', 'GET', 'GetBucketOwnershipControls', no],
  ['ownershipControls', 'PUT', 'PutBucketOwnershipControls', no],
  ['ownershipControls', 'DELETE', 'DeleteBucketOwnershipControls', no],
  ['policy', 'GET', 'GetBucketPolicy', no],
  ['policy', 'PUT', 'PutBucketPolicy', no],
  ['policy', 'DELETE', 'DeleteBucketPolicy', no],
  ['policyStatus', 'GET', 'GetBucketPolicyStatus', no],
  ['publicAccessBlock', 'GET', 'GetPublicAccessBlock', no],
  ['publicAccessBlock', 'PUT', 'PutPublicAccessBlock', no],
  ['publicAccessBlock', 'DELETE', 'DeletePublicAccessBlock', no],
  ['replication', 'GET', 'GetBucketReplication', no],
  ['replication', 'PUT', 'PutBucketReplication', no],
  ['replication', 'DELETE', 'DeleteBucketReplication', no],
  ['requestPayment', 'GET', 'GetBucketRequestPayment', no],
  ['requestPayment', 'PUT', 'PutBucketRequestPayment', no],
  ['session', 'GET', 'CreateSession', no],
  ['tagging', 'GET', 'GetBucketTagging', yes],
  ['tagging', 'PUT', 'PutBucketTagging', yes],
  ['tagging', 'DELETE', 'DeleteBucketTagging', yes],
  ['uploads', 'GET', 'ListMultipartUploads', yes],
  ['versioning', 'GET', 'GetBucketVersioning', yes],
  ['versioning', 'PUT', 'PutBucketVersioning', yes],
  ['versions', 'GET', 'ListObjectVersions', yes],
  ['website', 'GET', 'GetBucketWebsite', no],
  ['website', 'PUT', 'PutBucketWebsite', no],
  ['website', 'DELETE', 'DeleteBucketWebsite', no],
] as const satisfies readonly Row[];

const OBJECT = [
  ['', 'GET', 'GetObject', yes],
  ['', 'HEAD', 'HeadObject', yes],
  ['', 'PUT', 'PutObject', yes],
  ['', 'PUT', 'CopyObject', yes, 'x-amz-copy-source'],
  ['', 'DELETE', 'DeleteObject', yes],
  ['', 'OPTIONS', 'PreflightRequest', yes],
  ['acl', 'GET', 'GetObjectAcl', yes],
  ['acl', 'PUT', 'PutObjectAcl', yes],
  ['annotation', 'GET', 'ListObjectAnnotations', no],
  ['annotation', 'GET', 'GetObjectAnnotation', no, '?annotationName'],
  ['annotation', 'PUT', 'PutObjectAnnotation', no],
  ['annotation', 'DELETE', 'DeleteObjectAnnotation', no],
  ['attributes', 'GET', 'GetObjectAttributes', no],
  ['encryption', 'PUT', 'UpdateObjectEncryption', no],
  ['legal-hold', 'GET', 'GetObjectLegalHold', yes],
  ['legal-hold', 'PUT', 'PutObjectLegalHold', yes],
  // Without an upload id, `partNumber` asks for one part of a finished object.
  ['partNumber', 'GET', 'GetObjectPart', yes],
  ['partNumber', 'HEAD', 'HeadObjectPart', yes],
  ['renameObject', 'PUT', 'RenameObject', no],
  ['restore', 'POST', 'RestoreObject', yes],
  ['retention', 'GET', 'GetObjectRetention', yes],
  ['retention', 'PUT', 'PutObjectRetention', yes],
  ['select', 'POST', 'SelectObjectContent', no],
  ['tagging', 'GET', 'GetObjectTagging', yes],
  ['tagging', 'PUT', 'PutObjectTagging', yes],
  ['tagging', 'DELETE', 'DeleteObjectTagging', yes],
  ['torrent', 'GET', 'GetObjectTorrent', no],
  ['uploadId', 'GET', 'ListParts', yes],
  ['uploadId', 'PUT', 'UploadPart', yes],
  ['uploadId', 'PUT', 'UploadPartCopy', yes, 'x-amz-copy-source'],
  ['uploadId', 'POST', 'CompleteMultipartUpload', yes],
  ['uploadId', 'DELETE', 'AbortMultipartUpload', yes],
  ['uploads', 'POST', 'CreateMultipartUpload', yes],
] as const satisfies readonly Row[];

export const ENDPOINT_ROWS = { service: SERVICE, bucket: BUCKET, object: OBJECT } as const;

type AnyRow = (typeof ENDPOINT_ROWS)[ResourceType][number];

/** The name of a subresource or method without a row of its own in metrics and logs. */
export const UNKNOWN_SUBRESOURCE = 'UnknownSubresource';

export type OperationName = AnyRow[2] | typeof UNKNOWN_SUBRESOURCE;

/** The operations that this release carries out. */
export type SupportedOperationName = Extract<
  AnyRow,
  readonly [string, string, string, true, string?]
>[2];

/**
 * Parameters that may be empty without being taken for a subresource. Those with a value need not
 * stand here: a parameter that is no subresource and has a value is ignored, as AWS does.
 */
export const KNOWN_PARAMETERS: ReadonlySet<string> = new Set([
  'AWSAccessKeyId',
  'Expires',
  'Signature',
  'annotation-prefix',
  'annotationName',
  'bucket-region',
  'continuation-token',
  'delimiter',
  'encoding-type',
  'fetch-owner',
  'id',
  'key-marker',
  'list-type',
  'marker',
  'max-buckets',
  'max-keys',
  'max-parts',
  'max-uploads',
  'part-number-marker',
  'partNumber',
  'prefix',
  'response-cache-control',
  'response-content-disposition',
  'response-content-encoding',
  'response-content-language',
  'response-content-type',
  'response-expires',
  'select-type',
  'start-after',
  'upload-id-marker',
  'version-id-marker',
  'versionId',
  'x-id',
]);
