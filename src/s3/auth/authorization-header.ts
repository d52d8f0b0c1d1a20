import type { HeaderMap } from '../../http/exchange.js';
import { S3Error } from '../s3-error.js';
import { formatAmzDate, parseAmzDate, parseRequestDate } from './amz-date.js';
import { malformed, type AuthorizationReader } from './authorization-components.js';
import { dateProblem } from './credential-scope.js';
import { requireSmallSkew } from './freshness.js';
import { parsePayloadMode } from './payload-mode.js';
import type { SignatureClaim } from './signature-claim.js';

/**
 * What a header says of its request, with the date that goes with it.
 * @throws S3Error AuthorizationHeaderMalformed, AccessDenied (no usable date),
 *   RequestTimeTooSkewed, InvalidRequest (no `x-amz-content-sha256`), and what it says is refused
 */
export function readAuthorizationHeader(
  authorization: string,
  headers: HeaderMap,
  reader: AuthorizationReader,
  now: number,
): SignatureClaim {
  const { signer, signature } = reader.read(authorization);
  const { scope, signedHeaders, signedNames } = signer;
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
    signedHeaders,
    signedNames,
    signature,
    payloadHash,
    payloadMode: parsePayloadMode(payloadHash),
    presigned: false,
    securityToken: headers.get('x-amz-security-token'),
  };
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
    const requestTime = text === undefined ? undefined : parseRequestDate(text);
    if (text !== undefined && requestTime !== undefined) {
      return { amzDate: formatAmzDate(requestTime), requestTime, text };
    }
  }
  throw new S3Error(
    'AccessDenied',
    'AWS authentication requires a valid Date or x-amz-date header',
  );
}
