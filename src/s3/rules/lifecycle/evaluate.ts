import type {
  DeleteMarker,
  LifecycleAction,
  LifecycleObject,
  LifecycleUpload,
  NoncurrentObject,
  Scheduled,
} from './actions.js';
import type { LifecycleConfiguration, LifecycleRule } from './configuration.js';
import { meets, type Filtered } from './filter.js';
import { daysAfter, timeAfter } from './schedule.js';

/**
 * The actions that a configuration asks for. If rules disagree, deletion wins over a move, an
 * earlier time over a later one, a colder class over a warmer one, and the first rule among equals.
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/lifecycle-conflicts.html
 */

const NO_TAGS: ReadonlyMap<string, string> = new Map();

/** When the current version of an object expires; undefined when no rule says so. */
export function expirationOf(
  configuration: LifecycleConfiguration,
  object: LifecycleObject,
): Scheduled | undefined {
  return earliest(
    rulesFor(configuration, object).flatMap(({ id, expiration }) =>
      expiration === undefined || 'expiredObjectDeleteMarker' in expiration
        ? []
        : { ruleId: id, at: timeAfter(object.lastModified, expiration) },
    ),
  );
}

/**
 * The action that is due now for the current version of an object.
 *
 * @param now - milliseconds since the epoch
 * @param storageClasses - the configured ones, warmer ones first
 */
export function dueAction(
  configuration: LifecycleConfiguration,
  object: LifecycleObject,
  now: number,
  storageClasses: readonly string[],
): LifecycleAction | undefined {
  const expiration = expirationOf(configuration, object);
  if (isDue(expiration, now)) return { action: 'expire', ...expiration };
  const transitions = rulesFor(configuration, object).flatMap(({ id, transitions }) =>
    transitions.map(({ when, storageClass }) => {
      return { ruleId: id, at: timeAfter(object.lastModified, when), storageClass };
    }),
  );
  return coldestDue(transitions, object.storageClass, now, storageClasses);
}

/**
 * The same for a noncurrent version. A version stays while fewer than `NewerNoncurrentVersions`
 * noncurrent ones are newer.
 */
export function dueNoncurrentAction(
  configuration: LifecycleConfiguration,
  version: NoncurrentObject,
  now: number,
  storageClasses: readonly string[],
): LifecycleAction | undefined {
  const rules = rulesFor(configuration, version);
  const scheduled = (
    { id }: LifecycleRule,
    action: { noncurrentDays: number; newerNoncurrentVersions?: number | undefined } | undefined,
  ): Scheduled[] =>
    action === undefined || version.newerNoncurrentVersions < (action.newerNoncurrentVersions ?? 0)
      ? []
      : [{ ruleId: id, at: daysAfter(version.noncurrentSince, action.noncurrentDays) }];
  const expiration = earliest(
    rules.flatMap((rule) => scheduled(rule, rule.noncurrentVersionExpiration)),
  );
  if (isDue(expiration, now)) return { action: 'expire', ...expiration };
  const transitions = rules.flatMap((rule) =>
    rule.noncurrentVersionTransitions.flatMap((transition) =>
      scheduled(rule, transition).map((due) => {
        return { ...due, storageClass: transition.storageClass };
      }),
    ),
  );
  return coldestDue(transitions, version.storageClass, now, storageClasses);
}

/**
 * When a current delete marker goes: only once nothing is behind it. `ExpiredObjectDeleteMarker`
 * takes it at once, an expiration by its age. A marker has size 0 and no tags.
 */
export function deleteMarkerExpirationOf(
  configuration: LifecycleConfiguration,
  marker: DeleteMarker,
): Scheduled | undefined {
  if (marker.noncurrentVersions > 0) return undefined;
  const filtered = { key: marker.key, size: 0, tags: NO_TAGS };
  return earliest(
    rulesFor(configuration, filtered).flatMap(({ id, expiration }) => {
      if (expiration === undefined) return [];
      if (!('expiredObjectDeleteMarker' in expiration)) {
        return { ruleId: id, at: timeAfter(marker.lastModified, expiration) };
      }
      return expiration.expiredObjectDeleteMarker ? { ruleId: id, at: marker.lastModified } : [];
    }),
  );
}

/** When an incomplete upload is aborted; undefined when no rule says so. */
export function abortOf(
  configuration: LifecycleConfiguration,
  upload: LifecycleUpload,
): Scheduled | undefined {
  const filtered = { key: upload.key, size: 0, tags: NO_TAGS };
  return earliest(
    rulesFor(configuration, filtered).flatMap(({ id, abortDaysAfterInitiation: days }) =>
      days === undefined ? [] : { ruleId: id, at: daysAfter(upload.initiatedAt, days) },
    ),
  );
}

/** Whether the time has come. @param now - milliseconds since the epoch */
export function isDue(scheduled: Scheduled | undefined, now: number): scheduled is Scheduled {
  return scheduled !== undefined && scheduled.at <= now;
}

function rulesFor({ rules }: LifecycleConfiguration, object: Filtered): LifecycleRule[] {
  return rules.filter(({ enabled, filter }) => enabled && meets(filter, object));
}

function earliest(scheduled: readonly Scheduled[]): Scheduled | undefined {
  let first: Scheduled | undefined;
  for (const candidate of scheduled) {
    if (first === undefined || candidate.at < first.at) first = candidate;
  }
  return first;
}

/** Nothing is moved to a warmer class, nor to one that is not configured any more. */
function coldestDue(
  transitions: readonly (Scheduled & { readonly storageClass: string })[],
  current: string,
  now: number,
  storageClasses: readonly string[],
): LifecycleAction | undefined {
  let coldest: (Scheduled & { readonly storageClass: string }) | undefined;
  let coldness = storageClasses.indexOf(current);
  for (const transition of transitions) {
    const candidate = storageClasses.indexOf(transition.storageClass);
    if (transition.at > now || candidate < coldness) continue;
    // Among equal classes, the one that was due first wins; the current class itself is no move.
    if (candidate === coldness && !(coldest !== undefined && transition.at < coldest.at)) continue;
    coldest = transition;
    coldness = candidate;
  }
  return coldest === undefined ? undefined : { action: 'transition', ...coldest };
}
