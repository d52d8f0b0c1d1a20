import type { Unit } from '../panels/panel.js';
import { panelOf } from '../panels/panels.js';
import type { ActiveAlert } from './evaluator.js';

/** An alert of the page, from any source. */
export interface AlertView {
  readonly id: string;
  readonly name: string;
  readonly title: string;
  /** The name of its rule, whatever it is about: alerts of one kind are shown as one. */
  readonly kind: string;
  readonly severity: 'critical' | 'warning' | 'info';
  readonly state: 'pending' | 'firing';
  readonly since_unix_s: number;
  readonly node: string | null;
  readonly value: number | null;
  readonly unit: Unit | null;
  readonly why: string;
  readonly link: { readonly tab: string; readonly panel: string | null };
  readonly origin: 'console' | 'prometheus';
}

export function alertView({ id, rule, labels, value, sinceMs, state }: ActiveAlert): AlertView {
  const { panel } = rule.condition;
  const { node = null, ...others } = labels;
  const subject = Object.values(others).filter((text) => text !== '');
  return {
    id,
    name: rule.name,
    title: subject.length === 0 ? rule.title : `${rule.title} (${subject.join(', ')})`,
    kind: rule.title,
    severity: rule.severity,
    state,
    since_unix_s: sinceMs / 1000,
    node,
    value,
    unit: panelOf(panel)?.unit ?? null,
    why: rule.why,
    link: { tab: rule.tab, panel },
    origin: 'console',
  };
}

const SEVERITIES = ['critical', 'warning', 'info'];

/** Sorts firing alerts before pending ones, and of each the worst first. */
export function sortAlerts(alerts: readonly AlertView[]): AlertView[] {
  const rank = ({ state, severity }: AlertView) =>
    (state === 'firing' ? 0 : SEVERITIES.length) + SEVERITIES.indexOf(severity);
  return [...alerts].sort((a, b) => rank(a) - rank(b) || a.since_unix_s - b.since_unix_s);
}
