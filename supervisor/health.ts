import type { HealthCheck } from '../src/processes/protocol.js';
import type { ChildState, HealthReport } from './child.js';
import { CHILD_KINDS, nameOf, type ChildKind } from './kinds.js';

export type ServicePhase = 'starting' | 'running' | 'draining';

/** The facts that decide readiness. */
export interface HealthInput {
  readonly phase: ServicePhase;
  readonly children: readonly ChildHealth[];
  readonly probeIntervalMs: number;
  /** `performance.now()` */
  readonly now: number;
}

export interface ChildHealth {
  readonly kind: ChildKind;
  readonly worker: number;
  /** Undefined while the slot waits for a restart. */
  readonly state: ChildState | undefined;
  readonly health: HealthReport | undefined;
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

/**
 * Whether a process is there and lives: one that stands still sends no reports any more. All that says
 * what is well goes by this: readiness, metrics and with them alerts, and the list of processes.
 */
export function isUp(
  { state, health }: Pick<ChildHealth, 'state' | 'health'>,
  { now, probeIntervalMs }: Pick<HealthInput, 'now' | 'probeIntervalMs'>,
): boolean {
  // Its first report follows its start at once.
  return state === 'up' && (health === undefined || isFresh(health, { now, probeIntervalMs }));
}

function isFresh(
  { at }: HealthReport,
  { now, probeIntervalMs }: Pick<HealthInput, 'now' | 'probeIntervalMs'>,
): boolean {
  return now - at <= probeIntervalMs * STALE_INTERVALS;
}

/** A report older than this many intervals is no longer believed: the listener is stuck. */
const STALE_INTERVALS = 3;

/**
 * Ready: at least one listener is up, reports, and finds nothing wrong. Other children are shown, and
 * decide nothing: requests are served without them.
 */
export function readiness(input: HealthInput): Readiness {
  const { phase, children } = input;
  const listeners = children.filter(({ kind }) => CHILD_KINDS[kind].servesRequests);
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
  for (const listener of up) {
    const found = reportChecks(listener, input);
    if (found.every(({ ok }) => ok)) healthy += 1;
    checks.push(...found);
  }
  for (const child of children.filter((one) => !listeners.includes(one))) {
    const { state } = child;
    if (state === 'up') checks.push(...reportChecks(child, input));
    else checks.push({ name: nameOf(child), ok: false, detail: state ?? 'waits for a restart' });
  }
  if (phase !== 'running') return { ready: false, state: phase, checks };
  return healthy > 0
    ? { ready: true, state: 'ready', checks }
    : { ready: false, state: 'unavailable', checks };
}

function reportChecks(child: ChildHealth, input: HealthInput): AgedCheck[] {
  const { health } = child;
  const name = (check: string): string => `${nameOf(child)} ${check}`;
  if (health === undefined) return [{ name: name('report'), ok: false, detail: 'none yet' }];
  const ageMs = input.now - health.at;
  const fresh = isFresh(health, input);
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
