import type { Labels } from '../labels.js';
import type { TabId } from '../panels/panel.js';
import type { Point } from './trend.js';

export type Severity = 'critical' | 'warning' | 'info';

/** The condition for an alert of a panel's series, each for itself. */
export type Condition = {
  readonly panel: string;
  /** Only series with these labels. */
  readonly where?: Labels;
} & (
  | { readonly kind: 'above' | 'below'; readonly limit: number }
  /** It is above the limit, or was within that time. */
  | { readonly kind: 'was_above'; readonly overS: number; readonly limit: number }
  /** The latest value is so much more than the first of that time. */
  | { readonly kind: 'grew'; readonly overS: number; readonly by: number }
  /** The line through that time rises, by more than so much in all of it. */
  | { readonly kind: 'rises'; readonly overS: number; readonly by: number }
  /** The line through that time reaches 1 so soon. */
  | { readonly kind: 'full'; readonly overS: number; readonly withinS: number }
  | {
      readonly kind: 'over_median';
      readonly overS: number;
      readonly factor: number;
      readonly pointsMin: number;
      /** Less than this is no trouble, however much more than usual. */
      readonly floor: number;
    }
  /** Above a multiple of another panel's series with the same labels, which counts as `floor` at least. */
  | {
      readonly kind: 'over';
      readonly other: string;
      readonly factor: number;
      readonly floor: number;
    }
);

/** The part of a rule that is for Prometheus alone. */
export interface PrometheusRule {
  readonly alert: string;
  readonly expr: string;
  /** A template of Prometheus'. */
  readonly summary: string;
  /** A comment for readers of the file. */
  readonly note?: string | undefined;
}

export interface Rule {
  readonly name: string;
  readonly title: string;
  readonly severity: Severity;
  readonly condition: Condition;
  /** The rule fires only while the sum of this panel is above the limit. */
  readonly onlyWhile?: { readonly panel: string; readonly above: number };
  /** How long the condition has to hold. */
  readonly forS: number;
  readonly why: string;
  /**
   * Rules that say more of the same thing: while one of them fires of the same series, or of what
   * the series is a part of, this one is not shown.
   */
  readonly yieldsTo?: readonly string[];
  /** The rule of ops/prometheus/alerts.yml that means the same. */
  readonly prometheus?: PrometheusRule;
  /** Which tile it colours. */
  readonly tile?: string;
  readonly tab: TabId;
}

/** A series as conditions see it. */
export interface SeriesView {
  readonly labels: Labels;
  readonly value: number;
  /** The points of the last `overS` seconds, oldest first. */
  points(overS: number): readonly Point[];
}

/** The values that are known now. */
export interface View {
  /** @returns undefined when nothing is known of the panel */
  series(panel: string): readonly SeriesView[] | undefined;
}
