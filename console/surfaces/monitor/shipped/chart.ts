import type { Derivation } from '../panels/panel.js';
import { promqlOf } from '../panels/promql.js';

/** Charts of Grafana's, and how they are made of metrics: of the hosts that are chosen. */

export const HOST = 'instance=~"$instance"';
export const WINDOW = '$__rate_interval';
export const DATASOURCE = { type: 'prometheus', uid: '${datasource}' };

/** A line of a chart: its legend, and how it is made, or its query. */
type Line = readonly [legend: string, made: Derivation | string];
export type Unit = 'none' | 'reqps' | 'Bps' | 's' | 'bytes' | 'percentunit';

/** A chart as Grafana has it, but for its place. Its id stays, because links to it name it. */
export type Chart = Readonly<Record<string, unknown>>;

function legendOf(by: readonly string[]): string {
  return by.map((label) => `{{${label}}}`).join(' ');
}

export function rate(of: string, ...by: readonly string[]): Line {
  return [legendOf(by), { kind: 'rate', parts: [{ of }], by }];
}

export function quantile(wanted: number, of: string, ...by: readonly string[]): Line {
  return [legendOf(by), { kind: 'quantiles', part: { of }, by, quantiles: [wanted] }];
}

export function gauge(fold: 'sum' | 'min' | 'max', of: string, ...by: readonly string[]): Line {
  return [legendOf(by), { kind: 'gauge', parts: [{ of }], by, fold }];
}

export function named(legend: string, [, made]: Line): Line {
  return [legend, made];
}

function queryOf(made: Derivation | string): string {
  return typeof made === 'string' ? made : promqlOf(made, { selector: HOST, window: WINDOW });
}

/** Growth of a counter by that of another one. */
export function ratio(legend: string, [, some]: Line, [, all]: Line): Line {
  return [legend, `(${queryOf(some)} or vector(0)) / ${queryOf(all)}`];
}

function targetsOf(lines: readonly Line[], more: Readonly<Record<string, unknown>>) {
  return lines.map(([legendFormat, made], at) => ({
    ...{ refId: String.fromCharCode(65 + at), datasource: DATASOURCE, expr: queryOf(made) },
    legendFormat,
    ...more,
  }));
}

/** A figure of now. */
export function figure(id: number, title: string, unit: Unit, line: Line, description = ''): Chart {
  return {
    ...{ id, type: 'stat', title, description, datasource: DATASOURCE },
    targets: targetsOf([line], { instant: true }),
    fieldConfig: { defaults: { unit }, overrides: [] },
    options: {
      reduceOptions: { calcs: ['lastNotNull'], fields: '', values: false },
      ...{ colorMode: 'value', textMode: 'auto' },
    },
  };
}

export function chart(
  id: number,
  title: string,
  unit: Unit,
  lines: readonly Line[],
  { description = '', stacking = 'none' } = {},
): Chart {
  const custom = { lineWidth: 1, fillOpacity: 10, showPoints: 'never' };
  const stacked = { ...custom, stacking: { mode: stacking, group: 'A' } };
  return {
    ...{ id, type: 'timeseries', title, description, datasource: DATASOURCE },
    targets: targetsOf(lines, {}),
    fieldConfig: { defaults: { unit, min: 0, custom: stacked }, overrides: [] },
    options: {
      legend: { displayMode: 'table', placement: 'bottom', calcs: ['mean', 'max'] },
      tooltip: { mode: 'multi', sort: 'desc' },
    },
  };
}
