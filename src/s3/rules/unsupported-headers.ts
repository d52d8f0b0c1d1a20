import type { HeaderMap } from '../../http/exchange.js';
import type { QueryParameter } from '../../lib/uri.js';
import type { OperationName } from '../endpoint/table.js';
import { S3Error } from '../errors.js';

/**
 * Headers that ask for something the service does not do. Accepting one in silence would leave a
 * client believing that its data is encrypted, locked or shared when it is not: design rule "never
 * accept and ignore a safety header". Headers without such a meaning are ignored, as AWS does.
 */

interface HeaderRule {
  /** Values that ask for what is the case anyway. */
  readonly harmless?: readonly string[];
  /** Operations for which the header is read elsewhere. */
  readonly readBy?: readonly OperationName[];
  /** Operations for which it is not, where it is for all others. */
  readonly unreadBy?: readonly OperationName[];
}

const COPIES: HeaderRule = { readBy: ['CopyObject', 'UploadPartCopy'] };
const NEW_OBJECTS: HeaderRule = { readBy: ['PutObject', 'CopyObject', 'CreateMultipartUpload'] };
const ACLS: HeaderRule = {
  readBy: [
    'CreateBucket',
    'PutBucketAcl',
    'PutObject',
    'PutObjectAcl',
    'CopyObject',
    'CreateMultipartUpload',
  ],
};
const ALWAYS: HeaderRule = {};
/** There is no bucket, or none yet, whose owner could be told; AWS documents it for the others. */
const WITHOUT_OWNER: HeaderRule = { unreadBy: ['ListBuckets', 'CreateBucket'] };

/** Read for all operations: src/s3/request/expected-owner.ts. */
export const EXPECTED_OWNER_HEADER = 'x-amz-expected-bucket-owner';
export const EXPECTED_SOURCE_OWNER_HEADER = 'x-amz-source-expected-bucket-owner';

const BY_NAME: ReadonlyMap<string, HeaderRule> = new Map<string, HeaderRule>([
  // What has no ACL of its own is private anyway.
  ['x-amz-acl', { ...ACLS, harmless: ['private'] }],
  ['x-amz-bucket-object-lock-enabled', { harmless: ['false', 'False'], readBy: ['CreateBucket'] }],
  [
    'x-amz-bypass-governance-retention',
    {
      harmless: ['false', 'False'],
      readBy: ['DeleteObject', 'DeleteObjects', 'PutObjectRetention'],
    },
  ],
  [EXPECTED_OWNER_HEADER, WITHOUT_OWNER],
  ['x-amz-if-match-last-modified-time', ALWAYS],
  ['x-amz-if-match-size', ALWAYS],
  ['x-amz-metadata-directive', COPIES],
  ['x-amz-mfa', ALWAYS],
  ['x-amz-object-ownership', ALWAYS],
  ['x-amz-request-payer', ALWAYS],
  ['x-amz-server-side-encryption-bucket-key-enabled', { harmless: ['false', 'False'] }],
  ['x-amz-tagging', NEW_OBJECTS],
  ['x-amz-tagging-directive', COPIES],
  ['x-amz-website-redirect-location', ALWAYS],
  ['x-amz-write-offset-bytes', ALWAYS],
]);

/** Families of headers, by the beginning of the name; an exact name's rule goes first. */
const BY_PREFIX: readonly (readonly [prefix: string, rule: HeaderRule])[] = [
  ['x-amz-copy-source-server-side-encryption', ALWAYS],
  ['x-amz-copy-source', COPIES],
  ['x-amz-grant-', ACLS],
  ['x-amz-object-lock-', NEW_OBJECTS],
  ['x-amz-rename-source', ALWAYS],
  ['x-amz-server-side-encryption', ALWAYS],
  [EXPECTED_SOURCE_OWNER_HEADER, COPIES],
];

const PREFIX_OF_ALL = 'x-amz-';

/** What nearly every request has, so that no rule need be looked for. */
const COMMON: ReadonlySet<string> = new Set([
  'x-amz-content-sha256',
  'x-amz-date',
  'x-amz-user-agent',
]);

/** @throws S3Error `NotImplemented`, naming the header */
export function refuseUnsupportedHeaders(operation: OperationName, headers: HeaderMap): void {
  for (const [name, value] of headers) {
    if (!name.startsWith(PREFIX_OF_ALL) || COMMON.has(name)) continue;
    const rule = ruleOf(name);
    if (rule === undefined) continue;
    if (rule.harmless?.includes(value) === true || isRead(rule, operation)) continue;
    throw notImplemented(name);
  }
}

/**
 * Only presigned URLs carry headers in their query, and those are among `headers` already. In the
 * query of any other request nothing reads them: what they ask for would be ignored.
 *
 * @throws S3Error `NotImplemented`, naming the header
 */
export function refuseHeadersInQuery(query: readonly QueryParameter[], headers: HeaderMap): void {
  for (const { name, value = '' } of query) {
    const header = name.toLowerCase();
    if (!header.startsWith(PREFIX_OF_ALL) || headers.has(header)) continue;
    const rule = ruleOf(header);
    if (rule === undefined || rule.harmless?.includes(value) === true) continue;
    throw notImplemented(header);
  }
}

function notImplemented(header: string): S3Error {
  return new S3Error('NotImplemented', undefined, { Header: header });
}

/** Whether an operation reads a header that others refuse. */
export function readsHeader(operation: OperationName, name: string): boolean {
  const rule = ruleOf(name);
  return rule === undefined || isRead(rule, operation);
}

function isRead({ readBy, unreadBy }: HeaderRule, operation: OperationName): boolean {
  if (unreadBy !== undefined) return !unreadBy.includes(operation);
  return readBy?.includes(operation) === true;
}

function ruleOf(name: string): HeaderRule | undefined {
  return BY_NAME.get(name) ?? findByPrefix(name);
}

function findByPrefix(name: string): HeaderRule | undefined {
  for (const [prefix, rule] of BY_PREFIX) {
    if (name.startsWith(prefix)) return rule;
  }
  return undefined;
}
