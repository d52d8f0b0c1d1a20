import { z } from 'zod';
import type { AdminClient } from '../../server/admin-client.js';
import { expectOk, SourceError, sourceError } from './sources/source.js';

const TIMEOUT_MS = 5000;

const USAGE = {
  cpu_s: z.number().nullish(),
  rss_bytes: z.number().nullish(),
};
const STATUS = z.object({
  pid: z.number(),
  started_at: z.string(),
  phase: z.string(),
  ...USAGE,
  children: z.array(
    z.object({
      kind: z.string(),
      worker: z.number().nullish(),
      pid: z.number().nullable(),
      state: z.string(),
      restarts: z.number(),
      started_at: z.string().nullable(),
      ...USAGE,
      requests_total: z.number().nullish(),
      event_loop_lag_s: z.number().nullish(),
    }),
  ),
});

/** A process of the gateway as the page has it. */
export interface WorkerView {
  readonly role: string;
  readonly worker: number | null;
  readonly pid: number | null;
  readonly state: string;
  readonly restarts: number | null;
  readonly started_unix_s: number | null;
  /** 1 is one core. */
  readonly cpu_ratio: number | null;
  readonly rss_bytes: number | null;
  readonly requests_per_s: number | null;
  readonly event_loop_lag_s: number | null;
}

/** All processes, as the page has them. */
export interface WorkersView {
  readonly at_unix_s: number | null;
  readonly state: 'ok' | 'unknown';
  readonly reason?: string;
  readonly items: readonly WorkerView[];
}

interface Totals {
  readonly cpuS: number | null | undefined;
  readonly requests: number | null | undefined;
}

/** The gateway's processes, and how much they did between two looks at them. */
export class Workers {
  #items: readonly WorkerView[] = [];
  #lastMs: number | undefined;
  #totals: ReadonlyMap<number, Totals> = new Map();
  #reason: string | undefined = 'nothing was measured yet';

  constructor(private readonly admin: Pick<AdminClient, 'get' | 'isConfigured'>) {}

  async look(nowMs: number): Promise<void> {
    if (!this.admin.isConfigured) {
      this.#reason = 'admin_url is not configured';
      return;
    }
    try {
      this.#take(await this.#status(), nowMs);
      this.#reason = undefined;
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      this.#reason = `the gateway: ${error.reason}`;
    }
  }

  view(): WorkersView {
    const at = { at_unix_s: this.#lastMs === undefined ? null : this.#lastMs / 1000 };
    return this.#reason === undefined
      ? { ...at, state: 'ok', items: this.#items }
      : { ...at, state: 'unknown', reason: this.#reason, items: this.#items };
  }

  async #status(): Promise<z.infer<typeof STATUS>> {
    try {
      const { status, text } = await this.admin.get('/statusz', AbortSignal.timeout(TIMEOUT_MS));
      expectOk(status);
      return STATUS.parse(JSON.parse(text));
    } catch (error) {
      throw sourceError(error);
    }
  }

  #take(status: z.infer<typeof STATUS>, nowMs: number): void {
    const supervisor = {
      kind: 'supervisor',
      worker: null,
      pid: status.pid,
      state: status.phase === 'running' ? 'up' : status.phase,
      restarts: null,
      started_at: status.started_at,
      cpu_s: status.cpu_s,
      rss_bytes: status.rss_bytes,
      requests_total: null,
      event_loop_lag_s: null,
    };
    const elapsedS = this.#lastMs === undefined ? 0 : (nowMs - this.#lastMs) / 1000;
    const totals = new Map<number, Totals>();
    this.#items = [supervisor, ...status.children].map((one) => {
      const now: Totals = { cpuS: one.cpu_s, requests: one.requests_total };
      const before = one.pid === null ? undefined : this.#totals.get(one.pid);
      if (one.pid !== null) totals.set(one.pid, now);
      return {
        role: one.kind,
        worker: one.worker ?? null,
        pid: one.pid,
        state: one.state,
        restarts: one.restarts,
        started_unix_s: one.started_at === null ? null : Date.parse(one.started_at) / 1000,
        cpu_ratio: perSecond(before?.cpuS, now.cpuS, elapsedS),
        rss_bytes: one.rss_bytes ?? null,
        requests_per_s: perSecond(before?.requests, now.requests, elapsedS),
        event_loop_lag_s: one.event_loop_lag_s ?? null,
      };
    });
    this.#totals = totals;
    this.#lastMs = nowMs;
  }
}

function perSecond(
  before: number | null | undefined,
  now: number | null | undefined,
  elapsedS: number,
): number | null {
  if (typeof before !== 'number' || typeof now !== 'number' || elapsedS <= 0) return null;
  return now < before ? null : (now - before) / elapsedS;
}
