import { hasLabels, keyOfLabels, type Labels } from '../labels.js';
import type { Condition, Rule, SeriesView, View } from './rule.js';
import { median, secondsUntil, slope, trendPoints } from './trend.js';

/** Something that a rule found to be wrong. */
export interface Finding {
  readonly labels: Labels;
  readonly value: number;
}

/** @returns undefined when it cannot be told */
export function findings(rule: Rule, view: View): readonly Finding[] | undefined {
  const series = view.series(rule.condition.panel);
  if (series === undefined) return undefined;
  const { onlyWhile } = rule;
  if (onlyWhile !== undefined) {
    const others = view.series(onlyWhile.panel);
    if (others === undefined) return undefined;
    if (others.reduce((sum, { value }) => sum + value, 0) <= onlyWhile.above) return [];
  }
  const { where = {} } = rule.condition;
  return series
    .filter(({ labels }) => hasLabels(labels, where))
    .filter((one) => holds(rule.condition, one, view))
    .map(({ labels, value }) => ({ labels, value }));
}

function holds(condition: Condition, series: SeriesView, view: View): boolean {
  const { value } = series;
  switch (condition.kind) {
    case 'above':
      return value > condition.limit;
    case 'below':
      return value < condition.limit;
    case 'grew': {
      const first = series.points(condition.overS)[0];
      return first !== undefined && value - first[1] > condition.by;
    }
    case 'was_above':
      return [value, ...series.points(condition.overS).map(([, one]) => one)].some(
        (one) => one > condition.limit,
      );
    case 'rises': {
      const points = trendPoints(series.points(condition.overS), condition.overS);
      return (slope(points) ?? 0) * condition.overS > condition.by;
    }
    case 'full': {
      const points = trendPoints(series.points(condition.overS), condition.overS);
      const left = secondsUntil(1, points);
      return left !== undefined && left < condition.withinS;
    }
    case 'over_median': {
      const values = series.points(condition.overS).map(([, one]) => one);
      const usual = values.length < condition.pointsMin ? undefined : median(values);
      return usual !== undefined && value > Math.max(usual * condition.factor, condition.floor);
    }
    case 'over': {
      const key = keyOfLabels(series.labels);
      const other = view
        .series(condition.other)
        ?.find(({ labels }) => keyOfLabels(labels) === key)?.value;
      return other !== undefined && value > condition.factor * Math.max(other, condition.floor);
    }
  }
}
