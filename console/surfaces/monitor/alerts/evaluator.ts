import { hasLabels, keyOfLabels, type Labels } from '../labels.js';
import { findings, type Finding } from './conditions.js';
import type { Rule, View } from './rule.js';

/** Something that is wrong, or may turn out to be. */
export interface ActiveAlert {
  readonly id: string;
  readonly rule: Rule;
  readonly labels: Labels;
  readonly value: number;
  readonly sinceMs: number;
  readonly state: 'pending' | 'firing';
}

/** A rule whose series are that many at once has one cause: more are not listed. */
export const ALERTS_PER_RULE = 50;

/**
 * The present alerts. One that cannot be judged stays as it was: silence of a source heals nothing.
 * @param before the alerts of the evaluation before
 */
export function evaluate(
  rules: readonly Rule[],
  view: View,
  before: readonly ActiveAlert[],
  nowMs: number,
): ActiveAlert[] {
  return rules.flatMap((rule) => {
    const former = before.filter((alert) => alert.rule.name === rule.name);
    const found = findings(rule, view);
    if (found === undefined) return former;
    return found.slice(0, ALERTS_PER_RULE).map((one) => next(rule, one, former, nowMs));
  });
}

/** The alerts that are shown: of one thing the one that says the most. */
export function shownAlerts(alerts: readonly ActiveAlert[]): ActiveAlert[] {
  const firing = alerts.filter(({ state }) => state === 'firing');
  // The others may name with fewer labels what a series is a part of.
  const yields = ({ rule, labels }: ActiveAlert, other: ActiveAlert) =>
    rule.yieldsTo?.includes(other.rule.name) === true && hasLabels(labels, other.labels);
  return alerts.filter((alert) => !firing.some((other) => yields(alert, other)));
}

function next(
  rule: Rule,
  { labels, value }: Finding,
  former: readonly ActiveAlert[],
  nowMs: number,
): ActiveAlert {
  const id = [rule.name, ...Object.values(labels)].join('/');
  const key = keyOfLabels(labels);
  const sinceMs = former.find((alert) => keyOfLabels(alert.labels) === key)?.sinceMs ?? nowMs;
  const state = nowMs - sinceMs >= rule.forS * 1000 ? 'firing' : 'pending';
  return { id, rule, labels, value, sinceMs, state };
}
