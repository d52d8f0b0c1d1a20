import { SERVER_ERRORS } from '../panels/gateway.js';
import type { Condition, PrometheusRule, Rule } from './rule.js';

/**
 * The rules for the gateway, in both forms: the condition that the console evaluates, and the rule of
 * ops/prometheus/alerts.yml, which is made of this table.
 */

const MINUTE_S = 60;
const HOUR_S = 3600;
const DAY_S = 86_400;

/** The least rate for which a ratio is meaningful. */
const REQUESTS_MIN_PER_S = 0.1;
const ERROR_RATIO_MAX = 0.01;
const BACKEND_FAILURE_RATIO_MAX = 0.05;
const REJECTS_MAX_PER_S = 1;
const LAG_MAX_S = 0.1;
const CERTIFICATE_LEFT_S = 14 * DAY_S;
const JANITOR_AGE_MAX_S = 6 * HOUR_S;
const RESTARTS_OVER_S = 15 * MINUTE_S;

/** A gauge that is 1 while all is well, folded for each host. */
function isDown(
  panel: string,
  fold: 'sum' | 'min' | 'max',
  metric: string,
  by: readonly string[] = [],
): { readonly condition: Condition; readonly expr: string } {
  return {
    condition: { kind: 'below', panel, limit: 1 },
    expr: `${fold} by (${['instance', ...by].join(', ')}) (${metric}) < 1`,
  };
}

type GatewayRule = Omit<Rule, 'prometheus' | 'tab'> & Partial<Pick<Rule, 'tab'>>;

function rule({ alert, expr, summary, note, ...others }: GatewayRule & PrometheusRule): Rule {
  return { tab: 'gateway', ...others, prometheus: { alert, expr, summary, note } };
}

const requests = (selector: string) =>
  `sum by (instance) (rate(ringway_requests_total${selector}[5m]))`;
const backendRequests = 'sum by (instance) (rate(ringway_backend_requests_total[5m]))';
const EXPIRY = 'ringway_tls_certificate_expiry_timestamp_seconds';
const JANITOR_RUN = 'max(ringway_janitor_last_run_timestamp_seconds)';

export const GATEWAY_RULES: readonly Rule[] = [
  rule({
    name: 'NoListener',
    alert: 'RingwayNoListener',
    summary: 'No listener of {{ $labels.instance }} accepts requests.',
    title: 'No listener accepting requests',
    severity: 'critical',
    ...isDown('listeners_accepting', 'sum', 'ringway_listener_up'),
    forS: MINUTE_S,
    why: 'Clients cannot connect. See the log for why the listeners exited.',
    tile: 'error_ratio',
  }),
  rule({
    name: 'ListenerDown',
    alert: 'RingwayListenerDown',
    summary:
      'Listener {{ $labels.worker }} of {{ $labels.instance }} accepts no requests; the others take its share.',
    title: 'Listener not accepting requests',
    severity: 'warning',
    ...isDown('listeners_up', 'max', 'ringway_listener_up', ['worker']),
    forS: MINUTE_S,
    why: 'The other listeners handle its requests.',
    yieldsTo: ['NoListener'],
  }),
  rule({
    name: 'BackendDown',
    alert: 'RingwayBackendDown',
    summary:
      'At least one listener of {{ $labels.instance }} finds its backend unwell; /readyz?verbose says which.',
    title: 'Backend unhealthy',
    severity: 'critical',
    ...isDown('backend_up', 'min', 'ringway_backend_up'),
    forS: MINUTE_S,
    why: 'Requests that need the backend fail.',
    tile: 'error_ratio',
  }),
  rule({
    name: 'StoreApiDown',
    alert: 'RingwayStoreApiDown',
    summary:
      "The store's Swift API of {{ $labels.instance }} is not served; its process has ended or stands still.",
    title: "The store's own API is not served",
    severity: 'critical',
    ...isDown('store_api_up', 'min', 'ringway_swift_api_up'),
    forS: MINUTE_S,
    why: 'Its process has stopped or hangs. Files and other clients of this API fail; S3 works.',
  }),
  rule({
    name: 'ProcessSilent',
    alert: 'RingwayScrapeIncomplete',
    summary:
      '{{ $value }} processes of {{ $labels.instance }} do not answer scrapes; what is shown of them is old.',
    title: 'Gateway process not responding',
    severity: 'warning',
    condition: { kind: 'above', panel: 'processes_silent', limit: 0 },
    expr: 'ringway_scrape_children_missing > 0',
    forS: 5 * MINUTE_S,
    why: 'It stands still or has too much to do, and what is shown of it is old; /readyz?verbose says which.',
    yieldsTo: ['NoListener', 'ListenerDown', 'StoreApiDown'],
  }),
  rule({
    name: 'ErrorRatio',
    alert: 'RingwayErrorRatio',
    summary:
      '{{ $value | humanizePercentage }} of the requests to {{ $labels.instance }} end in server errors.',
    note: 'Of a handful of requests, one is no ratio.',
    title: 'Server error rate above 1%',
    severity: 'critical',
    condition: { kind: 'above', panel: 'error_ratio', limit: ERROR_RATIO_MAX },
    onlyWhile: { panel: 'requests', above: REQUESTS_MIN_PER_S },
    expr: `${requests(`{${SERVER_ERRORS.selector}}`)} / ${requests('')} > ${ERROR_RATIO_MAX} and ${requests('')} > ${REQUESTS_MIN_PER_S}`,
    forS: 5 * MINUTE_S,
    why: 'See the gateway log for the cause of each error.',
    tile: 'error_ratio',
  }),
  rule({
    name: 'BackendFailures',
    alert: 'RingwayBackendFailures',
    summary:
      '{{ $value | humanizePercentage }} of the requests of {{ $labels.instance }} to its backend fail; /readyz?verbose says why.',
    note: 'By cause: sum by (cause) (rate(ringway_backend_failures_total[5m])).',
    title: 'Backend failure rate above 5%',
    severity: 'warning',
    condition: { kind: 'above', panel: 'backend_failure_ratio', limit: BACKEND_FAILURE_RATIO_MAX },
    onlyWhile: { panel: 'requests', above: REQUESTS_MIN_PER_S },
    expr: `sum by (instance) (rate(ringway_backend_failures_total[5m])) / ${backendRequests} > ${BACKEND_FAILURE_RATIO_MAX} and ${requests('')} > ${REQUESTS_MIN_PER_S}`,
    forS: 5 * MINUTE_S,
    why: 'Failures that a retry on another proxy cannot recover reach clients. See the chart of failures by cause.',
    yieldsTo: ['BackendDown'],
  }),
  rule({
    name: 'IdentityDown',
    alert: 'RingwayIdentityDown',
    summary:
      'The identity service does not answer {{ $labels.instance }}; access keys that are not cached are rejected, cached ones keep working for identity_stale_ms.',
    title: 'Identity service not responding',
    severity: 'critical',
    ...isDown('identity_up', 'min', 'ringway_identity_up'),
    forS: 2 * MINUTE_S,
    why: 'Access keys that are not cached are rejected; cached ones keep working for identity_stale_ms.',
  }),
  rule({
    name: 'IdentityFailures',
    alert: 'RingwayIdentityFailures',
    summary:
      '{{ $value }} requests a second to {{ $labels.instance }} are served from cached identity data or rejected, since the identity service does not answer.',
    title: 'Requests served from stale identity data or rejected',
    severity: 'warning',
    condition: { kind: 'above', panel: 'identity_failures', limit: 0 },
    expr: 'sum by (instance) (rate(ringway_identity_lookups_total{source=~"stale|none"}[5m])) > 0',
    forS: 5 * MINUTE_S,
    why: 'The identity service is not responding. See /readyz?verbose for the cause.',
    yieldsTo: ['IdentityDown'],
  }),
  {
    name: 'SlowRequests',
    title: 'P99 latency more than twice its 7-day median',
    severity: 'warning',
    condition: {
      kind: 'over_median',
      panel: 'latency',
      where: { quantile: '0.99' },
      overS: 7 * DAY_S,
      factor: 2,
      // A day, at 10 minutes each.
      pointsMin: 144,
      floor: 0.05,
    },
    forS: 10 * MINUTE_S,
    why: 'Check the request stages to see where time is spent.',
    tile: 'latency_p99',
    tab: 'gateway',
  },
  rule({
    name: 'LoopLag',
    alert: 'RingwayEventLoopLag',
    summary:
      'A listener of {{ $labels.instance }} is {{ $value | humanizeDuration }} late; it has too much to do.',
    title: 'Listener event loop lag above 100 ms',
    severity: 'warning',
    condition: { kind: 'above', panel: 'loop_lag', where: { stat: 'p99' }, limit: LAG_MAX_S },
    expr: `ringway_event_loop_lag_seconds{stat="p99"} > ${LAG_MAX_S}`,
    forS: 5 * MINUTE_S,
    why: 'The listener is overloaded.',
    tile: 'latency_p99',
  }),
  rule({
    name: 'Rejects',
    alert: 'RingwayRejects',
    summary:
      '{{ $labels.instance }} answers {{ $value | humanize }} requests a second with SlowDown.',
    title: 'Requests rejected with SlowDown',
    severity: 'warning',
    condition: { kind: 'above', panel: 'rejected', limit: REJECTS_MAX_PER_S },
    expr: `sum by (instance) (rate(ringway_admission_rejected_total[5m])) > ${REJECTS_MAX_PER_S}`,
    forS: 5 * MINUTE_S,
    why: 'Incoming requests exceed the gateway limit for requests in progress.',
    tile: 'requests_per_s',
  }),
  rule({
    name: 'ListenerRestarts',
    alert: 'RingwayListenerRestarts',
    summary:
      'A listener of {{ $labels.instance }} exited unexpectedly and was restarted; see the log.',
    title: 'Listener exited unexpectedly and was restarted',
    severity: 'warning',
    condition: { kind: 'was_above', panel: 'restarts', limit: 0, overS: RESTARTS_OVER_S },
    expr: `sum by (instance) (increase(ringway_listener_restarts_total[${RESTARTS_OVER_S / MINUTE_S}m])) >= 1`,
    forS: 0,
    why: 'See the gateway log for the cause.',
  }),
  rule({
    name: 'ReloadFailed',
    alert: 'RingwayReloadFailed',
    summary:
      'The last reload of {{ $labels.instance }} changed nothing, since its configuration cannot be used.',
    title: 'The last reload failed',
    severity: 'warning',
    ...isDown('reload_ok', 'min', 'ringway_config_last_reload_successful'),
    forS: MINUTE_S,
    why: 'The new configuration is not valid and was not applied. See the log for the reason.',
  }),
  rule({
    name: 'CertificateExpires',
    alert: 'RingwayCertificateExpires',
    summary: 'A certificate of {{ $labels.instance }} expires in {{ $value | humanizeDuration }}.',
    title: 'A certificate has expired, or expires within two weeks',
    severity: 'warning',
    condition: { kind: 'below', panel: 'certificate_left', limit: CERTIFICATE_LEFT_S },
    expr: `${EXPIRY} - time() < ${CERTIFICATE_LEFT_S} and ${EXPIRY} > 0`,
    forS: HOUR_S,
    why: 'Clients reject connections once the certificate has expired.',
  }),
  rule({
    name: 'JanitorStalled',
    alert: 'RingwayJanitorStalled',
    summary:
      'The last janitor pass was {{ $value | humanizeDuration }} ago; lifecycle rules are not applied.',
    note: 'Of hosts that share a store, any may have been the one: so the latest counts.',
    title: 'Last janitor pass older than six hours',
    severity: 'warning',
    condition: { kind: 'above', panel: 'janitor_age', limit: JANITOR_AGE_MAX_S },
    expr: `time() - ${JANITOR_RUN} > ${JANITOR_AGE_MAX_S} and ${JANITOR_RUN} > 0`,
    forS: 15 * MINUTE_S,
    why: 'Lifecycle rules are not being applied.',
    tab: 'consistency',
  }),
];
