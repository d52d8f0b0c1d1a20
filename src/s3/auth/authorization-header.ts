import type { HeaderMap } from '../../http/exchange.js';
import { S3Error } from '../s3-error.js';
import { formatAmzDate, parseAmzDate } from './amz-date.js';
import {
  dateProblem,
  parseCredential,
  type CredentialProblem,
  type CredentialScope,
} from './credential-scope.js';
import { requireSmallSkew } from './freshness.js';
import { parsePayloadMode } from './payload-mode.js';
import { ALGORITHM, type SignatureClaim } from './signature-claim.js';

/**
 * `Authorization: AWS4-HMAC-SHA256 Credential=…, SignedHeaders=…, Signature=…`
 *
 * The three components may come in any order, with or without space behind the commas (clients do
 * both).
 */

const COMPONENTS = ['Credential', 'SignedHeaders', 'Signature'] as const;
type Component = (typeof COMPONENTS)[number];

/**
 * @throws S3Error AuthorizationHeaderMalformed, AccessDenied (no usable date),
 *   RequestTimeTooSkewed, InvalidRequest (no `x-amz-content-sha256`), and what it says is refused
 */
export function readAuthorizationHeader(
  authorization: string,
  headers: HeaderMap,
  region: string,
  now: number,
): SignatureClaim {
  const components = splitComponents(authorization);
  const scope = usable(parseCredential(components.Credential, region));
  const { amzDate, requestTime, text } = requestDate(headers);
  const mismatch = dateProblem(scope, amzDate);
  if (mismatch !== undefined) throw malformed(mismatch.problem);
  requireSmallSkew(requestTime, text, now);
  const payloadHash = headers.get('x-amz-content-sha256');
  if (payloadHash === undefined) {
    throw new S3Error(
      'InvalidRequest',
      'Missing required header for this request: x-amz-content-sha256',
    );
  }
  return {
    scope,
    amzDate,
    signedHeaders: components.SignedHeaders,
    signature: components.Signature,
    payloadHash,
    payloadMode: parsePayloadMode(payloadHash),
    presigned: false,
    securityToken: headers.get('x-amz-security-token'),
  };
}

function splitComponents(authorization: string): Readonly<Record<Component, string>> {
  const found: Partial<Record<Component, string>> = {};
  let start = ALGORITHM.length;
  while (start < authorization.length) {
    let end = authorization.indexOf(',', start);
    if (end === -1) end = authorization.length;
    const component = authorization.slice(start, end).trim();
    const equals = component.indexOf('=');
    const name = COMPONENTS.find((known) => component.startsWith(known) && known.length === equals);
    if (name === undefined || found[name] !== undefined || equals === component.length - 1) {
      throw malformed(`the authorization component "${component}" is malformed.`);
    }
    found[name] = component.slice(equals + 1);
    start = end + 1;
  }
  const { Credential, SignedHeaders, Signature } = found;
  if (Credential === undefined) throw missing('Credential');
  if (SignedHeaders === undefined) throw missing('SignedHeaders');
  if (Signature === undefined) throw missing('Signature');
  return { Credential, SignedHeaders, Signature };
}

/** `x-amz-date` wins over `Date`, which browsers and proxies may set. */
function requestDate(headers: HeaderMap): {
  amzDate: string;
  requestTime: number;
  text: string;
} {
  const amzDate = headers.get('x-amz-date');
  if (amzDate !== undefined) {
    const requestTime = parseAmzDate(amzDate);
    if (requestTime !== undefined) return { amzDate, requestTime, text: amzDate };
  } else {
    const text = headers.get('date');
    const requestTime = text === undefined ? undefined : parseDateHeader(text);
    if (text !== undefined && requestTime !== undefined) {
      return { amzDate: formatAmzDate(requestTime), requestTime, text };
    }
  }
  throw new S3Error(
    'AccessDenied',
    'AWS authentication requires a valid Date or x-amz-date header',
  );
}

/** An HTTP date, which ends with `GMT` (RFC 9110 section 5.6.7), or SigV4's own form. */
function parseDateHeader(text: string): number | undefined {
  if (!text.endsWith('GMT')) return parseAmzDate(text);
  const time = Date.parse(text);
  // Years of more or fewer than four digits cannot be written as SigV4 writes dates.
  return time >= 0 && time < Date.UTC(10_000, 0) ? time : undefined;
}

function usable(parsed: CredentialScope | CredentialProblem): CredentialScope {
  if ('problem' in parsed) throw malformed(parsed.problem, parsed);
  return parsed;
}

function missing(component: Component): S3Error {
  return malformed(`missing ${component}.`);
}

function malformed(
  problem: string,
  { details }: Pick<CredentialProblem, 'details'> = { details: {} },
): S3Error {
  return new S3Error(
    'AuthorizationHeaderMalformed',
    `The authorization header is malformed; ${problem}`,
    details,
  );
}
