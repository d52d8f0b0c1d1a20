import type { ContainerHead, ContainerRef } from '../../backend/backend.js';
import type { RequestContext } from '../operation.js';
import { privateAcl } from '../rules/acl/acl.js';
import { bucketAcl } from '../rules/acl/bucket-acl.js';
import { accountName, canonicalId } from '../rules/acl/requester.js';
import { parseCopySource } from '../rules/copy-source.js';
import {
  EXPECTED_OWNER_HEADER,
  EXPECTED_SOURCE_OWNER_HEADER,
  type HeaderFamily,
} from '../rules/unsupported-headers.js';
import { S3Error } from '../errors.js';
import { decideByBucket } from './bucket-decision.js';

/**
 * AWS's bucket owner condition: a client names the expected owner of the bucket, and the request
 * fails if it has another owner.
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucket-owner-condition.html
 *
 * A bucket's owner is the one in its ACL, and the account that it lies in, by its name. The account
 * numbers of AWS do not exist here.
 *
 * @param reads - the families of headers that the operation reads
 * @returns a promise only where a header asks for it
 * @throws S3Error `AccessDenied` for another owner, `InvalidArgument` for a copy source that cannot
 *   be read; BackendError NoSuchContainer
 */
export function requireExpectedOwners(
  context: RequestContext,
  reads: readonly HeaderFamily[],
): undefined | Promise<void> {
  // A header that the operation does not read is answered with 501 later.
  const { headers } = context;
  const owner = reads.includes('expected-owner') ? headers.get(EXPECTED_OWNER_HEADER) : undefined;
  const sourceOwner = reads.includes('copy')
    ? headers.get(EXPECTED_SOURCE_OWNER_HEADER)
    : undefined;
  if (owner === undefined && sourceOwner === undefined) return undefined;
  return requireOwners(context, owner, sourceOwner);
}

async function requireOwners(
  context: RequestContext,
  owner: string | undefined,
  sourceOwner: string | undefined,
): Promise<void> {
  if (owner !== undefined) {
    await decideByBucket(context, (head) => {
      requireOwner(context, head, owner);
    });
  }
  if (sourceOwner !== undefined) requireOwner(context, await sourceHead(context), sourceOwner);
}

function sourceHead(context: RequestContext): Promise<ContainerHead> {
  const { call, endpoint, headers, principal, services } = context;
  const { bucket } = parseCopySource(headers.get('x-amz-copy-source') ?? '');
  if (bucket === endpoint.bucket) return context.containerHead();
  const source: ContainerRef = { account: principal.account, container: bucket };
  return services.backend.headContainer(call, source);
}

function requireOwner({ principal }: RequestContext, head: ContainerHead, named: string): void {
  const account = accountName(principal.account);
  // A bucket without an ACL belongs to each owner of the account, who sees its own id.
  const unstored = privateAcl(principal.role === 'owner' ? canonicalId(principal) : account);
  if (named === account || named === bucketAcl(head, unstored).owner) return;
  throw new S3Error('AccessDenied');
}
