import type { HeaderMap } from '../../http/exchange.js';
import type { QueryParameter } from '../../lib/uri.js';
import { S3Error } from '../errors.js';

/**
 * Headers that ask for something the service does not do. Accepting one in silence would leave a
 * client believing that its data is encrypted, locked or shared when it is not: design rule "never
 * accept and ignore a safety header". Headers without such a meaning are ignored, as AWS does.
 */

/** Headers that the same operations read: src/s3/operations.ts says which. */
export type HeaderFamily =
  'acl' | 'bucket-lock' | 'bypass-retention' | 'copy' | 'expected-owner' | 'new-object';

interface HeaderRule {
  /** Values that ask for what is the case anyway. */
  readonly harmless?: readonly string[];
  /** Undefined for a header that no operation reads. */
  readonly family?: HeaderFamily;
}

const COPIES: HeaderRule = { family: 'copy' };
const NEW_OBJECTS: HeaderRule = { family: 'new-object' };
const ACLS: HeaderRule = { family: 'acl' };
const ALWAYS: HeaderRule = {};
/** ListBuckets and CreateBucket have no bucket yet whose owner could be told. */
const OWNERS: HeaderRule = { family: 'expected-owner' };

/** Read for all operations: src/s3/request/expected-owner.ts. */
export const EXPECTED_OWNER_HEADER = 'x-amz-expected-bucket-owner';
export const EXPECTED_SOURCE_OWNER_HEADER = 'x-amz-source-expected-bucket-owner';

const BY_NAME: ReadonlyMap<string, HeaderRule> = new Map<string, HeaderRule>([
  // A resource without an ACL of its own is private anyway.
  ['x-amz-acl', { ...ACLS, harmless: ['private'] }],
  ['x-amz-bucket-object-lock-enabled', { harmless: ['false', 'False'], family: 'bucket-lock' }],
  [
    'x-amz-bypass-governance-retention',
    { harmless: ['false', 'False'], family: 'bypass-retention' },
  ],
  [EXPECTED_OWNER_HEADER, OWNERS],
  ['x-amz-if-match-last-modified-time', ALWAYS],
  ['x-amz-if-match-size', ALWAYS],
  ['x-amz-mfa', ALWAYS],
  ['x-amz-object-ownership', ALWAYS],
  ['x-amz-request-payer', ALWAYS],
  ['x-amz-server-side-encryption-bucket-key-enabled', { harmless: ['false', 'False'] }],
  ['x-amz-tagging', NEW_OBJECTS],
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

/** Headers that nearly every request has, so that no rule need be looked for. */
const COMMON: ReadonlySet<string> = new Set([
  'x-amz-content-sha256',
  'x-amz-date',
  'x-amz-user-agent',
]);

/**
 * @param reads - the families that the operation reads
 * @throws S3Error `NotImplemented`, naming the header
 */
export function refuseUnsupportedHeaders(reads: readonly HeaderFamily[], headers: HeaderMap): void {
  for (const [name, value] of headers) {
    if (!name.startsWith(PREFIX_OF_ALL) || COMMON.has(name)) continue;
    const rule = ruleOf(name);
    if (rule === undefined) continue;
    const { family, harmless } = rule;
    if (family !== undefined && reads.includes(family)) continue;
    if (harmless?.includes(value) === true) continue;
    throw notImplemented(name);
  }
}

/**
 * Only presigned URLs carry headers in their query, and those are among `headers` already. In the
 * query of any other request they would be ignored.
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

function ruleOf(name: string): HeaderRule | undefined {
  return BY_NAME.get(name) ?? findByPrefix(name);
}

function findByPrefix(name: string): HeaderRule | undefined {
  for (const [prefix, rule] of BY_PREFIX) {
    if (name.startsWith(prefix)) return rule;
  }
  return undefined;
}
