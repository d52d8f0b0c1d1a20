import type { RecentCalls } from '../telemetry/backend-failures.js';
import type { HealthCheck } from './protocol.js';

/** Fewer calls are no share. */
const CALLS_MIN = 20;
/**
 * A listener of which hardly a call to its backend succeeds is not ready. Less than that may be the
 * doing of one client with one broken bucket, for which the others are not to be sent away.
 */
const FAILED_SHARE_MAX = 0.95;

/**
 * The share of the calls to the backend that failed in the last minute, and why.
 * @returns nothing where no backend is called over a network, or none was
 */
export function callsCheck({ calls, failed, causes }: RecentCalls): HealthCheck[] {
  if (calls === 0) return [];
  const name = 'backend calls';
  const of = `of ${calls} in the last minute`;
  if (failed === 0) return [{ name, ok: true, detail: `none ${of} failed` }];
  const ok = calls < CALLS_MIN || failed / calls < FAILED_SHARE_MAX;
  const why = Object.entries(causes)
    .sort(([, a], [, b]) => b - a)
    .map(([cause, count]) => `${cause} ${count}`)
    .join(', ');
  return [{ name, ok, detail: `${share(failed, calls)} ${of} failed (${why})` }];
}

/** Never rounded to none or to all. */
function share(failed: number, calls: number): string {
  if (failed === calls) return 'all';
  const percent = Math.round((failed / calls) * 100);
  return `${Math.min(99, Math.max(1, percent))} %`;
}
