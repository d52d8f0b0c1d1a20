import type { LifecycleObject } from './actions.js';
import type { LifecycleConfiguration, LifecycleFilter } from './configuration.js';

/** The facts that filters look at. */
export type Filtered = Pick<LifecycleObject, 'key' | 'size' | 'tags'>;

/** Whether the object meets all predicates. */
export function meets(filter: LifecycleFilter, object: Filtered): boolean {
  return (
    meetsPrefixAndSize(filter, object) &&
    filter.tags.every(({ key, value }) => object.tags.get(key) === value)
  );
}

/**
 * Whether the object's tags decide about any rule, so that they have to be known: listings do not
 * have them.
 */
export function tagsMatter(
  { rules }: LifecycleConfiguration,
  object: Omit<Filtered, 'tags'>,
): boolean {
  return rules.some(
    ({ enabled, filter }) =>
      enabled && filter.tags.length > 0 && meetsPrefixAndSize(filter, object),
  );
}

function meetsPrefixAndSize(filter: LifecycleFilter, object: Omit<Filtered, 'tags'>): boolean {
  const { prefix, sizeGreaterThan, sizeLessThan } = filter;
  if (prefix !== undefined && !object.key.startsWith(prefix)) return false;
  if (sizeGreaterThan !== undefined && object.size <= sizeGreaterThan) return false;
  return sizeLessThan === undefined || object.size < sizeLessThan;
}
