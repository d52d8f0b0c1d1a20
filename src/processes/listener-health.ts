import { performance } from 'node:perf_hooks';
import type { HealthCheck } from './protocol.js';
import type { S3Health } from '../s3/request/health-path.js';

/** A probe older than this many intervals is out of date; the supervisor has the same rule. */
const STALE_INTERVALS = 3;

/** A listener's knowledge of its own health, from its last probe. */
export class ListenerHealth {
  #probedAt = -Infinity;
  #isWell = false;
  #leaves = false;

  constructor(
    private readonly probeIntervalMs: number,
    private readonly now: () => number = () => performance.now(),
  ) {}

  probed(checks: readonly HealthCheck[]): void {
    this.#probedAt = this.now();
    this.#isWell = checks.every(({ ok }) => ok);
  }

  /** A drain is near: load balancers are to send no more. */
  leave(): void {
    this.#leaves = true;
  }

  get current(): S3Health {
    if (this.#leaves) return 'draining';
    const fresh = this.now() - this.#probedAt <= this.probeIntervalMs * STALE_INTERVALS;
    return fresh && this.#isWell ? 'ready' : 'unavailable';
  }
}
