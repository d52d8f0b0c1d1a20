import { asciiJson } from '../../../lib/ascii-json.js';
import { S3Error } from '../../errors.js';
import { isGroupName, isPermission, userGrant, groupGrant, type Acl, type Grant } from './acl.js';

/**
 * ACLs as Swift's s3api stores them, so that both serve the same cluster: compact JSON in ASCII,
 *
 *     {"Owner":"test:tester","Grant":[{"Permission":"READ","Grantee":"AllUsers"}]}
 *
 * where a grantee is the name of a group or the id of a user.
 */

/** Name in the system metadata of a bucket or object: `X-…-Sysmeta-S3Api-Acl` on Swift. */
export const ACL_METADATA = 's3api-acl';

/** The ACL of the object to be, in the system metadata of its multipart upload. */
export const UPLOAD_ACL_METADATA = 's3api-tmpacl';

export function encodeAcl({ owner, grants }: Acl): string {
  const stored = {
    Owner: owner,
    Grant: grants.map(({ grantee, permission }) => ({
      Permission: permission,
      Grantee: grantee.kind === 'user' ? grantee.id : grantee.group,
    })),
  };
  return asciiJson(stored);
}

/**
 * @returns undefined when nothing is stored: the resource is the account's own, private to it
 * @throws S3Error `InternalError` for an ACL that cannot be read: a damaged ACL grants no access
 */
export function decodeAcl(text: string | undefined): Acl | undefined {
  if (text === undefined || text === '') return undefined;
  const stored = parseJson(text);
  if (!isRecord(stored)) throw damaged(text);
  const { Owner: owner, Grant: grants = [] } = stored;
  // s3api writes this where a resource has no owner.
  if (owner === null || owner === undefined) return undefined;
  if (typeof owner !== 'string' || !Array.isArray(grants)) throw damaged(text);
  return { owner, grants: grants.map((grant: unknown) => decodeGrant(grant, text)) };
}

function decodeGrant(grant: unknown, text: string): Grant {
  if (!isRecord(grant)) throw damaged(text);
  const { Grantee: grantee, Permission: permission } = grant;
  if (typeof grantee !== 'string' || typeof permission !== 'string') throw damaged(text);
  if (!isPermission(permission)) throw damaged(text);
  return isGroupName(grantee) ? groupGrant(grantee, permission) : userGrant(grantee, permission);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw damaged(text, error);
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function damaged(text: string, cause?: unknown): S3Error {
  const reason = new Error(`a stored ACL cannot be read: ${text.slice(0, 200)}`, { cause });
  return new S3Error('InternalError', undefined, {}, { cause: reason });
}
