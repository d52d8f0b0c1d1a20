import type { AccessEntry } from './access-log.js';
import type { FinishedRequest } from './metrics.js';

/** The requests that an operator wants to see as they end. */
export interface TraceFilter {
  /** One of so many of those that fit; 1 for all. */
  readonly every: number;
  readonly method?: string | undefined;
  readonly operation?: string | undefined;
  readonly bucket?: string | undefined;
  /** `errors`: 4xx and 5xx. */
  readonly status?: TraceStatus | undefined;
  /** Only requests that took at least so many milliseconds. */
  readonly minMs?: number | undefined;
}

export const TRACE_STATUSES = ['2xx', '3xx', '4xx', '5xx', 'errors'] as const;

export type TraceStatus = (typeof TRACE_STATUSES)[number];

/** A wish to see requests for a while; the same `id` again makes it last longer. */
export interface TraceOrder {
  readonly id: string;
  readonly filter: TraceFilter;
  readonly forMs: number;
}

/** Requests seen for an order since the last batch. */
export interface TraceBatch {
  readonly id: string;
  readonly entries: readonly AccessEntry[];
  /** How many more there were than are sent. */
  readonly skipped: number;
}

export type SendTraces = (batches: readonly TraceBatch[]) => void;

/** The limit of orders at once; others are ignored. */
export const TRACES_MAX = 4;
const FLUSH_MS = 250;
/** 200 requests a second for each order: more than anybody reads. */
const BATCH_MAX = 50;

interface Running {
  filter: TraceFilter;
  untilMs: number;
  /** How many have fitted so far. */
  fitted: number;
  entries: AccessEntry[];
  skipped: number;
}

/**
 * The trace shows operators requests as they end. It costs nothing while it is off, and is bounded
 * while it is on: in orders, in entries and in time.
 */
export class RequestTrace {
  /** Whether there is an order: all that a request asks while there is none. */
  isOn = false;
  readonly #running = new Map<string, Running>();
  #send: SendTraces = () => undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly nowMs: () => number = () => performance.now()) {}

  /** @param send takes what was seen, a few times a second */
  follow({ id, filter, forMs }: TraceOrder, send: SendTraces): void {
    const former = this.#running.get(id);
    if (former === undefined && this.#running.size >= TRACES_MAX) return;
    const untilMs = this.nowMs() + forMs;
    if (former === undefined) {
      this.#running.set(id, { filter, untilMs, fitted: 0, entries: [], skipped: 0 });
    } else Object.assign(former, { filter, untilMs });
    this.#send = send;
    this.isOn = true;
    this.#timer ??= setInterval(() => {
      this.flush();
    }, FLUSH_MS).unref();
  }

  /** @param entry makes what is shown of the request, once an order fits it */
  offer(finished: FinishedRequest, method: string, entry: () => AccessEntry): void {
    let made: AccessEntry | undefined;
    for (const running of this.#running.values()) {
      if (!fits(running.filter, finished, method)) continue;
      if (running.fitted++ % running.filter.every !== 0) continue;
      if (running.entries.length < BATCH_MAX) running.entries.push((made ??= entry()));
      else running.skipped += 1;
    }
  }

  /** Sends what was seen, and ends what has had its time. */
  flush(): void {
    const batches: TraceBatch[] = [];
    for (const [id, running] of this.#running) {
      const { entries, skipped, untilMs } = running;
      if (entries.length > 0) batches.push({ id, entries, skipped });
      running.entries = [];
      running.skipped = 0;
      if (untilMs <= this.nowMs()) this.#running.delete(id);
    }
    if (batches.length > 0) this.#send(batches);
    if (this.#running.size === 0) this.close();
  }

  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#running.clear();
    this.isOn = false;
  }
}

function fits(filter: TraceFilter, finished: FinishedRequest, method: string): boolean {
  const { operation, bucket, status, minMs = 0 } = filter;
  return (
    (filter.method === undefined || filter.method === method) &&
    (operation === undefined || operation === finished.operation) &&
    (bucket === undefined || bucket === finished.bucket) &&
    (status === undefined || isOfClass(finished.status, status)) &&
    finished.durationS * 1000 >= minMs
  );
}

function isOfClass(status: number, wanted: TraceStatus): boolean {
  return wanted === 'errors' ? status >= 400 : Math.floor(status / 100) === Number(wanted[0]);
}
