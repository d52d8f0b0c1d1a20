import { isDeepStrictEqual } from 'node:util';
import type { AccessEntry } from '../src/telemetry/access-log.js';
import {
  TRACE_STATUSES,
  TRACES_MAX,
  type TraceBatch,
  type TraceFilter,
  type TraceOrder,
  type TraceStatus,
} from '../src/telemetry/request-trace.js';

/** A request as a trace has it, with its place in it. */
export interface TracedRequest extends AccessEntry {
  readonly seq: number;
}

/** The result of a look at a trace. */
export interface TraceLook {
  readonly entries: readonly TracedRequest[];
  /** To be given as `after` at the next look. */
  readonly next: number;
  /** How many requests that fitted were not kept, since the trace began. */
  readonly skipped: number;
  /** How many processes are followed. */
  readonly listeners: number;
}

/** A process whose requests can be followed. */
export interface TraceTarget {
  trace(order: TraceOrder): void;
}

/** The time after the last look at which a trace ends. */
export const TRACE_LEASE_MS = 10_000;
/** The limit of each trace. */
const ENTRIES_MAX = 500;

interface Trace {
  readonly filter: TraceFilter;
  readonly timer: NodeJS.Timeout;
  entries: TracedRequest[];
  seq: number;
  /** The last entry that a look has found. */
  seen: number;
  skipped: number;
}

/**
 * The traces of requests. Each begins with the first look at it, and ends ten seconds after the last
 * one. Nothing is kept of a trace that has ended.
 */
export class RequestTraces {
  readonly #traces = new Map<string, Trace>();
  readonly #targets = new Set<TraceTarget>();

  join(target: TraceTarget): void {
    this.#targets.add(target);
    for (const [id, { filter }] of this.#traces) {
      target.trace({ id, filter, forMs: TRACE_LEASE_MS });
    }
  }

  leave(target: TraceTarget): void {
    this.#targets.delete(target);
  }

  /**
   * @param after - of the look before; 0 at first
   * @returns undefined when there are as many traces already as there may be
   */
  look(id: string, filter: TraceFilter, after: number): TraceLook | undefined {
    const trace = this.#open(id, filter);
    if (trace === undefined) return undefined;
    for (const target of this.#targets) target.trace({ id, filter, forMs: TRACE_LEASE_MS });
    trace.seen = trace.seq;
    return {
      entries: trace.entries.filter(({ seq }) => seq > after),
      next: trace.seq,
      skipped: trace.skipped,
      listeners: this.#targets.size,
    };
  }

  /** Takes what a process has seen; entries of traces that have ended are dropped. */
  add(batches: readonly TraceBatch[]): void {
    for (const { id, entries, skipped } of batches) {
      const trace = this.#traces.get(id);
      if (trace === undefined) continue;
      trace.skipped += skipped;
      trace.entries.push(...entries.map((entry) => ({ seq: ++trace.seq, ...entry })));
      const over = trace.entries.length - ENTRIES_MAX;
      if (over <= 0) continue;
      // An entry dropped here was skipped, unless a look had found it.
      const { seen } = trace;
      trace.skipped += trace.entries.slice(0, over).filter(({ seq }) => seq > seen).length;
      trace.entries = trace.entries.slice(over);
    }
  }

  #open(id: string, filter: TraceFilter): Trace | undefined {
    const found = this.#traces.get(id);
    if (found !== undefined && isDeepStrictEqual(found.filter, filter)) {
      found.timer.refresh();
      return found;
    }
    if (found === undefined && this.#traces.size >= TRACES_MAX) return undefined;
    clearTimeout(found?.timer);
    const timer = setTimeout(() => this.#traces.delete(id), TRACE_LEASE_MS).unref();
    // Other wishes make another trace, but its numbers go on: who looks has seen the former ones.
    const seq = found?.seq ?? 0;
    const trace = { filter, timer, entries: [], seq, seen: seq, skipped: 0 };
    this.#traces.set(id, trace);
    return trace;
  }
}

/** The traces of this process' listeners. */
export const processTraces = new RequestTraces();

/** The answer of the admin port: JSON, or the text of a mistake. */
interface Answer {
  readonly status: number;
  readonly body: unknown;
}

const NAMES = ['id', 'after', 'every', 'method', 'operation', 'bucket', 'status', 'min_ms'];
const EVERY_MAX = 100_000;

/**
 * `GET /tracez?id=NAME`: the requests that have ended since the look before, which `after` tells.
 * `every`, `method`, `operation`, `bucket`, `status` and `min_ms` are the wishes of
 * {@link TraceFilter}.
 */
export function lookAtTrace(traces: RequestTraces, query: URLSearchParams): Answer {
  const mistake = (body: string): Answer => ({ status: 400, body: `${body}\n` });
  const unknown = [...query.keys()].find((name) => !NAMES.includes(name));
  if (unknown !== undefined) return mistake(`not understood: ${unknown}`);
  const id = query.get('id') ?? '';
  if (!/^[A-Za-z0-9-]{1,64}$/.test(id)) return mistake('id: expected letters, digits and hyphens');
  const after = numberOf(query.get('after') ?? '0', 0, Number.MAX_SAFE_INTEGER);
  const every = numberOf(query.get('every') ?? '1', 1, EVERY_MAX);
  const minMs = numberOf(query.get('min_ms') ?? '0', 0, 86_400_000);
  if (after === undefined || every === undefined || minMs === undefined) {
    return mistake('after, every, min_ms: expected whole numbers');
  }
  const status = query.get('status') ?? undefined;
  if (status !== undefined && !isTraceStatus(status)) {
    return mistake(`status: expected one of ${TRACE_STATUSES.join(', ')}`);
  }
  const [method, operation, bucket] = ['method', 'operation', 'bucket'].map(
    (name) => query.get(name)?.slice(0, 255) ?? undefined,
  );
  const look = traces.look(id, { every, method, operation, bucket, status, minMs }, after);
  if (look === undefined) return { status: 429, body: `there are ${TRACES_MAX} traces already\n` };
  return { status: 200, body: look };
}

function isTraceStatus(text: string): text is TraceStatus {
  return (TRACE_STATUSES as readonly string[]).includes(text);
}

function numberOf(text: string, min: number, max: number): number | undefined {
  const number = Number(text);
  return /^\d+$/.test(text) && number >= min && number <= max ? number : undefined;
}
