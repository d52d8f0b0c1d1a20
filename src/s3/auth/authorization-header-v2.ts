import type { HeaderMap } from '../../http/exchange.js';
import { S3Error } from '../s3-error.js';
import { parseRequestDate } from './amz-date.js';
import { requireSmallSkew } from './freshness.js';
import type { SignatureClaimV2 } from './signature-claim-v2.js';

/**
 * `Authorization: AWS AccessKey:Signature`, "Signing and authenticating REST requests (signature
 * version 2)" in AWS's documentation.
 */

const SCHEME = 'AWS ';

/** @throws S3Error InvalidArgument, AccessDenied (no usable date), RequestTimeTooSkewed */
export function readAuthorizationHeaderV2(
  authorization: string,
  headers: HeaderMap,
  now: number,
): SignatureClaimV2 {
  const credential = authorization.slice(SCHEME.length).trim();
  // The last one, since access keys of Swift have colons and base64 has none.
  const colon = credential.lastIndexOf(':');
  if (colon <= 0 || colon === credential.length - 1) {
    throw new S3Error(
      'InvalidArgument',
      'AWS authorization header is invalid.  Expected AwsAccessKeyId:signature',
      { ArgumentName: 'Authorization' },
    );
  }
  const amzDate = headers.get('x-amz-date');
  const text = amzDate ?? headers.get('date') ?? '';
  const requestTime = parseRequestDate(text);
  if (requestTime === undefined) {
    throw new S3Error(
      'AccessDenied',
      'AWS authentication requires a valid Date or x-amz-date header',
    );
  }
  requireSmallSkew(requestTime, text, now);
  return {
    accessKey: credential.slice(0, colon),
    signature: credential.slice(colon + 1),
    // x-amz-date stands among the x-amz-* headers, and the line of the date stays empty.
    date: amzDate === undefined ? text : '',
    presigned: false,
  };
}
