import { STAGE_NAMES } from '../../../../src/telemetry/stage-clock.js';
import { stageMetricName } from '../../../../src/telemetry/stage-metrics.js';
import type { Derivation, Panel, Part } from './panel.js';

const QUANTILES = [0.5, 0.95, 0.99];

/** A client asked for what is not implemented, or was told to slow down: nothing has failed. */
const NO_ERRORS = ['501', '503'].join('|');

/** Server errors, which are the same in charts, alerts and the dashboard (docs/metrics.md). */
export const SERVER_ERRORS = {
  /** The pattern of the label `code`. */
  code: new RegExp(`^(?!${NO_ERRORS})5..$`),
  selector: `code=~"5..", code!~"${NO_ERRORS}"`,
} as const;

/** The values of `code` that `ringway_backend_failures_total` counts: see failureCause. */
export const BACKEND_FAILURES = /^(?:connect|hung|reset|timeout|401|429|498|5..)$/;

/** Names of metrics are those of docs/metrics.md. */
export const GATEWAY_PANELS: readonly Panel[] = [
  {
    ...base('requests', 'Requests'),
    unit: 'per_s',
    promql: 'sum(rate(ringway_requests_total[5m]))',
    derivation: { kind: 'rate', parts: [{ of: 'ringway_requests_total' }], by: [] },
  },
  {
    ...rate('requests_by_code', 'Requests by status', 'ringway_requests_total', 'code'),
    kind: 'stacked',
    isMain: true,
  },
  {
    ...rate(
      'requests_by_operation',
      'Requests by operation',
      'ringway_requests_total',
      'operation',
    ),
    kind: 'stacked',
  },
  {
    ...base('error_ratio', 'Server errors'),
    isMain: true,
    unit: 'ratio',
    // Without a failure there is no series of failures, and the ratio is 0.
    promql: `(sum(rate(ringway_requests_total{${SERVER_ERRORS.selector}}[5m])) or 0 * sum(rate(ringway_requests_total[5m]))) / clamp_min(sum(rate(ringway_requests_total[5m])), 1e-9)`,
    derivation: {
      kind: 'share',
      part: { of: 'ringway_requests_total', where: ['code', SERVER_ERRORS.code] },
    },
  },
  rate('errors_by_code', 'Errors by S3 error code', 'ringway_request_errors_total', 'error_code'),
  {
    ...quantiles('latency', 'Request latency', 'ringway_request_duration_seconds'),
    isMain: true,
  },
  quantiles('first_byte', 'Time to first byte', 'ringway_time_to_first_byte_seconds'),
  {
    ...base('latency_by_operation', 'Request latency by operation (p99)'),
    unit: 's',
    promql:
      'histogram_quantile(0.99, sum by (le, operation)(rate(ringway_request_duration_seconds_bucket[5m])))',
    derivation: {
      kind: 'quantiles',
      part: { of: 'ringway_request_duration_seconds' },
      by: ['operation'],
      quantiles: [0.99],
    },
  },
  {
    ...base('traffic', 'Request and response body traffic'),
    isMain: true,
    unit: 'bytes_per_s',
    promql: eachOf('direction', [
      ['received', 'sum(rate(ringway_received_bytes_total[5m]))'],
      ['sent', 'sum(rate(ringway_sent_bytes_total[5m]))'],
    ]),
    derivation: {
      kind: 'rate',
      by: [],
      parts: [
        { of: 'ringway_received_bytes_total', labels: { direction: 'received' } },
        { of: 'ringway_sent_bytes_total', labels: { direction: 'sent' } },
      ],
    },
  },
  gauges('in_progress', 'Requests in progress', 'sum', [
    ['in progress', 'ringway_requests_in_progress'],
    ['waiting', 'ringway_admission_waiting'],
  ]),
  rate('rejected', 'Requests rejected with SlowDown', 'ringway_admission_rejected_total', 'reason'),
  rate('denied', 'Authentication failures', 'ringway_auth_failures_total', 'reason'),
  {
    ...rate('backend_requests', 'Backend requests', 'ringway_backend_requests_total', 'code'),
    kind: 'stacked',
  },
  {
    ...base('backend_failure_ratio', 'Share of requests to the backend that fail'),
    unit: 'ratio',
    promql:
      '(sum(rate(ringway_backend_failures_total[5m])) or 0 * sum(rate(ringway_backend_requests_total[5m]))) / clamp_min(sum(rate(ringway_backend_requests_total[5m])), 1e-9)',
    derivation: {
      kind: 'share',
      part: { of: 'ringway_backend_requests_total', where: ['code', BACKEND_FAILURES] },
    },
  },
  {
    ...rate(
      'backend_failures',
      'Backend failures by cause',
      'ringway_backend_failures_total',
      'cause',
    ),
    kind: 'stacked',
  },
  {
    ...quantiles(
      'backend_latency',
      'Backend latency to response headers',
      'ringway_backend_request_duration_seconds',
    ),
    isMain: true,
  },
  {
    ...rate(
      'identity_lookups',
      'Identity lookups by source',
      'ringway_identity_lookups_total',
      'source',
    ),
    kind: 'stacked',
  },
  {
    ...base('identity_failures', 'Requests during identity service outages'),
    unit: 'per_s',
    promql: `sum(rate(ringway_identity_lookups_total{source=~"stale|none"}[5m]))`,
    derivation: {
      kind: 'rate',
      parts: [{ of: 'ringway_identity_lookups_total', where: ['source', /^(?:stale|none)$/] }],
      by: [],
    },
  },
  rate('identity_requests', 'Identity service requests', 'ringway_identity_requests_total', 'code'),
  quantiles(
    'identity_latency',
    'Identity service latency',
    'ringway_identity_request_duration_seconds',
  ),
  {
    ...base('identity_up', 'Identity service up'),
    kind: 'state',
    promql: 'min(ringway_identity_up)',
    derivation: gaugeOf('ringway_identity_up', [], 'min'),
  },
  {
    ...rate(
      'direct_reads',
      'Reads by route (direct or proxy)',
      'ringway_swift_reads_total',
      'way',
      'reason',
    ),
    kind: 'stacked',
  },
  {
    ...base('node_errors', 'Direct read failures by storage server'),
    unit: 'per_s',
    // A target of a scrape is called by its name, which hides the address of a node, too.
    promql:
      'sum by (instance, error)(label_replace(rate(ringway_swift_node_errors_total[5m]), "instance", "$1", "node", "(.+):[0-9]+"))',
    derivation: {
      kind: 'rate',
      parts: [{ of: 'ringway_swift_node_errors_total' }],
      by: ['node', 'error'],
    },
  },
  rate('node_hedges', 'Direct reads won by a hedged request', 'ringway_swift_hedges_won_total'),
  {
    ...base('ring_version', 'Ring version in use (lowest across listeners)'),
    promql: 'min by (ring)(ringway_swift_ring_version)',
    derivation: gaugeOf('ringway_swift_ring_version', ['ring'], 'min'),
  },
  {
    ...base('stages', 'Request time by stage'),
    unit: 's_per_s',
    kind: 'stacked',
    promql: 'sum by (stage)(rate({__name__=~"ringway_stage_.+_seconds_sum"}[5m]))',
    derivation: {
      kind: 'rate',
      by: ['stage'],
      parts: STAGE_NAMES.map((stage) => ({ of: `${stageMetricName(stage)}_sum` })),
    },
  },
  {
    ...base('loop_lag', 'Event loop lag, worst listener'),
    unit: 's',
    promql: 'max by (stat)(ringway_event_loop_lag_seconds)',
    derivation: gaugeOf('ringway_event_loop_lag_seconds', ['stat'], 'max'),
  },
  {
    ...base('listeners_accepting', 'Listeners accepting requests'),
    promql: 'sum by (instance)(ringway_listener_up)',
    derivation: gaugeOf('ringway_listener_up', [], 'sum'),
  },
  {
    ...base('listeners_up', 'Listener status'),
    kind: 'state',
    isMain: true,
    promql: 'max by (instance, worker)(ringway_listener_up)',
    derivation: gaugeOf('ringway_listener_up', ['worker'], 'max'),
  },
  {
    ...base('backend_up', 'Backend healthy'),
    kind: 'state',
    promql: 'min(ringway_backend_up)',
    derivation: gaugeOf('ringway_backend_up', [], 'min'),
  },
  {
    ...base('store_api_up', "The store's own API is served"),
    kind: 'state',
    promql: 'min(ringway_swift_api_up)',
    derivation: gaugeOf('ringway_swift_api_up', [], 'min'),
  },
  {
    ...base('processes_silent', 'Processes not responding'),
    kind: 'bars',
    promql: 'max by (instance)(ringway_scrape_children_missing)',
    derivation: gaugeOf('ringway_scrape_children_missing', [], 'max'),
  },
  {
    ...rate('restarts', 'Listener restarts', 'ringway_listener_restarts_total', 'reason'),
    kind: 'bars',
  },
  {
    ...base('reload_ok', 'Last reload successful'),
    kind: 'state',
    promql: 'min(ringway_config_last_reload_successful)',
    derivation: gaugeOf('ringway_config_last_reload_successful', [], 'min'),
  },
  {
    ...base('certificate_left', 'Time until TLS certificate expiry'),
    unit: 's',
    promql: 'min by (port)(ringway_tls_certificate_expiry_timestamp_seconds > 0) - time()',
    derivation: {
      kind: 'until',
      part: { of: 'ringway_tls_certificate_expiry_timestamp_seconds' },
      by: ['port'],
    },
  },
  {
    ...base('janitor_age', 'Time since last janitor pass'),
    unit: 's',
    tab: 'consistency',
    promql: 'time() - (max(ringway_janitor_last_run_timestamp_seconds) > 0)',
    derivation: {
      kind: 'age',
      part: { of: 'ringway_janitor_last_run_timestamp_seconds' },
      by: [],
    },
  },
  {
    ...base('store_bytes', 'Embedded store size'),
    unit: 'bytes',
    tab: 'disks',
    promql: 'sum(ringway_store_bytes)',
    derivation: gaugeOf('ringway_store_bytes', [], 'sum'),
  },
  { ...quantiles('store_sync', 'Store sync duration', 'ringway_store_sync_seconds'), tab: 'disks' },
];

function base(id: string, title: string) {
  return {
    id,
    title,
    unit: 'count',
    tab: 'gateway',
    kind: 'line',
    sources: ['prometheus', 'gateway'],
  } as const satisfies Panel;
}

/** @param by labels that tell the lines apart; none for their sum */
function rate(id: string, title: string, of: string, ...by: readonly string[]): Panel {
  return {
    ...base(id, title),
    unit: 'per_s',
    promql: `sum by (${by.join(', ')})(rate(${of}[5m]))`,
    derivation: { kind: 'rate', parts: [{ of }], by },
  };
}

function quantiles(id: string, title: string, of: string): Panel {
  return {
    ...base(id, title),
    unit: 's',
    promql: eachOf(
      'quantile',
      QUANTILES.map((quantile) => [
        String(quantile),
        `histogram_quantile(${quantile}, sum by (le)(rate(${of}_bucket[5m])))`,
      ]),
    ),
    derivation: { kind: 'quantiles', part: { of }, by: [], quantiles: QUANTILES },
  };
}

function gauges(
  id: string,
  title: string,
  fold: 'sum',
  lines: readonly (readonly [name: string, of: string])[],
): Panel {
  return {
    ...base(id, title),
    promql: eachOf(
      'what',
      lines.map(([name, of]) => [name, `${fold}(${of})`]),
    ),
    derivation: {
      kind: 'gauge',
      by: [],
      fold,
      parts: lines.map(([what, of]): Part => ({ of, labels: { what } })),
    },
  };
}

function gaugeOf(of: string, by: readonly string[], fold: 'sum' | 'max' | 'min'): Derivation {
  return { kind: 'gauge', parts: [{ of }], by, fold };
}

/** One expression for several lines, told apart by a label. */
function eachOf(
  label: string,
  lines: readonly (readonly [value: string, expression: string])[],
): string {
  return lines
    .map(([value, expression]) => `label_replace(${expression}, "${label}", "${value}", "", "")`)
    .join(' or ');
}
