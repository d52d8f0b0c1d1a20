import { S3Error } from '../../errors.js';
import { invalidArgument } from '../query-parameters.js';
import { DEFAULT_STORAGE_CLASS } from '../storage-class.js';
import {
  describeFilter,
  invalidRequest,
  isLater,
  requireMidnight,
  requireNonnegative,
  timeElement,
  timeText,
  validateNewerVersions,
} from './checks.js';
import type { LifecycleRule, LifecycleTime, LifecycleTransition } from './configuration.js';

/** Days before which AWS moves nothing to these classes. */
const DAYS_MIN: ReadonlyMap<string, number> = new Map([
  ['STANDARD_IA', 30],
  ['ONEZONE_IA', 30],
]);

/**
 * Transitions of current versions, then of noncurrent ones.
 *
 * @param storageClasses - the configured ones, warmer ones first
 * @throws S3Error as {@link validateLifecycle}
 */
export function validateTransitions(rule: LifecycleRule, storageClasses: readonly string[]): void {
  for (const { when, storageClass } of rule.transitions) {
    validateStorageClass(storageClass, storageClasses);
    if ('date' in when) requireMidnight(when.date);
    else validateDays('Days', 'Transition', when.days, storageClass);
  }
  requireDistinctClasses(rule, 'Transition', rule.transitions);
  validateUniformTime(rule);
  requireLaterWhenColder(rule, 'Transition', rule.transitions, storageClasses);
  validateNoncurrentTransitions(rule, storageClasses);
}

function validateNoncurrentTransitions(
  rule: LifecycleRule,
  storageClasses: readonly string[],
): void {
  const action = 'NoncurrentVersionTransition';
  const transitions = rule.noncurrentVersionTransitions;
  for (const { noncurrentDays, newerNoncurrentVersions, storageClass } of transitions) {
    validateStorageClass(storageClass, storageClasses);
    validateDays('NoncurrentDays', action, noncurrentDays, storageClass);
    validateNewerVersions(rule, action, newerNoncurrentVersions);
  }
  requireDistinctClasses(rule, action, transitions);
  const timed = transitions.map(({ noncurrentDays, storageClass }) => {
    return { when: { days: noncurrentDays }, storageClass };
  });
  requireLaterWhenColder(rule, action, timed, storageClasses);
}

/** AWS's schema has no transition to STANDARD; others need a configured class. */
function validateStorageClass(storageClass: string, storageClasses: readonly string[]): void {
  if (storageClass === DEFAULT_STORAGE_CLASS) throw new S3Error('MalformedXML');
  if (storageClasses.includes(storageClass)) return;
  throw new S3Error('InvalidStorageClass', undefined, { StorageClassRequested: storageClass });
}

function validateDays(name: string, action: string, days: number, storageClass: string): void {
  requireNonnegative(name, action, days);
  const least = DAYS_MIN.get(storageClass);
  if (least === undefined || days >= least) return;
  throw invalidArgument(
    name,
    String(days),
    `'${name}' in ${action} action must be greater than or equal to ${least} for storageClass '${storageClass}'`,
  );
}

function requireDistinctClasses(
  rule: LifecycleRule,
  action: string,
  transitions: readonly { readonly storageClass: string }[],
): void {
  const classes = new Set(transitions.map(({ storageClass }) => storageClass));
  if (classes.size === transitions.length) return;
  throw invalidRequest(
    `'StorageClass' must be different for '${action}' actions in same 'Rule' with ${describeFilter(rule)}`,
  );
}

/** All times of a rule are days, or all are dates. */
function validateUniformTime(rule: LifecycleRule): void {
  const { expiration, transitions } = rule;
  const units = new Set(transitions.map(({ when }) => timeElement(when)));
  if (units.size > 1) throw mixed('Transition', rule);
  if (expiration === undefined || 'expiredObjectDeleteMarker' in expiration) return;
  if (units.size === 1 && !units.has(timeElement(expiration))) {
    throw mixed('Expiration and Transition', rule);
  }
}

function mixed(actions: string, rule: LifecycleRule): S3Error {
  return invalidRequest(
    `Found mixed 'Date' and 'Days' based ${actions} actions in lifecycle rule for ${describeFilter(rule)}`,
  );
}

/** Objects only get colder: a colder class comes later. */
function requireLaterWhenColder(
  rule: LifecycleRule,
  action: string,
  transitions: readonly LifecycleTransition[],
  storageClasses: readonly string[],
): void {
  const fromWarm = [...transitions].sort(
    (a, b) => storageClasses.indexOf(a.storageClass) - storageClasses.indexOf(b.storageClass),
  );
  fromWarm.forEach((warmer, index) => {
    const colder = fromWarm[index + 1];
    if (colder === undefined || isLater(colder.when, warmer.when)) return;
    throw tooEarly(rule, action, colder, warmer);
  });
}

function tooEarly(
  rule: LifecycleRule,
  action: string,
  colder: LifecycleTransition,
  warmer: LifecycleTransition,
): S3Error {
  const unit = elementOf(action, colder.when);
  const filter = describeFilter(rule);
  return invalidArgument(
    unit,
    timeText(colder.when),
    `'${unit}' in the '${action}' action for StorageClass '${colder.storageClass}' for ${filter} must be greater than '${unit}' in the '${action}' action for StorageClass '${warmer.storageClass}' for ${filter}`,
  );
}

function elementOf(action: string, when: LifecycleTime): string {
  return action === 'Transition' ? timeElement(when) : 'NoncurrentDays';
}
