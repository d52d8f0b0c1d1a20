import { invalidArgument } from '../query-parameters.js';
import {
  describeFilter,
  invalidRequest,
  isLater,
  requireMidnight,
  requirePositive,
  timeElement,
  timeText,
  validateNewerVersions,
} from './checks.js';
import type { LifecycleRule } from './configuration.js';
import { validateTransitions } from './validate-transitions.js';

/** @throws S3Error as {@link validateLifecycle} */
export function validateActions(rule: LifecycleRule, storageClasses: readonly string[]): void {
  requireAction(rule);
  validateExpiration(rule);
  validateNoncurrentExpiration(rule);
  validateAbort(rule);
  validateTransitions(rule, storageClasses);
  requireExpirationAfterTransitions(rule);
}

function requireAction(rule: LifecycleRule): void {
  const any =
    rule.expiration !== undefined ||
    rule.transitions.length > 0 ||
    rule.noncurrentVersionExpiration !== undefined ||
    rule.noncurrentVersionTransitions.length > 0 ||
    rule.abortDaysAfterInitiation !== undefined;
  if (!any) throw invalidRequest('At least one action needs to be specified in a rule');
}

function validateExpiration(rule: LifecycleRule): void {
  const { expiration } = rule;
  if (expiration === undefined) return;
  if ('expiredObjectDeleteMarker' in expiration) {
    // A delete marker has neither.
    refuseObjectPredicates(rule, 'ExpiredObjectDeleteMarker');
  } else if ('date' in expiration) {
    requireMidnight(expiration.date);
  } else {
    requirePositive('Days', 'Expiration', expiration.days);
  }
}

function validateNoncurrentExpiration(rule: LifecycleRule): void {
  const expiration = rule.noncurrentVersionExpiration;
  if (expiration === undefined) return;
  const action = 'NoncurrentVersionExpiration';
  requirePositive('NoncurrentDays', action, expiration.noncurrentDays);
  validateNewerVersions(rule, action, expiration.newerNoncurrentVersions);
}

function validateAbort(rule: LifecycleRule): void {
  const days = rule.abortDaysAfterInitiation;
  if (days === undefined) return;
  const action = 'AbortIncompleteMultipartUpload';
  requirePositive('DaysAfterInitiation', action, days);
  // An upload has no such predicates either.
  refuseObjectPredicates(rule, action);
}

function refuseObjectPredicates({ filter }: LifecycleRule, action: string): void {
  if (filter.tags.length > 0) throw invalidRequest(`${action} cannot be specified with Tags.`);
  if (filter.sizeGreaterThan !== undefined || filter.sizeLessThan !== undefined) {
    throw invalidRequest(`${action} cannot be specified with Object Size.`);
  }
}

/** Nothing is moved that the same rule has deleted by then. */
function requireExpirationAfterTransitions(rule: LifecycleRule): void {
  const { expiration, noncurrentVersionExpiration: noncurrent } = rule;
  const filter = describeFilter(rule);
  if (expiration !== undefined && !('expiredObjectDeleteMarker' in expiration)) {
    if (rule.transitions.some(({ when }) => !isLater(expiration, when))) {
      const unit = timeElement(expiration);
      const comparison = unit === 'Days' ? 'greater' : 'later';
      const message = `'${unit}' in the Expiration action for ${filter} must be ${comparison} than '${unit}' in the Transition action`;
      throw invalidArgument(unit, timeText(expiration), message);
    }
  }
  const days = noncurrent?.noncurrentDays;
  if (days === undefined) return;
  if (rule.noncurrentVersionTransitions.some(({ noncurrentDays }) => days <= noncurrentDays)) {
    const message = `'NoncurrentDays' in the NoncurrentVersionExpiration action for ${filter} must be greater than 'NoncurrentDays' in the NoncurrentVersionTransition action`;
    throw invalidArgument('NoncurrentDays', String(days), message);
  }
}
