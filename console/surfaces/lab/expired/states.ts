import type { NodeHead } from '../ground/node-reader.js';

/** The states of an object that expires, in their order (SPEC.md 3.7). */
export const STATES = [
  'Alive',
  'Logically Expired',
  'Recoverable Ghost',
  'Physically Reaped',
] as const;
export type ExpiredState = (typeof STATES)[number];

/** The answers of an object's devices, asked as a replicator asks: expired objects are opened. */
export interface ReplicaSight {
  readonly node: string;
  readonly device: string;
  /** Place of a primary; null for a handoff. */
  readonly index: number | null;
  readonly state: NodeHead['state'];
  /** The time of the file or the tombstone, as Swift writes it. */
  readonly timestamp: string | null;
}

/** One look at an object. */
export interface Sight {
  readonly atS: number;
  /** The status of an ordinary GET; null where no answer came. */
  readonly status: number | null;
  /** The status of a GET with `X-Open-Expired`; null where it was not asked. */
  readonly openStatus: number | null;
  /** Empty where the storage nodes are not known. */
  readonly replicas: readonly ReplicaSight[];
}

/** @returns undefined where the look says nothing, such as when the proxy is away */
export function stateOf(deleteAtS: number, sight: Sight): ExpiredState | undefined {
  const { status, openStatus, replicas, atS } = sight;
  if (status === 200) return 'Alive';
  if (status !== 404 || atS < deleteAtS) return undefined;
  const isOpened = openStatus === 200 || replicas.some(({ state }) => state === 'present');
  if (isOpened) return 'Recoverable Ghost';
  if (replicas.length > 0) {
    return isReaped(deleteAtS, replicas) ? 'Physically Reaped' : 'Logically Expired';
  }
  // Only a proxy that opens expired objects can say that there is nothing any more.
  return openStatus === 404 ? 'Physically Reaped' : 'Logically Expired';
}

/** Whether all primaries that answer have a tombstone of the expiry, or of later. */
function isReaped(deleteAtS: number, replicas: readonly ReplicaSight[]): boolean {
  const primaries = replicas.filter(
    ({ index, state }) => index !== null && state !== 'unreachable',
  );
  return (
    primaries.length > 0 &&
    primaries.every(
      ({ state, timestamp }) =>
        state === 'tombstone' && timestamp !== null && Number.parseFloat(timestamp) >= deleteAtS,
    )
  );
}

/** Some primaries have lost the data, others still have it. */
export function isPartlyReaped(replicas: readonly ReplicaSight[]): boolean {
  const primaries = replicas.filter(({ index }) => index !== null);
  const has = (state: ReplicaSight['state']) => primaries.some((one) => one.state === state);
  return has('present') && has('tombstone');
}

export interface StateSpan {
  readonly state: ExpiredState;
  readonly from_unix_s: number;
  /** Null while it lasts. */
  readonly to_unix_s: number | null;
}

/**
 * The course of an object after one more look. States come in their order: one that was too short
 * to be seen is there with no length, and an object never goes back.
 */
export function advance(
  spans: readonly StateSpan[],
  state: ExpiredState | undefined,
  atS: number,
): StateSpan[] {
  const last = spans.at(-1);
  const from = last === undefined ? -1 : STATES.indexOf(last.state);
  const to = state === undefined ? -1 : STATES.indexOf(state);
  if (to <= from) return [...spans];
  const ended = spans.map((span) => (span === last ? { ...span, to_unix_s: atS } : span));
  const passed = STATES.slice(from + 1, to + 1).map((one, index, all) => ({
    state: one,
    from_unix_s: atS,
    to_unix_s: index === all.length - 1 ? null : atS,
  }));
  return [...ended, ...passed];
}

export interface GhostSummary {
  readonly n: number;
  readonly reaped: number;
  /** Objects that were not reaped while they were watched: they are in no mean. */
  readonly censored: number;
  readonly mean_s: number | null;
  /** The nearest rank. */
  readonly p95_s: number | null;
  readonly max_s: number | null;
}

/** @param periods - seconds from expiry to the reaping; null for an object that was not reaped */
export function summaryOf(periods: readonly (number | null)[]): GhostSummary {
  const known = periods.flatMap((one) => one ?? []).sort((a, b) => a - b);
  const reaped = known.length;
  return {
    n: periods.length,
    reaped,
    censored: periods.length - reaped,
    mean_s: reaped === 0 ? null : known.reduce((sum, one) => sum + one, 0) / reaped,
    p95_s: known[Math.ceil(0.95 * reaped) - 1] ?? null,
    max_s: known.at(-1) ?? null,
  };
}
