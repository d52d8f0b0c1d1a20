import type { Check, ClusterHealth } from './fault.js';
import type { ProbeTime } from './score.js';

export type AbortReason =
  'operator' | 'error_rate' | 'wrong_read' | 'node_unhealthy' | 'disk_full' | 'ttl' | 'failed';

/** Above so many failures in ten seconds a fault ends by itself (console.md 7.5). */
export const ERROR_RATE_MAX = 0.05;
const WINDOW_MS = 10_000;
/** Fewer probes say nothing of a rate: one failure would be too many. */
const WINDOW_PROBES_MIN = 10;

/** The share of failures in the last ten seconds; null where there were too few probes. */
export function errorRate(probes: readonly ProbeTime[], nowMs: number): number | null {
  let n = 0;
  let failed = 0;
  for (let at = probes.length - 1; at >= 0; at--) {
    const probe = probes[at];
    if (probe === undefined || probe.end_ms < nowMs - WINDOW_MS) break;
    n += 1;
    if (!probe.isOk) failed += 1;
  }
  return n < WINDOW_PROBES_MIN ? null : failed / n;
}

/**
 * Three lives, which are thirds of the failures that end a fault by themselves.
 * @param rate - see {@link errorRate}
 */
export function livesOf(rate: number | null, wrongReads: number): number {
  if (wrongReads > 0) return 0;
  if (rate === null) return 3;
  return Math.max(0, Math.min(3, Math.ceil(3 * (1 - rate / ERROR_RATE_MAX))));
}

/** console.md 7.5: a disk that is fuller may not take what handoffs need. */
const FREE_RATIO_MIN = 0.1;

/** The words of the timeline for the end of a fault. */
export const ABORT_WORDS: Readonly<Record<AbortReason, string>> = {
  operator: 'An operator aborted it.',
  error_rate: 'More than 5 % of the probes of ten seconds failed, so it was aborted.',
  wrong_read: 'Wrong bytes were read, so it was aborted.',
  node_unhealthy: 'Another server does not answer, so it was aborted.',
  disk_full: 'A disk has less than 10 % free, so it was aborted.',
  ttl: 'Its time was over.',
  failed: 'It could not be injected.',
};

/** The state that the whole cluster has to be in before a fault. */
export function healthChecks({ down, free_ratio: free }: ClusterHealth): Check[] {
  const isRoomy = free === null || free >= FREE_RATIO_MIN;
  return [
    {
      id: 'servers',
      is_ok: down.length === 0,
      text:
        down.length === 0 ? 'All storage servers answer.' : `No answer from ${down.join(', ')}.`,
    },
    {
      id: 'disks',
      is_ok: isRoomy,
      text:
        free === null
          ? 'How full the disks are is not known.'
          : `The fullest disk has ${Math.floor(100 * free)} % free${isRoomy ? '' : ', and 10 % are needed'}.`,
    },
  ];
}

/** The reason that ends a fault by itself, looked at each second (console.md 7.5). */
export function reasonToAbort(seen: {
  readonly errorRate: number | null;
  readonly wrongReads: number;
  readonly health: ClusterHealth;
}): { readonly reason: AbortReason; readonly because?: string } | undefined {
  const { down, free_ratio: free } = seen.health;
  if (seen.wrongReads > 0) return { reason: 'wrong_read' };
  if ((seen.errorRate ?? 0) > ERROR_RATE_MAX) return { reason: 'error_rate' };
  if (down.length > 0) {
    return { reason: 'node_unhealthy', because: `No answer from ${down.join(', ')}.` };
  }
  return free !== null && free < FREE_RATIO_MIN ? { reason: 'disk_full' } : undefined;
}
