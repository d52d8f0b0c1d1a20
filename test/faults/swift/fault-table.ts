import type { Instant, Operation } from '../history/operation.js';

/** The observations of one fault. */
export interface FaultRow {
  readonly title: string;
  /** PUTs that were acknowledged from the fault to the recovery. */
  readonly acknowledged: number;
  /** Operations in the same time, and those of them that ended in an error. */
  readonly operations: number;
  readonly errors: number;
  /** The longest of them. */
  readonly longestMs: number;
  /** From when the fault was about to be undone to the last error; 0 without one after that. */
  readonly recoveryMs: number;
  /** Keys with acknowledged PUTs in that time; looked for at the end. */
  readonly keys: ReadonlySet<string>;
}

/**
 * @param operations of all clients
 * @param fault when it began, and when it was about to be undone
 */
export function faultRow(
  title: string,
  operations: readonly Operation[],
  { from, undone }: { readonly from: Instant; readonly undone: Instant },
): FaultRow {
  const seen = operations.filter(({ end }) => end > from);
  const failed = seen.filter(({ outcome }) => outcome.result !== 'ok');
  const puts = seen.flatMap((each) =>
    each.op === 'put' && each.outcome.result === 'ok' ? [each] : [],
  );
  const lastError = Math.max(undone, ...failed.map(({ end }) => end));
  return {
    title,
    acknowledged: puts.length,
    operations: seen.length,
    errors: failed.length,
    longestMs: Math.max(0, ...seen.map(({ start, end }) => end - start)) / 1000,
    recoveryMs: (lastError - undone) / 1000,
    keys: new Set(puts.map(({ key }) => key)),
  };
}

/** @param lost keys that are not what they should be in the end */
export function renderTable(rows: readonly FaultRow[], lost: ReadonlySet<string>): string {
  const lines = rows.map(
    ({ title, acknowledged, operations, errors, longestMs, recoveryMs, keys }) => {
      const gone = [...keys].filter((key) => lost.has(key)).length;
      const cells = [
        ...[title, acknowledged, gone, `${errors} of ${operations}`],
        ...[seconds(longestMs), recoveryMs === 0 ? 'at once' : seconds(recoveryMs)],
      ];
      return `| ${cells.join(' | ')} |`;
    },
  );
  return [
    '| Fault | writes acknowledged | of these lost | errors | longest request | errors after its end |',
    '|---|---|---|---|---|---|',
    ...lines,
  ].join('\n');
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
