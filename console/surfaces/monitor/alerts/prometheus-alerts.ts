import type { Addresses } from '../addresses.js';
import type { PrometheusAlert } from '../sources/prometheus-api.js';
import type { AlertView } from './alert-view.js';

/** The most alerts of a metrics store that the page lists. */
const ALERTS_MAX = 200;
const TEXT_MAX = 500;

const SEVERITIES: ReadonlyMap<string, AlertView['severity']> = new Map([
  ['critical', 'critical'],
  ['page', 'critical'],
  ['error', 'critical'],
  ['warning', 'warning'],
]);

/** Alerts of Prometheus' own rules as the page has them: without an address in any of their texts. */
export function prometheusAlertViews(
  alerts: readonly PrometheusAlert[],
  addresses: Addresses,
): AlertView[] {
  const shown = alerts.filter(({ state }) => state === 'firing' || state === 'pending');
  return shown.slice(0, ALERTS_MAX).map(({ labels, annotations, state, activeAt, value }) => {
    const { alertname = 'alert', severity = '', instance } = labels;
    const node = instance === undefined ? null : addresses.nodeOf(instance);
    const number = Number(value ?? NaN);
    const said = (text: string | undefined) => {
      const own = instance === undefined ? text : text?.replaceAll(instance, node ?? '');
      return addresses.mask(own ?? '').slice(0, TEXT_MAX);
    };
    const since = Date.parse(activeAt);
    return {
      id: `prometheus/${alertname}/${node ?? ''}`,
      name: alertname,
      title: said(annotations.summary ?? alertname),
      kind: alertname,
      severity: SEVERITIES.get(severity) ?? 'info',
      state: state === 'firing' ? 'firing' : 'pending',
      since_unix_s: Number.isNaN(since) ? 0 : since / 1000,
      node,
      value: Number.isFinite(number) ? number : null,
      unit: null,
      why: said(annotations.description),
      link: { tab: alertname.startsWith('Ringway') ? 'gateway' : 'nodes', panel: null },
      origin: 'prometheus',
    };
  });
}
