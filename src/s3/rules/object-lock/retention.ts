import type { S3Error } from '../../errors.js';
import { invalidArgument } from '../query-parameters.js';

/** https://docs.aws.amazon.com/AmazonS3/latest/userguide/object-lock.html */

const MODES = ['GOVERNANCE', 'COMPLIANCE'] as const;

/** `GOVERNANCE` can be bypassed with a right; `COMPLIANCE` cannot. */
export type RetentionMode = (typeof MODES)[number];

/** Keeps a version from being deleted until a date. */
export interface Retention {
  readonly mode: RetentionMode;
  /**
   * Milliseconds since the epoch, whole seconds: SPEC.md 2.4 shows no others, and a client that
   * sends back the date that it was shown must not be shortening by that.
   */
  readonly retainUntil: number;
}

/** Keeps a version from being deleted until it is lifted, whatever the version's retention. */
export type LegalHold = 'ON' | 'OFF';

/** SPEC.md 2.3. */
export const RETENTION_YEARS_MAX = 100;

const MS_PER_SECOND = 1000;

export function isRetentionMode(text: string): text is RetentionMode {
  return (MODES as readonly string[]).includes(text);
}

export function isLegalHold(text: string): text is LegalHold {
  return text === 'ON' || text === 'OFF';
}

/** The date itself is the first moment without protection. `now`: milliseconds since the epoch. */
export function isExpired({ retainUntil }: Retention, now: number): boolean {
  return retainUntil <= now;
}

/** Up, so that nothing is retained for less time than was asked for. */
export function toWholeSeconds(ms: number): number {
  return Math.ceil(ms / MS_PER_SECOND) * MS_PER_SECOND;
}

/** Calendar years: the same day of the year, or 1 March where that is a 29 February. */
export function addYears(ms: number, years: number): number {
  const date = new Date(ms);
  return date.setUTCFullYear(date.getUTCFullYear() + years);
}

/**
 * A date that a client asks for, as it is kept.
 *
 * @param requested - milliseconds since the epoch
 * @param now - the same
 * @param argument - where the date stands in the request, and how
 * @throws S3Error `InvalidArgument` unless it is in the future, by at most 100 years
 */
export function retainUntil(
  requested: number,
  now: number,
  argument: { readonly name: string; readonly value: string },
): number {
  const refused = (message: string): S3Error =>
    invalidArgument(argument.name, argument.value, message);
  if (requested <= now) throw refused('The retain until date must be in the future!');
  if (requested > addYears(now, RETENTION_YEARS_MAX)) {
    throw refused(
      `The retain until date must be at most ${RETENTION_YEARS_MAX} years in the future`,
    );
  }
  return toWholeSeconds(requested);
}
