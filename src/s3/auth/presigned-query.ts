import type { HeaderMap } from '../../http/exchange.js';
import type { QueryParameter } from '../../lib/uri.js';
import { S3Error, type ErrorDetails } from '../errors.js';
import { isHeaderName, isHeaderValue } from '../rules/header-values.js';
import { dateProblem, parseCredential } from './credential-scope.js';
import { parseAmzDate } from '../rules/request-dates.js';
import { requireValidNow } from './dates.js';
import { literalPayloadMode, UNSIGNED_PAYLOAD } from './payload-plan.js';
import { ALGORITHM, SIGNATURE_PARAMETER, type SignatureClaim } from './signature-v4.js';
import { trimWhiteSpace } from './white-space.js';

/**
 * A header that stands in the query of a presigned URL: it must be one that HTTP could carry. A
 * line feed, or a colon in the name, could hide a signed header in another one: the string to sign
 * of version 2, which does not escape them, would stay the same.
 *
 * @param name - the parameter's, in lower case
 * @returns the value as a header's: without white space around it
 * @throws S3Error InvalidArgument
 */
export function hoistedValue(name: string, { value = '', rawName }: QueryParameter): string {
  if (isHeaderName(name) && isHeaderValue(value)) return trimWhiteSpace(value);
  // The name as sent, because the decoded name may be unfit for a document.
  throw new S3Error('InvalidArgument', 'A header in the query is none that HTTP can carry', {
    ArgumentName: rawName,
  });
}

const PREFIX = 'x-amz-';

/** Parameters of the signature itself, not of the request. */
const OF_SIGNATURE: ReadonlySet<string> = new Set([
  'x-amz-algorithm',
  'x-amz-credential',
  'x-amz-date',
  'x-amz-expires',
  'x-amz-signedheaders',
  'x-amz-signature',
  'x-amz-security-token',
  'x-amz-content-sha256',
  'x-amz-sdk-checksum-algorithm',
]);
const CHECKSUM_PREFIX = 'x-amz-checksum-';

/**
 * Presigners move ("hoist") `x-amz-*` headers into the query, where S3 takes them for headers:
 * metadata, storage class, ACL. Checksums are an exception: an SDK computes them over the body it
 * has when it signs, which is empty (`x-amz-checksum-crc32=AAAAAA==`), and S3 does not verify them
 * there (aws/aws-sdk#480, aws/aws-sdk-js-v3#6994).
 *
 * @returns the request's own headers, which win, and the hoisted ones
 * @throws S3Error InvalidArgument for what could be no header
 */
export function withHoistedHeaders(
  headers: HeaderMap,
  query: readonly QueryParameter[],
): HeaderMap {
  let merged: Map<string, string> | undefined;
  for (const parameter of query) {
    const header = parameter.name.toLowerCase();
    if (!header.startsWith(PREFIX) || OF_SIGNATURE.has(header)) continue;
    if (header.startsWith(CHECKSUM_PREFIX)) continue;
    const value = hoistedValue(header, parameter);
    merged ??= new Map(headers);
    if (!merged.has(header)) merged.set(header, value);
  }
  return merged ?? headers;
}

const REQUIRED = [
  'X-Amz-Algorithm',
  'X-Amz-Credential',
  'X-Amz-Date',
  'X-Amz-Expires',
  'X-Amz-SignedHeaders',
  SIGNATURE_PARAMETER,
] as const;
const OPTIONAL = ['X-Amz-Content-Sha256', 'X-Amz-Security-Token'] as const;
const PARAMETERS: readonly string[] = [...REQUIRED, ...OPTIONAL];

type Fields = Readonly<Record<(typeof REQUIRED)[number], string>> &
  Partial<Record<(typeof OPTIONAL)[number], string>>;

/** Any of these makes a request presigned: a stripped one must not pass for an anonymous one. */
const MARKERS: readonly string[] = ['X-Amz-Algorithm', 'X-Amz-Credential', SIGNATURE_PARAMETER];

/** AWS's bound: seven days. */
const EXPIRES_S_MAX = 604_800;
const EXPIRES_DIGITS_MAX = 10;

/** A request whose signature is in its query: a presigned URL. */
export function isPresigned(query: readonly QueryParameter[]): boolean {
  return query.some((parameter) => MARKERS.includes(parameter.name));
}

/**
 * @throws S3Error AuthorizationQueryParametersError, AccessDenied (expired, or not yet valid)
 */
export function readPresignedQuery(
  query: readonly QueryParameter[],
  headers: HeaderMap,
  region: string,
  now: number,
): SignatureClaim {
  const fields = readFields(query);
  if (fields['X-Amz-Algorithm'] !== ALGORITHM) {
    throw malformed(`X-Amz-Algorithm only supports "${ALGORITHM}"`);
  }
  const amzDate = fields['X-Amz-Date'];
  const requestTime = parseAmzDate(amzDate);
  if (requestTime === undefined) {
    throw malformed("X-Amz-Date must be in the ISO8601 Long Format \"yyyyMMdd'T'HHmmss'Z'\"");
  }
  const expiresS = parseExpires(fields['X-Amz-Expires']);
  const parsed = parseCredential(fields['X-Amz-Credential'], region);
  const problem = 'problem' in parsed ? parsed : dateProblem(parsed, amzDate);
  if (problem !== undefined || 'problem' in parsed) {
    throw malformed(
      `Error parsing the X-Amz-Credential parameter; ${problem?.problem ?? ''}`,
      problem?.details,
    );
  }
  requireValidNow(requestTime, expiresS, now);
  // SDKs put the payload's hash into the query or into a header, or leave it out.
  const payloadHash =
    fields['X-Amz-Content-Sha256'] ?? headers.get('x-amz-content-sha256') ?? UNSIGNED_PAYLOAD;
  return {
    scope: parsed,
    amzDate,
    signedHeaders: fields['X-Amz-SignedHeaders'],
    signedNames: fields['X-Amz-SignedHeaders'].split(';'),
    signature: fields[SIGNATURE_PARAMETER],
    payloadHash,
    payloadMode: literalPayloadMode(payloadHash),
    presigned: true,
    securityToken: fields['X-Amz-Security-Token'] ?? headers.get('x-amz-security-token'),
  };
}

/** Each at most once; what one part of the request says twice, two readers may read differently. */
function readFields(query: readonly QueryParameter[]): Fields {
  const found: Record<string, string> = {};
  for (const { name, value } of query) {
    if (!PARAMETERS.includes(name)) continue;
    if (value === undefined || value === '' || Object.hasOwn(found, name)) throw malformed();
    found[name] = value;
  }
  if (!isComplete(found)) throw malformed();
  return found;
}

function isComplete(found: Readonly<Record<string, string>>): found is Fields {
  return REQUIRED.every((name) => Object.hasOwn(found, name));
}

function parseExpires(text: string): number {
  for (let i = text.startsWith('-') ? 1 : 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x30 || code > 0x39) throw malformed('X-Amz-Expires should be a number');
  }
  const seconds = Number(text);
  if (text.startsWith('-')) throw malformed('X-Amz-Expires must be non-negative');
  if (text.length > EXPIRES_DIGITS_MAX || seconds > EXPIRES_S_MAX) {
    throw malformed(
      `X-Amz-Expires must be less than a week (in seconds); that is, the given X-Amz-Expires must be less than ${EXPIRES_S_MAX} seconds`,
    );
  }
  if (seconds < 1) throw malformed('X-Amz-Expires must be at least 1');
  return seconds;
}

/** Without a message of its own, the table's is used: it lists the required parameters. */
function malformed(message?: string, details?: ErrorDetails): S3Error {
  return new S3Error('AuthorizationQueryParametersError', message, details);
}
