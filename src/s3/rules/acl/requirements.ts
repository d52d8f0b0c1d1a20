import type { OperationName } from '../../endpoint/table.js';
import type { Access } from './decision.js';

/**
 * What an operation needs, and of what. `account`: the role `owner` in the account; nothing that
 * could be granted. `source` is the object that a copy reads.
 */
export interface Requirement {
  readonly resource: 'account' | 'bucket' | 'object' | 'source';
  readonly access: Access;
}

const ACCOUNT: readonly Requirement[] = [{ resource: 'account', access: 'OWNER' }];
const BUCKET_OWNER: readonly Requirement[] = [{ resource: 'bucket', access: 'OWNER' }];
const BUCKET_READ: readonly Requirement[] = [{ resource: 'bucket', access: 'READ' }];
const BUCKET_WRITE: readonly Requirement[] = [{ resource: 'bucket', access: 'WRITE' }];
const BUCKET_READ_ACP: readonly Requirement[] = [{ resource: 'bucket', access: 'READ_ACP' }];
const BUCKET_WRITE_ACP: readonly Requirement[] = [{ resource: 'bucket', access: 'WRITE_ACP' }];
const OBJECT_OWNER: readonly Requirement[] = [{ resource: 'object', access: 'OWNER' }];
const OBJECT_READ: readonly Requirement[] = [{ resource: 'object', access: 'READ' }];
const OBJECT_READ_ACP: readonly Requirement[] = [{ resource: 'object', access: 'READ_ACP' }];
const OBJECT_WRITE_ACP: readonly Requirement[] = [{ resource: 'object', access: 'WRITE_ACP' }];
const COPY: readonly Requirement[] = [...BUCKET_WRITE, { resource: 'source', access: 'READ' }];

/**
 * AWS's mapping of ACL permissions to operations. What ACLs cannot grant there is the owner's here.
 * Parts of uploads are listed by those who may write them: the initiator can with AWS, and a READ
 * grant is not enough there.
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/acl-overview.html#acl-access-policy-permission-mapping
 */
const REQUIREMENTS: ReadonlyMap<OperationName, readonly Requirement[]> = new Map<
  OperationName,
  readonly Requirement[]
>([
  ['ListBuckets', ACCOUNT],
  ['CreateBucket', ACCOUNT],

  ['HeadBucket', BUCKET_READ],
  ['ListObjects', BUCKET_READ],
  ['ListObjectsV2', BUCKET_READ],
  ['ListObjectVersions', BUCKET_READ],
  ['ListMultipartUploads', BUCKET_READ],
  ['GetBucketAcl', BUCKET_READ_ACP],
  ['PutBucketAcl', BUCKET_WRITE_ACP],
  ['DeleteObjects', BUCKET_WRITE],

  ['GetObject', OBJECT_READ],
  ['HeadObject', OBJECT_READ],
  ['GetObjectPart', OBJECT_READ],
  ['HeadObjectPart', OBJECT_READ],
  ['GetObjectAcl', OBJECT_READ_ACP],
  ['PutObjectAcl', OBJECT_WRITE_ACP],
  ['GetObjectTagging', OBJECT_OWNER],
  ['PutObjectTagging', OBJECT_OWNER],
  ['DeleteObjectTagging', OBJECT_OWNER],

  ['PutObject', BUCKET_WRITE],
  ['CopyObject', COPY],
  ['DeleteObject', BUCKET_WRITE],
  ['CreateMultipartUpload', BUCKET_WRITE],
  ['UploadPart', BUCKET_WRITE],
  ['UploadPartCopy', COPY],
  ['ListParts', BUCKET_WRITE],
  ['CompleteMultipartUpload', BUCKET_WRITE],
  ['AbortMultipartUpload', BUCKET_WRITE],

  // Answered before anybody is known: CORS decides.
  ['PreflightRequest', []],
]);

/**
 * What has to be allowed, all of it, in this order. Whatever has no row is about a bucket's
 * configuration, or not supported, and the bucket owner's.
 */
export function requirementsOf(operation: OperationName): readonly Requirement[] {
  return REQUIREMENTS.get(operation) ?? BUCKET_OWNER;
}
