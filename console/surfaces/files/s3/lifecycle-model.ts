import { z } from 'zod';
import type { LifecycleConfiguration, LifecycleRule, LifecycleTime } from './gateway-rules.js';

/** Lifecycle rules as the page edits them; all that S3 knows of a rule has a place here. */

/** AWS takes 32 bits. */
const count = (least: number) => z.int().min(least).max(2_147_483_647);
const bytes = z.int().min(0).max(1_099_511_627_776_000);
/** Days after creation, or a day of UTC. */
const time = z.union([z.strictObject({ days: count(0) }), z.strictObject({ date: z.iso.date() })]);
const storageClass = z.string().regex(/^[A-Z][A-Z0-9_]{0,63}$/, { error: 'a storage class' });
const newer = count(1).nullable();

const lifecycleRule = z.strictObject({
  /** Empty: one is made up. */
  id: z.string().max(255),
  enabled: z.boolean(),
  prefix: z.string().max(1024),
  tags: z
    .array(z.strictObject({ key: z.string().min(1).max(128), value: z.string().max(256) }))
    .max(10),
  size_greater_than: bytes.nullable(),
  size_less_than: bytes.nullable(),
  expire: z.union([time, z.strictObject({ delete_markers: z.boolean() })]).nullable(),
  transitions: z.array(z.strictObject({ when: time, storage_class: storageClass })).max(10),
  noncurrent_expire: z.strictObject({ days: count(1), newer }).nullable(),
  noncurrent_transitions: z
    .array(z.strictObject({ days: count(0), newer, storage_class: storageClass }))
    .max(10),
  abort_days: count(1).nullable(),
});

export const lifecycleRules = z.array(lifecycleRule).max(100);

export type LifecycleRuleView = z.infer<typeof lifecycleRule>;

export function rulesOf({ rules }: LifecycleConfiguration): LifecycleRuleView[] {
  return rules.map((rule) => ({
    id: rule.id,
    enabled: rule.enabled,
    prefix: rule.filter.prefix ?? '',
    tags: rule.filter.tags.map(({ key, value }) => ({ key, value })),
    size_greater_than: rule.filter.sizeGreaterThan ?? null,
    size_less_than: rule.filter.sizeLessThan ?? null,
    expire: expireOf(rule),
    transitions: rule.transitions.map(({ when, storageClass: name }) => ({
      when: viewOf(when),
      storage_class: name,
    })),
    noncurrent_expire:
      rule.noncurrentVersionExpiration === undefined
        ? null
        : agesOf(rule.noncurrentVersionExpiration),
    noncurrent_transitions: rule.noncurrentVersionTransitions.map((one) => ({
      ...agesOf(one),
      storage_class: one.storageClass,
    })),
    abort_days: rule.abortDaysAfterInitiation ?? null,
  }));
}

/** When noncurrent versions are old enough. */
type Ages = NonNullable<LifecycleRule['noncurrentVersionExpiration']>;

function agesOf({ noncurrentDays: days, newerNoncurrentVersions: newer }: Ages) {
  return { days, newer: newer ?? null };
}

function expireOf({ expiration }: LifecycleRule): LifecycleRuleView['expire'] {
  if (expiration === undefined) return null;
  return 'expiredObjectDeleteMarker' in expiration
    ? { delete_markers: expiration.expiredObjectDeleteMarker }
    : viewOf(expiration);
}

function viewOf(when: LifecycleTime): { days: number } | { date: string } {
  return 'days' in when
    ? { days: when.days }
    : { date: new Date(when.date).toISOString().slice(0, 10) };
}

/** The configuration with these rules. What was written as version 1 becomes version 2: it means the same. */
export function configurationOf(rules: readonly LifecycleRuleView[]): LifecycleConfiguration {
  return { rules: rules.map(ruleOf) };
}

function ruleOf(view: LifecycleRuleView): LifecycleRule {
  const { prefix, tags, expire, noncurrent_expire: noncurrent } = view;
  const sizes = [view.size_greater_than, view.size_less_than].filter((size) => size !== null);
  const predicates = (prefix === '' ? 0 : 1) + tags.length + sizes.length;
  return {
    id: view.id,
    enabled: view.enabled,
    filter: {
      form: 'filter',
      prefix: prefix === '' ? undefined : prefix,
      tags,
      sizeGreaterThan: view.size_greater_than ?? undefined,
      sizeLessThan: view.size_less_than ?? undefined,
      and: predicates > 1,
    },
    expiration:
      expire === null
        ? undefined
        : 'delete_markers' in expire
          ? { expiredObjectDeleteMarker: expire.delete_markers }
          : timeOf(expire),
    transitions: view.transitions.map(({ when, storage_class: name }) => ({
      when: timeOf(when),
      storageClass: name,
    })),
    noncurrentVersionExpiration: noncurrent === null ? undefined : noncurrentOf(noncurrent),
    noncurrentVersionTransitions: view.noncurrent_transitions.map((one) => ({
      ...noncurrentOf(one),
      storageClass: one.storage_class,
    })),
    abortDaysAfterInitiation: view.abort_days ?? undefined,
  };
}

function noncurrentOf({ days, newer }: ReturnType<typeof agesOf>): Ages {
  return { noncurrentDays: days, newerNoncurrentVersions: newer ?? undefined };
}

function timeOf(time: { days: number } | { date: string }): LifecycleTime {
  return 'days' in time ? { days: time.days } : { date: Date.parse(time.date) };
}
