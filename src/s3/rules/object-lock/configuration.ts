import { invalidArgument } from '../query-parameters.js';
import {
  addYears,
  RETENTION_YEARS_MAX,
  toWholeSeconds,
  type Retention,
  type RetentionMode,
} from './retention.js';

/** How long versions are retained that do not say it themselves; a year is one of the calendar. */
export type RetentionPeriod = { readonly days: number } | { readonly years: number };

export interface DefaultRetention {
  readonly mode: RetentionMode;
  readonly period: RetentionPeriod;
}

/**
 * The configuration of a bucket whose versions can be locked; other buckets have no such document.
 */
export interface ObjectLockConfiguration {
  readonly defaultRetention?: DefaultRetention | undefined;
}

/** The limits of the elements of a period: AWS's, 100 years either way. */
const MOST: Readonly<Record<'Days' | 'Years', number>> = {
  Days: 365 * RETENTION_YEARS_MAX,
  Years: RETENTION_YEARS_MAX,
};

const MS_PER_DAY = 86_400_000;

/** @throws S3Error `InvalidArgument` unless it is positive and at most 100 years */
export function checkRetentionPeriod(period: RetentionPeriod): void {
  const [name, value] =
    'days' in period ? (['Days', period.days] as const) : (['Years', period.years] as const);
  if (value <= 0) {
    const message = 'Default retention period must be a positive integer value.';
    throw invalidArgument(name, String(value), message);
  }
  if (value > MOST[name]) {
    throw invalidArgument(name, String(value), 'Default retention period too large.');
  }
}

/** The retention of a version that was created then: milliseconds since the epoch. */
export function retentionByDefault(
  { mode, period }: DefaultRetention,
  createdAt: number,
): Retention {
  const until =
    'days' in period ? createdAt + period.days * MS_PER_DAY : addYears(createdAt, period.years);
  return { mode, retainUntil: toWholeSeconds(until) };
}
