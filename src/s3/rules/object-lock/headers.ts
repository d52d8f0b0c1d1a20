import type { Metadata } from '../../../backend/backend.js';
import type { HeaderList, HeaderMap } from '../../../http/exchange.js';
import { S3Error } from '../../errors.js';
import { formatIsoDate } from '../dates.js';
import { parseDateTime } from '../iso-date.js';
import { invalidArgument } from '../query-parameters.js';
import {
  isLegalHold,
  isRetentionMode,
  retainUntil,
  type LegalHold,
  type Retention,
} from './retention.js';
import { storedLegalHold, storedRetention } from './stored.js';

/** Object Lock in headers of requests and answers. */

const MODE = 'x-amz-object-lock-mode';
const RETAIN_UNTIL = 'x-amz-object-lock-retain-until-date';
const LEGAL_HOLD = 'x-amz-object-lock-legal-hold';
const BYPASS = 'x-amz-bypass-governance-retention';
const LOCK_ENABLED = 'x-amz-bucket-object-lock-enabled';

/** The locks that a PUT, a copy or a multipart upload asks for. */
export interface RequestedLocks {
  readonly retention: Retention | undefined;
  readonly legalHold: LegalHold | undefined;
}

/**
 * @param now - milliseconds since the epoch
 * @throws S3Error `InvalidArgument`, whether the bucket has locks or not, as AWS
 */
export function parseLockHeaders(headers: HeaderMap, now: number): RequestedLocks {
  return { retention: parseRetention(headers, now), legalHold: parseLegalHold(headers) };
}

/** Whether the request wants to get past GOVERNANCE. @throws S3Error `InvalidArgument` */
export function parseBypassHeader(headers: HeaderMap): boolean {
  return parseBoolean(headers, BYPASS);
}

/** Whether the bucket to create is to have locks. @throws S3Error `InvalidArgument` */
export function parseLockEnabledHeader(headers: HeaderMap): boolean {
  return parseBoolean(headers, LOCK_ENABLED);
}

/**
 * The locks of a version, for GetObject and HeadObject. Unreadable locks are left out here and fail
 * closed everywhere else: reading destroys nothing, and may save the data.
 */
export function lockHeaders(systemMetadata: Metadata): HeaderList {
  const headers: [string, string][] = [];
  const retention = unlessDamaged(() => storedRetention(systemMetadata));
  if (retention !== undefined) {
    headers.push([MODE, retention.mode], [RETAIN_UNTIL, formatIsoDate(retention.retainUntil)]);
  }
  const legalHold = unlessDamaged(() => storedLegalHold(systemMetadata));
  if (legalHold !== undefined) headers.push([LEGAL_HOLD, legalHold]);
  return headers;
}

function parseRetention(headers: HeaderMap, now: number): Retention | undefined {
  const mode = headers.get(MODE);
  const date = headers.get(RETAIN_UNTIL);
  if (mode === undefined && date === undefined) return undefined;
  if (mode === undefined || date === undefined) {
    const message = `${RETAIN_UNTIL} and ${MODE} must both be supplied`;
    const missing = mode === undefined ? MODE : RETAIN_UNTIL;
    throw new S3Error('InvalidArgument', message, { ArgumentName: missing });
  }
  if (!isRetentionMode(mode)) throw invalidArgument(MODE, mode, 'Unknown wormMode directive.');
  return { mode, retainUntil: parseRetainUntil(date, now) };
}

function parseRetainUntil(value: string, now: number): number {
  const date = parseDateTime(value);
  if (date !== undefined) return retainUntil(date, now, { name: RETAIN_UNTIL, value });
  const message = 'The retain until date must be provided in ISO 8601 format';
  throw invalidArgument(RETAIN_UNTIL, value, message);
}

function parseLegalHold(headers: HeaderMap): LegalHold | undefined {
  const value = headers.get(LEGAL_HOLD);
  if (value === undefined || isLegalHold(value)) return value;
  throw invalidArgument(LEGAL_HOLD, value, "Legal Hold must be either of 'ON' or 'OFF'");
}

/** Python clients write `True`. */
function parseBoolean(headers: HeaderMap, name: string): boolean {
  const value = headers.get(name);
  const text = value?.toLowerCase() ?? 'false';
  if (text === 'true' || text === 'false') return text === 'true';
  throw invalidArgument(name, value ?? '', `${name} must be true or false`);
}

function unlessDamaged<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof S3Error) return undefined;
    throw error;
  }
}
