import type { QueryParameter } from '../../lib/uri.js';
import { S3Error } from '../s3-error.js';
import { requireNotExpired } from './freshness.js';
import type { SignatureClaimV2 } from './signature-claim-v2.js';

/** A request whose signature of version 2 is in its query: `AWSAccessKeyId`, `Expires`, `Signature`. */

const ACCESS_KEY = 'AWSAccessKeyId';
const EXPIRES = 'Expires';
const SIGNATURE = 'Signature';

/** Seconds since the epoch up to the year 9999: what an ISO date can show. */
const EXPIRES_S_MAX = 253_402_300_799;
const DECIMAL = /^[0-9]{1,12}$/;

/** Either of these makes a request presigned: a stripped one must not pass for an anonymous one. */
export function isPresignedV2(query: readonly QueryParameter[]): boolean {
  return query.some(({ name }) => name === ACCESS_KEY || name === SIGNATURE);
}

/** @throws S3Error AccessDenied with AWS's texts: incomplete, no number of seconds, expired */
export function readPresignedQueryV2(
  query: readonly QueryParameter[],
  now: number,
): SignatureClaimV2 {
  const accessKey = theOnly(query, ACCESS_KEY);
  const signature = theOnly(query, SIGNATURE);
  const date = theOnly(query, EXPIRES);
  const expiresS = DECIMAL.test(date) ? Number(date) : NaN;
  if (!(expiresS <= EXPIRES_S_MAX)) {
    throw new S3Error('AccessDenied', `Invalid date (should be seconds since epoch): ${date}`);
  }
  requireNotExpired(expiresS * 1000, now);
  return { accessKey, signature, date, presigned: true };
}

/** Exactly once: what a request says twice, two readers may read differently. */
function theOnly(query: readonly QueryParameter[], wanted: string): string {
  let found: string | undefined;
  for (const { name, value } of query) {
    if (name !== wanted) continue;
    if (found !== undefined) throw incomplete();
    found = value ?? '';
  }
  if (found === undefined || found === '') throw incomplete();
  return found;
}

function incomplete(): S3Error {
  return new S3Error(
    'AccessDenied',
    'Query-string authentication requires the Signature, Expires and AWSAccessKeyId parameters',
  );
}
