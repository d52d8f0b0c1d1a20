import { S3Error } from '../../errors.js';
import { invalidArgument } from '../query-parameters.js';
import {
  groupGrant,
  userGrant,
  type Acl,
  type AclResource,
  type GroupName,
  type Grant,
  type Permission,
} from './acl.js';

/** The owners of a new resource. For a bucket, both are the same. */
export interface Owners {
  readonly owner: string;
  readonly bucketOwner: string;
}

interface CannedAcl {
  /** Besides the owner's FULL_CONTROL, in the order in which s3api stores them. */
  readonly grants: readonly (readonly [grantee: GroupName | 'bucket owner', Permission])[];
  /** The resources for which AWS accepts it. */
  readonly resources: readonly AclResource[];
}

const BOTH = ['bucket', 'object'] as const;

/** https://docs.aws.amazon.com/AmazonS3/latest/userguide/acl-overview.html#canned-acl */
const CANNED: ReadonlyMap<string, CannedAcl> = new Map<string, CannedAcl>([
  ['private', { grants: [], resources: BOTH }],
  ['public-read', { grants: [['AllUsers', 'READ']], resources: BOTH }],
  [
    'public-read-write',
    {
      grants: [
        ['AllUsers', 'READ'],
        ['AllUsers', 'WRITE'],
      ],
      resources: BOTH,
    },
  ],
  ['authenticated-read', { grants: [['AuthenticatedUsers', 'READ']], resources: BOTH }],
  // For a bucket, AWS ignores these two: its owner is the bucket's owner.
  ['bucket-owner-read', { grants: [['bucket owner', 'READ']], resources: BOTH }],
  ['bucket-owner-full-control', { grants: [['bucket owner', 'FULL_CONTROL']], resources: BOTH }],
  [
    'log-delivery-write',
    {
      grants: [
        ['LogDelivery', 'WRITE'],
        ['LogDelivery', 'READ_ACP'],
      ],
      resources: ['bucket'],
    },
  ],
]);

export const CANNED_ACL_HEADER = 'x-amz-acl';

/** A canned ACL of AWS that grants to Amazon EC2. */
const UNSUPPORTED = 'aws-exec-read';

/**
 * The ACL that a value of `x-amz-acl` stands for.
 *
 * @throws S3Error `InvalidArgument` for a name that the resource cannot have; `NotImplemented` for
 *   `aws-exec-read`
 */
export function cannedAcl(name: string, resource: AclResource, owners: Owners): Acl {
  if (name === UNSUPPORTED) {
    throw new S3Error('NotImplemented', undefined, { Header: CANNED_ACL_HEADER });
  }
  const canned = CANNED.get(name);
  if (canned?.resources.includes(resource) !== true) {
    throw invalidArgument(CANNED_ACL_HEADER, name, '');
  }
  const { owner, bucketOwner } = owners;
  const grants: Grant[] = [];
  for (const [grantee, permission] of canned.grants) {
    if (grantee !== 'bucket owner') grants.push(groupGrant(grantee, permission));
    else if (bucketOwner !== owner) grants.push(userGrant(bucketOwner, permission));
  }
  grants.push(userGrant(owner, 'FULL_CONTROL'));
  return { owner, grants };
}
