import { GATEWAY_RULES } from '../alerts/gateway-rules.js';
import type { PrometheusRule, Severity } from '../alerts/rule.js';

/** A rule as it stands in the file. */
interface ShippedRule extends PrometheusRule {
  readonly severity: Severity;
  /** How long the condition has to hold. */
  readonly forS: number;
}

const MINUTE_S = 60;
const HOUR_S = 3600;

/** The 99th percentile of a histogram, for each host. */
function p99(of: string, selector: string): string {
  return `histogram_quantile(0.99, sum by (instance, le) (rate(${of}_bucket{${selector}}[5m])))`;
}

/** Rules that the console has no like of. */
const OTHERS: readonly ShippedRule[] = [
  {
    alert: 'RingwayDown',
    expr: 'up{job="ringway"} == 0',
    severity: 'critical',
    forS: 2 * MINUTE_S,
    summary: 'Ringway on {{ $labels.instance }} does not answer on its admin port.',
  },
  {
    alert: 'RingwayIdentitySlow',
    expr: `${p99('ringway_identity_request_duration_seconds', 'purpose="verify"')} > 1`,
    severity: 'warning',
    forS: 10 * MINUTE_S,
    summary:
      'One new access key in a hundred of {{ $labels.instance }} waits {{ $value | humanizeDuration }} for the identity service.',
  },
  {
    alert: 'RingwaySlowFirstByte',
    expr: `${p99('ringway_time_to_first_byte_seconds', 'operation=~"GetObject|HeadObject"')} > 1`,
    severity: 'warning',
    forS: 10 * MINUTE_S,
    summary:
      'One read in a hundred of {{ $labels.instance }} waits {{ $value | humanizeDuration }} for its first byte.',
  },
  {
    alert: 'RingwaySlowRequests',
    expr: `${p99('ringway_request_duration_seconds', 'operation=~"HeadObject|HeadBucket|DeleteObject|ListObjectsV2"')} > 2.5`,
    severity: 'warning',
    forS: 10 * MINUTE_S,
    summary:
      'One request without a body in a hundred of {{ $labels.instance }} takes {{ $value | humanizeDuration }}.',
  },
  {
    alert: 'RingwayAccessLogLost',
    expr: 'sum by (instance) (increase(ringway_access_log_dropped_total[15m])) > 0',
    severity: 'warning',
    forS: 0,
    summary:
      '{{ $labels.instance }} loses lines of its access log, since the file cannot be written.',
  },
  {
    alert: 'RingwayConsoleDown',
    expr: 'ringway_console_up == 0',
    severity: 'warning',
    forS: 5 * MINUTE_S,
    summary:
      'The console of {{ $labels.instance }} is not served; the log says why. S3 does not need it.',
  },
  {
    alert: 'RingwayRepairDebt',
    expr: 'ringway_repair_debt_index_ratio > 0.2',
    severity: 'warning',
    forS: 30 * MINUTE_S,
    summary:
      'The cluster owes so much repair work that it takes {{ $value | humanizePercentage }} of reclaim_age; the Repair Debt Index of the console says of what.',
  },
  {
    alert: 'RingwayRepairInsolvency',
    expr: 'ringway_repair_debt_insolvency_seconds < 172800',
    severity: 'warning',
    forS: 30 * MINUTE_S,
    summary:
      'In {{ $value | humanizeDuration }} repairs are behind by reclaim_age, if they go on like that; deleted objects may come back then.',
  },
];

const HEAD = `# Alerts for Ringway; alerts_test.yml beside it tests each. \`instance\` is one host. The file is made
# of console/surfaces/monitor by \`npm run shipped\`.
groups:
  - name: ringway
    rules:
`;

/** The text of ops/prometheus/alerts.yml. */
export function alertsFile(): string {
  const shared = GATEWAY_RULES.flatMap(({ prometheus, severity, forS }) =>
    prometheus === undefined ? [] : [{ ...prometheus, severity, forS }],
  );
  return HEAD + [...OTHERS, ...shared].map(entryOf).join('\n');
}

function entryOf({ alert, note, expr, forS, severity, summary }: ShippedRule): string {
  const lines = [
    `      - alert: ${alert}`,
    ...(note === undefined ? [] : [`        # ${note}`]),
    '        expr: |-',
    `          ${expr}`,
    ...(forS === 0 ? [] : [`        for: ${durationOf(forS)}`]),
    '        labels:',
    `          severity: ${severity}`,
    '        annotations:',
    '          summary: |-',
    `            ${summary}`,
  ];
  return `${lines.join('\n')}\n`;
}

function durationOf(seconds: number): string {
  return seconds % HOUR_S === 0 ? `${seconds / HOUR_S}h` : `${seconds / MINUTE_S}m`;
}
