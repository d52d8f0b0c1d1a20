import type { ListedObject } from '../backend/backend.js';
import type { LifecycleConfiguration, LifecycleRule } from '../s3/rules/lifecycle/configuration.js';
import { listedVersions } from '../s3/versions/listing/index-summary.js';

/**
 * How far the rules of a lifecycle configuration reach: a pass does not look at what no rule can want.
 */

/**
 * Prefixes below which any rule may want an object, in byte order, none within another: all else
 * need not be listed. Empty when the rules are not about objects.
 */
export function objectPrefixes({ rules }: LifecycleConfiguration): string[] {
  const prefixes = rules.filter(concernsObjects).map(({ filter }) => filter.prefix ?? '');
  prefixes.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  const outermost: string[] = [];
  for (const prefix of prefixes) {
    const former = outermost.at(-1);
    // Longer prefixes that begin with a prefix follow right behind it.
    if (former === undefined || !prefix.startsWith(former)) outermost.push(prefix);
  }
  return outermost;
}

/** The same rules for objects with any tags: they want whatever the given ones may want, and more. */
export function withoutTags({ rules }: LifecycleConfiguration): LifecycleConfiguration {
  return { rules: rules.map((rule) => ({ ...rule, filter: { ...rule.filter, tags: [] } })) };
}

function concernsObjects({ enabled, expiration, transitions }: LifecycleRule): boolean {
  const expires = expiration !== undefined && !('expiredObjectDeleteMarker' in expiration);
  return enabled && (expires || transitions.length > 0);
}

/**
 * Whether any rule may want a noncurrent version of a key, of which only the listing entry of its
 * index is known.
 */
export function wantsNoncurrent(
  { rules }: LifecycleConfiguration,
  key: string,
  index: ListedObject | undefined,
): boolean {
  // The current one is not noncurrent, and what comes first of the others has none that is newer.
  const newer = index === undefined ? Infinity : (listedVersions(index) ?? Infinity) - 2;
  return rules.some(({ enabled, filter, ...rule }) => {
    if (!enabled || !key.startsWith(filter.prefix ?? '')) return false;
    const { noncurrentVersionExpiration: expiration, noncurrentVersionTransitions } = rule;
    const actions = [...(expiration ? [expiration] : []), ...noncurrentVersionTransitions];
    return actions.some(({ newerNoncurrentVersions: kept = 0 }) => newer >= kept);
  });
}
