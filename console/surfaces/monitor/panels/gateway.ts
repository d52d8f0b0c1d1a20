import { STAGE_NAMES } from '../../../../src/telemetry/stage-clock.js';
import { stageMetricName } from '../../../../src/telemetry/stage-metrics.js';
import { where, type Derivation, type Panel } from './panel.js';
import { promqlOf } from './promql.js';

const QUANTILES = [0.5, 0.95, 0.99];

/**
 * Server errors, which are the same in charts, alerts and the dashboard (docs/metrics.md). A client
 * that asked for what is not implemented, or was told to slow down, has met no failure.
 */
export const SERVER_ERRORS = where('code', '5..', '501|503');

/** The values of `code` that `ringway_backend_failures_total` counts: see failureCause. */
export const BACKEND_FAILURES = where('code', 'connect|hung|reset|timeout|401|429|498|5..');

/** Names of metrics are those of docs/metrics.md. */
const DESCRIBED: readonly Panel[] = [
  rate('requests', 'Requests', 'ringway_requests_total'),
  {
    ...stacked('requests_by_code', 'Requests by status', 'ringway_requests_total', 'code'),
    isMain: true,
  },
  stacked('requests_by_operation', 'Requests by operation', 'ringway_requests_total', 'operation'),
  {
    ...base('error_ratio', 'Server errors'),
    isMain: true,
    unit: 'ratio',
    derivation: { kind: 'share', part: { of: 'ringway_requests_total', where: SERVER_ERRORS } },
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
    derivation: {
      kind: 'rate',
      by: [],
      parts: [
        { of: 'ringway_received_bytes_total', labels: { direction: 'received' } },
        { of: 'ringway_sent_bytes_total', labels: { direction: 'sent' } },
      ],
    },
  },
  {
    ...base('in_progress', 'Requests in progress'),
    derivation: {
      kind: 'gauge',
      by: [],
      fold: 'sum',
      parts: [
        { of: 'ringway_requests_in_progress', labels: { what: 'in progress' } },
        { of: 'ringway_admission_waiting', labels: { what: 'waiting' } },
      ],
    },
  },
  rate('rejected', 'Requests rejected with SlowDown', 'ringway_admission_rejected_total', 'reason'),
  rate('denied', 'Authentication failures', 'ringway_auth_failures_total', 'reason'),
  stacked('backend_requests', 'Backend requests', 'ringway_backend_requests_total', 'code'),
  {
    ...base('backend_failure_ratio', 'Share of requests to the backend that fail'),
    unit: 'ratio',
    promql:
      '(sum(rate(ringway_backend_failures_total[5m])) or 0 * sum(rate(ringway_backend_requests_total[5m]))) / clamp_min(sum(rate(ringway_backend_requests_total[5m])), 1e-9)',
    derivation: {
      kind: 'share',
      part: { of: 'ringway_backend_requests_total', where: BACKEND_FAILURES },
    },
  },
  stacked(
    'backend_failures',
    'Backend failures by cause',
    'ringway_backend_failures_total',
    'cause',
  ),
  {
    ...quantiles(
      'backend_latency',
      'Backend latency to response headers',
      'ringway_backend_request_duration_seconds',
    ),
    isMain: true,
  },
  stacked(
    'identity_lookups',
    'Identity lookups by source',
    'ringway_identity_lookups_total',
    'source',
  ),
  {
    ...base('identity_failures', 'Requests during identity service outages'),
    unit: 'per_s',
    derivation: {
      kind: 'rate',
      parts: [{ of: 'ringway_identity_lookups_total', where: where('source', 'stale|none') }],
      by: [],
    },
  },
  rate('identity_requests', 'Identity service requests', 'ringway_identity_requests_total', 'code'),
  quantiles(
    'identity_latency',
    'Identity service latency',
    'ringway_identity_request_duration_seconds',
  ),
  state('identity_up', 'Identity service up', 'ringway_identity_up'),
  stacked(
    'direct_reads',
    'Reads by route (direct or proxy)',
    'ringway_swift_reads_total',
    'way',
    'reason',
  ),
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
    derivation: gaugeOf('ringway_event_loop_lag_seconds', ['stat'], 'max'),
  },
  {
    ...base('listeners_accepting', 'Listeners accepting requests'),
    derivation: { ...gaugeOf('ringway_listener_up', [], 'sum'), byHost: true },
  },
  {
    ...base('listeners_up', 'Listener status'),
    kind: 'state',
    isMain: true,
    derivation: { ...gaugeOf('ringway_listener_up', ['worker'], 'max'), byHost: true },
  },
  state('backend_up', 'Backend healthy', 'ringway_backend_up'),
  state('store_api_up', "The store's own API is served", 'ringway_swift_api_up'),
  {
    ...base('processes_silent', 'Processes not responding'),
    kind: 'bars',
    derivation: { ...gaugeOf('ringway_scrape_children_missing', [], 'max'), byHost: true },
  },
  {
    ...rate('restarts', 'Listener restarts', 'ringway_listener_restarts_total', 'reason'),
    kind: 'bars',
  },
  state('reload_ok', 'Last reload successful', 'ringway_config_last_reload_successful'),
  {
    ...base('certificate_left', 'Time until TLS certificate expiry'),
    unit: 's',
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
    derivation: gaugeOf('ringway_store_bytes', [], 'sum'),
  },
  { ...quantiles('store_sync', 'Store sync duration', 'ringway_store_sync_seconds'), tab: 'disks' },
];

export const GATEWAY_PANELS: readonly Panel[] = DESCRIBED.map(({ derivation, ...panel }) =>
  derivation === undefined ? panel : { promql: promqlOf(derivation), ...panel, derivation },
);

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
    derivation: { kind: 'rate', parts: [{ of }], by },
  };
}

function stacked(...panel: Parameters<typeof rate>): Panel {
  return { ...rate(...panel), kind: 'stacked' };
}

function quantiles(id: string, title: string, of: string): Panel {
  return {
    ...base(id, title),
    unit: 's',
    derivation: { kind: 'quantiles', part: { of }, by: [], quantiles: QUANTILES },
  };
}

/** 1 while all is well everywhere, else 0. */
function state(id: string, title: string, of: string): Panel {
  return { ...base(id, title), kind: 'state', derivation: gaugeOf(of, [], 'min') };
}

function gaugeOf(
  of: string,
  by: readonly string[],
  fold: 'sum' | 'max' | 'min',
): Extract<Derivation, { kind: 'gauge' }> {
  return { kind: 'gauge', parts: [{ of }], by, fold };
}
