import { SERVER_ERRORS } from '../panels/gateway.js';
import type { Derivation } from '../panels/panel.js';
import {
  type Chart,
  chart,
  DATASOURCE,
  figure,
  gauge,
  HOST,
  named,
  quantile,
  rate,
  ratio,
  WINDOW,
} from './chart.js';

const WIDTH = 24;
const DURATION = 'ringway_request_duration_seconds';
const BATCHES = 'ringway_store_commit_batch_size';
const SERVED: Derivation = {
  kind: 'share',
  part: { of: 'ringway_requests_total', where: SERVER_ERRORS },
};
const STAGES = `{__name__=~"ringway_stage_.+_seconds_sum", ${HOST}, path="$path"}`;
const STAGED = `ringway_stage_unattributed_seconds_count{${HOST}, path="$path"}`;
const MEAN_STAGE = `sum by (stage)(rate(${STAGES}[${WINDOW}])) / scalar(sum(rate(${STAGED}[${WINDOW}])))`;
const RESTARTS = `sum(increase(ringway_listener_restarts_total{${HOST}}[1d]))`;
const VERSIONS = `count by (version, revision)(ringway_build_info{${HOST}})`;
const normal = { stacking: 'normal' };

/** Headings, and the rows of charts below them. */
const ROWS: readonly (readonly Chart[])[] = [
  [heading(1, 'Service')],
  [
    figure(
      2,
      'Listeners up',
      'none',
      named('up', gauge('sum', 'ringway_listener_up')),
      'Of all that are configured.',
    ),
    figure(
      3,
      'Backend',
      'none',
      named('up', gauge('min', 'ringway_backend_up')),
      '1 when each listener finds it well.',
    ),
    figure(
      4,
      'Server errors',
      'percentunit',
      ['errors', SERVED],
      'Share of requests answered with 5xx, without 501 (not implemented) and 503 (slow down).',
    ),
    figure(
      5,
      'Requests in progress',
      'none',
      named('requests', gauge('sum', 'ringway_requests_in_progress')),
    ),
    figure(
      6,
      'Restarts in a day',
      'none',
      ['restarts', RESTARTS],
      'Of listeners that ended unasked.',
    ),
    figure(7, 'Version', 'none', ['{{version}} {{revision}}', VERSIONS]),
  ],
  [heading(8, 'Requests')],
  [
    chart(
      9,
      'Requests by operation',
      'reqps',
      [rate('ringway_requests_total', 'operation')],
      normal,
    ),
    chart(10, 'Errors by code', 'reqps', [rate('ringway_request_errors_total', 'error_code')], {
      ...normal,
      description: 'What clients were told.',
    }),
    chart(
      11,
      'Throughput',
      'Bps',
      [
        named('received', rate('ringway_received_bytes_total')),
        named('sent', rate('ringway_sent_bytes_total')),
      ],
      { description: 'Bodies received and sent.' },
    ),
  ],
  [
    chart(12, 'Time to first byte, p99', 's', [
      quantile(0.99, 'ringway_time_to_first_byte_seconds', 'operation'),
    ]),
    chart(13, 'Duration, p50 and p99', 's', [
      named('p50', quantile(0.5, DURATION)),
      named('p99', quantile(0.99, DURATION)),
    ]),
    chart(
      14,
      'Rejected, left, denied',
      'reqps',
      [
        named('rejected: {{reason}}', rate('ringway_admission_rejected_total', 'reason')),
        named('client left', rate('ringway_client_aborts_total')),
        named('denied: {{reason}}', rate('ringway_auth_failures_total', 'reason')),
      ],
      { description: 'Admission, clients that went away, failed authentication.' },
    ),
  ],
  [heading(15, 'Where the time goes')],
  [
    chart(16, 'Stages of a request', 's', [['{{stage}}', MEAN_STAGE]], {
      ...normal,
      description: 'Mean seconds in each stage; together they are the whole of a request.',
    }),
    chart(17, 'Admission', 's', [
      named('wait p99', quantile(0.99, 'ringway_admission_wait_seconds')),
    ]),
    chart(18, 'Event loop', 's', [gauge('max', 'ringway_event_loop_lag_seconds', 'stat')], {
      description: 'How late the worst listener is.',
    }),
  ],
  [heading(19, 'Backend')],
  [
    chart(20, 'Requests by outcome', 'reqps', [
      rate('ringway_backend_requests_total', 'method', 'code'),
    ]),
    chart(21, 'Time to its answer, p99', 's', [
      quantile(0.99, 'ringway_backend_request_duration_seconds', 'method'),
    ]),
    chart(22, 'Connections', 'none', [gauge('sum', 'ringway_backend_connections', 'state')]),
    chart(23, 'Sent once more', 'reqps', [rate('ringway_backend_retries_total', 'reason')]),
  ],
  [
    chart(33, 'Failures by cause', 'reqps', [rate('ringway_backend_failures_total', 'cause')], {
      description: 'Backend requests that failed; a proxy in two may have mended them.',
    }),
    chart(
      34,
      'Share that failed',
      'percentunit',
      [
        ratio(
          'failed',
          rate('ringway_backend_failures_total'),
          rate('ringway_backend_requests_total'),
        ),
      ],
      { description: 'Of all requests to the backend.' },
    ),
  ],
  [heading(35, 'Identity service')],
  [
    chart(
      36,
      'Identity lookups by source',
      'reqps',
      [rate('ringway_identity_lookups_total', 'source')],
      {
        description:
          'Stale: from cached data, since the service does not answer. None: rejected for it.',
      },
    ),
    chart(
      37,
      'Requests by outcome',
      'reqps',
      [rate('ringway_identity_requests_total', 'purpose', 'code')],
      { description: 'What listeners ask the identity service.' },
    ),
    chart(
      38,
      'Time to its answer, p99',
      's',
      [quantile(0.99, 'ringway_identity_request_duration_seconds', 'purpose')],
      { description: 'From a request to the end of its answer.' },
    ),
    chart(
      39,
      'Known access keys',
      'none',
      [
        named('known keys', gauge('sum', 'ringway_identity_known_keys')),
        named('up', gauge('min', 'ringway_identity_up')),
      ],
      {
        description: 'Of all listeners together; and 1 while each of them finds the service up.',
      },
    ),
  ],
  [heading(24, 'Embedded store')],
  [
    chart(25, 'Sync, p99', 's', [named('p99', quantile(0.99, 'ringway_store_sync_seconds'))], {
      description: 'Of the store to its device.',
    }),
    chart(26, 'Writes that share a sync', 'none', [
      ratio('writes', rate(`${BATCHES}_sum`), rate(`${BATCHES}_count`)),
    ]),
    chart(27, 'Size', 'bytes', [gauge('max', 'ringway_store_bytes', 'instance')]),
  ],
  [heading(28, 'Threads, versions, janitor')],
  [
    chart(29, 'Hashed on lanes', 'Bps', [named('bytes', rate('ringway_digest_lane_bytes_total'))]),
    chart(30, 'Tasks of threads', 'none', [
      named('queued', gauge('sum', 'ringway_pool_tasks_queued')),
      named('active', gauge('sum', 'ringway_pool_tasks_active')),
    ]),
    chart(31, 'Commits of version indexes', 'reqps', [
      rate('ringway_version_commits_total', 'outcome'),
    ]),
    chart(32, 'Janitor', 'reqps', [rate('ringway_janitor_actions_total', 'action', 'outcome')]),
  ],
];

/** With a place, which is yet to be found, where Grafana writes it. */
function heading(id: number, title: string): Chart {
  return { id, type: 'row', title, collapsed: false, gridPos: {}, panels: [] };
}

const HEIGHTS: Readonly<Record<string, number>> = { row: 1, stat: 4 };

/** The headings and charts, each at its place. */
function placed(): Chart[] {
  let y = 0;
  return ROWS.flatMap((row) => {
    const w = WIDTH / row.length;
    const h = HEIGHTS[String(row[0]?.type)] ?? 8;
    const top = y;
    y += h;
    return row.map((one, at) => ({ ...one, gridPos: { x: at * w, y: top, w, h } }));
  });
}

const ABOUT = {
  ...{ uid: 'ringway', title: 'Ringway', tags: ['ringway', 's3', 'swift'], timezone: '' },
  ...{ schemaVersion: 38, version: 1, editable: true, refresh: '30s', graphTooltip: 1 },
  time: { from: 'now-6h', to: 'now' },
  templating: {
    list: [
      { name: 'datasource', type: 'datasource', query: 'prometheus', label: 'Prometheus' },
      {
        ...{ name: 'instance', type: 'query', label: 'Host', datasource: DATASOURCE },
        query: { query: 'label_values(ringway_build_info, instance)', refId: 'instance' },
        ...{ refresh: 2, includeAll: true, multi: true, allValue: '.*' },
        current: { text: 'All', value: '$__all' },
      },
      {
        ...{ name: 'path', type: 'custom', label: 'Stages of' },
        query: 'get,put,head,list,delete,other',
        ...{ current: { text: 'get', value: 'get' }, options: [] },
      },
    ],
  },
  annotations: {
    list: [
      {
        ...{ name: 'Reloads', datasource: DATASOURCE, enable: true, iconColor: 'blue' },
        expr: `changes(ringway_config_reload_success_timestamp_seconds{${HOST}}[1m]) > 0`,
        titleFormat: 'reloaded',
      },
    ],
  },
};

/** The text of ops/grafana/ringway.json: a line for each panel. */
export function dashboardFile(): string {
  const head = Object.entries(ABOUT).map(([key, value]) => `"${key}": ${JSON.stringify(value)},`);
  const panels = placed().map((panel) => JSON.stringify(panel));
  return `{\n${head.join('\n')}\n"panels": [\n${panels.join(',\n')}\n]\n}\n`;
}
