import type { Metadata, MetadataPatch } from '../../../backend/backend.js';
import { S3Error } from '../../errors.js';
import { formatIsoDate } from '../dates.js';
import {
  isLegalHold,
  isRetentionMode,
  toWholeSeconds,
  type LegalHold,
  type Retention,
} from './retention.js';

/**
 * The locks of a version, in its system metadata, where no client can write (SPEC.md 2.1):
 *
 *     s3-object-lock-retention    GOVERNANCE;2030-01-01T00:00:00.000Z
 *     s3-object-lock-legal-hold   ON
 *
 * Unreadable locks fail closed (SPEC.md 3.2): nothing becomes deletable by damage.
 */

const RETENTION = 's3-object-lock-retention';
const LEGAL_HOLD = 's3-object-lock-legal-hold';

const STORED_RETENTION = /^([A-Z]+);(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z)$/;

/**
 * The retention of a version, whether it is expired or not.
 * @returns undefined when it has none
 * @throws S3Error `InternalError` for one that cannot be read
 */
export function storedRetention(systemMetadata: Metadata): Retention | undefined {
  const stored = systemMetadata[RETENTION];
  return stored === undefined ? undefined : decodeRetention(stored);
}

/**
 * The legal hold of a version.
 * @returns undefined when it never had one
 * @throws S3Error `InternalError` for what cannot be read
 */
export function storedLegalHold(systemMetadata: Metadata): LegalHold | undefined {
  const stored = systemMetadata[LEGAL_HOLD];
  if (stored === undefined || isLegalHold(stored)) return stored;
  throw damaged('legal hold', stored);
}

/** Sets the retention, or removes it when it is undefined. */
export function retentionPatch(retention: Retention | undefined): MetadataPatch {
  return { [RETENTION]: retention === undefined ? null : encodeRetention(retention) };
}

export function legalHoldPatch(legalHold: LegalHold): MetadataPatch {
  return { [LEGAL_HOLD]: legalHold };
}

/** The system metadata of a version that has these locks from the beginning. */
export function lockMetadata(
  retention: Retention | undefined,
  legalHold: LegalHold | undefined,
): Metadata {
  return {
    ...(retention === undefined ? {} : { [RETENTION]: encodeRetention(retention) }),
    ...(legalHold === undefined ? {} : { [LEGAL_HOLD]: legalHold }),
  };
}

function encodeRetention({ mode, retainUntil }: Retention): string {
  return `${mode};${formatIsoDate(retainUntil)}`;
}

function decodeRetention(stored: string): Retention {
  const [, mode = '', date = ''] = STORED_RETENTION.exec(stored) ?? [];
  const retainUntil = Date.parse(date);
  // Days that the month does not have roll over.
  if (!isRetentionMode(mode) || Number.isNaN(retainUntil)) throw damaged('retention', stored);
  if (new Date(retainUntil).toISOString() !== date) throw damaged('retention', stored);
  return { mode, retainUntil: toWholeSeconds(retainUntil) };
}

function damaged(what: string, stored: string): S3Error {
  const cause = new Error(`a stored ${what} cannot be read: ${stored.slice(0, 200)}`);
  return new S3Error('InternalError', undefined, {}, { cause });
}
