import type { Metadata } from '../../../backend/backend.js';
import type { ClockState } from '../../../clock/reading.js';
import type { HeaderMap } from '../../../http/exchange.js';
import { retentionByDefault, type ObjectLockConfiguration } from './configuration.js';
import { decideRetention, requireAllowed } from './decision.js';
import { parseLockHeaders } from './headers.js';
import { bucketWithoutLocks } from './refusals.js';
import { lockMetadata } from './stored.js';

export interface NewVersion {
  readonly headers: HeaderMap;
  /** The bucket's configuration; undefined when its versions cannot be locked. */
  readonly configuration: ObjectLockConfiguration | undefined;
  /** Milliseconds since the epoch: when the version is created; of an upload, when it is begun. */
  readonly now: number;
  readonly clock: ClockState;
}

/**
 * The locks that a new version begins with, as its system metadata: what the request's headers say,
 * and the bucket's default retention where they say nothing of one. A copy begins with its own locks,
 * not with those of its source.
 *
 * @throws S3Error `InvalidArgument`; `InvalidRequest` for headers without a bucket's configuration;
 *   `AccessDenied` for COMPLIANCE while the clock is unhealthy, also by default
 */
export function locksOfNewVersion({ headers, configuration, now, clock }: NewVersion): Metadata {
  const { retention, legalHold } = parseLockHeaders(headers, now);
  if (configuration === undefined) {
    if (retention === undefined && legalHold === undefined) return {};
    throw bucketWithoutLocks();
  }
  const { defaultRetention } = configuration;
  const requested = retention ?? (defaultRetention && retentionByDefault(defaultRetention, now));
  requireAllowed(
    decideRetention({ existing: undefined, requested, bypass: 'not-requested', now, clock }),
  );
  return lockMetadata(requested, legalHold);
}
