import type { HeaderMap } from '../../http/exchange.js';
import type { QueryParameter } from '../../lib/uri.js';
import { S3Error, type ErrorDetails } from '../s3-error.js';
import { parseAmzDate } from './amz-date.js';
import { dateProblem, parseCredential } from './credential-scope.js';
import { requireValidNow } from './freshness.js';
import { literalPayloadMode, UNSIGNED_PAYLOAD } from './payload-mode.js';
import { ALGORITHM, SIGNATURE_PARAMETER, type SignatureClaim } from './signature-claim.js';

/** A request whose signature is in its query: a presigned URL. */

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

/** Without a message: the table's, which lists the required parameters. */
function malformed(message?: string, details?: ErrorDetails): S3Error {
  return new S3Error('AuthorizationQueryParametersError', message, details);
}
