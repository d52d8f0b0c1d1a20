import type {
  LifecycleAction,
  LifecycleObject,
} from '../../../../src/s3/rules/lifecycle/actions.js';
import type {
  LifecycleConfiguration,
  LifecycleFilter,
  LifecycleRule,
} from '../../../../src/s3/rules/lifecycle/configuration.js';

/** A rule for all objects, without actions, unless said otherwise. */
export function rule(
  parts: Omit<Partial<LifecycleRule>, 'filter'> & { readonly filter?: Partial<LifecycleFilter> },
): LifecycleRule {
  return {
    id: 'rule',
    enabled: true,
    transitions: [],
    noncurrentVersionTransitions: [],
    ...parts,
    filter: { form: 'filter', tags: [], and: false, ...parts.filter },
  };
}

/** Rules with the ids `0`, `1`, … unless they have ones. */
export function rules(...parts: readonly Parameters<typeof rule>[0][]): LifecycleConfiguration {
  return { rules: parts.map((part, index) => rule({ id: String(index), ...part })) };
}

export type Parts = Parameters<typeof rule>[0];

export const DAY = 86_400_000;
/** AWS's example: "created at 1/15/2014 10:30 AM UTC". */
export const CREATED = Date.UTC(2014, 0, 15, 10, 30);
export const CLASSES = ['STANDARD', 'STANDARD_IA', 'GLACIER', 'DEEP_ARCHIVE'];

export const OBJECT: LifecycleObject = {
  key: 'logs/a.txt',
  size: 100,
  lastModified: CREATED,
  tags: new Map([
    ['k', 'v'],
    ['l', ''],
  ]),
  storageClass: 'STANDARD',
};

/** A midnight of January 2014. */
export function january(day: number): number {
  return Date.UTC(2014, 0, day);
}

export function inDays(days: number): { days: number } {
  return { days };
}

export function shown(action: LifecycleAction | undefined): string {
  if (action === undefined) return 'nothing';
  const what = action.action === 'transition' ? `to ${action.storageClass}` : 'expire';
  return `${what} by ${action.ruleId}`;
}
