import type { HealthCheck } from '../src/process/protocol.js';
import type { ChildState, HealthReport } from './child.js';

export type ServicePhase = 'starting' | 'running' | 'draining';

/** What readiness is decided from. */
export interface HealthInput {
  readonly phase: ServicePhase;
  readonly listeners: readonly {
    readonly worker: number;
    /** Undefined while the slot waits for a restart. */
    readonly state: ChildState | undefined;
    readonly health: HealthReport | undefined;
  }[];
  readonly probeIntervalMs: number;
  /** `performance.now()` */
  readonly now: number;
}

export interface AgedCheck extends HealthCheck {
  /** Since the check was made; undefined for what is known right now. */
  readonly ageMs?: number | undefined;
}

export interface Readiness {
  readonly ready: boolean;
  /** One word for the load balancer's log. */
  readonly state: 'ready' | 'starting' | 'draining' | 'unavailable';
  readonly checks: readonly AgedCheck[];
}

/** A report older than this many intervals is no longer believed: the listener is stuck. */
const STALE_INTERVALS = 3;

/** Ready: at least one listener is up, reports, and finds nothing wrong. */
export function readiness(input: HealthInput): Readiness {
  const { phase, listeners } = input;
  const up = listeners.filter(({ state }) => state === 'up');
  const checks: AgedCheck[] = [
    { name: 'service', ok: phase === 'running', detail: phase },
    {
      name: 'listeners',
      ok: up.length > 0,
      detail: `${up.length} of ${listeners.length} up`,
    },
  ];
  let healthy = 0;
  for (const { worker, health } of up) {
    const found = reportChecks(worker, health, input);
    if (found.every(({ ok }) => ok)) healthy += 1;
    checks.push(...found);
  }
  if (phase !== 'running') return { ready: false, state: phase, checks };
  return healthy > 0
    ? { ready: true, state: 'ready', checks }
    : { ready: false, state: 'unavailable', checks };
}

function reportChecks(
  worker: number,
  health: HealthReport | undefined,
  { now, probeIntervalMs }: HealthInput,
): AgedCheck[] {
  const name = (check: string): string => `listener ${worker} ${check}`;
  if (health === undefined) return [{ name: name('report'), ok: false, detail: 'none yet' }];
  const ageMs = now - health.at;
  const fresh = ageMs <= probeIntervalMs * STALE_INTERVALS;
  return [
    { name: name('report'), ok: fresh, detail: fresh ? undefined : 'stale', ageMs },
    ...health.checks.map((check) => ({ ...check, name: name(check.name), ageMs })),
  ];
}

/** The body of `/readyz?verbose`, in the form that Kubernetes' own has. */
export function renderReadiness({ state, checks }: Readiness): string {
  const lines = checks.map(({ name, ok, detail, ageMs }) => {
    const age = ageMs === undefined ? '' : ` (${(ageMs / 1000).toFixed(1)} s ago)`;
    return `[${ok ? '+' : '-'}] ${name}: ${ok ? 'ok' : 'failed'}${detail === undefined ? '' : `, ${detail}`}${age}`;
  });
  return `${[...lines, state].join('\n')}\n`;
}
