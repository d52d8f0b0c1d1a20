import { SourceError } from '../sources/source.js';
import type { LogStore } from './log-store.js';
import { levelOf, volumeQuery, type LogWish } from './logql.js';

/** How many lines there were, as the page has it: of each level, in steps that end at their time. */
export type VolumeView =
  | {
      readonly state: 'ok';
      readonly step_s: number;
      readonly from_unix_s: number;
      readonly to_unix_s: number;
      /** Null when no line of the range is lost; else from when on none is: earlier counts are unknown. */
      readonly complete_from_unix_s: number | null;
      readonly series: readonly {
        readonly level: string;
        readonly points: readonly (readonly [unixS: number, count: number])[];
      }[];
    }
  | { readonly state: 'unknown'; readonly reason: string };

const STEPS_MAX = 60;

/** Whole steps of so many seconds cover the range, and end where a multiple of them does. */
export function stepsOf(fromS: number, toS: number) {
  const stepS = Math.max(1, Math.ceil((toS - fromS) / STEPS_MAX));
  const startS = Math.floor(fromS / stepS) * stepS;
  return { stepS, startS, endS: Math.ceil(toS / stepS) * stepS };
}

/**
 * Counts lines by their level. Their text is not asked for: what the page hides of a line could be
 * found out by counting.
 */
export async function volumeOf(
  store: LogStore,
  wish: Omit<LogWish, 'contains'>,
  range: { readonly fromS: number; readonly toS: number },
): Promise<VolumeView> {
  const { stepS, startS, endS } = stepsOf(range.fromS, range.toS);
  const { services, nodes, level, hideOwn } = wish;
  try {
    const { series: counted, completeFromS } = await store.counts(
      volumeQuery({ services, nodes, level, hideOwn }, store.names, stepS),
      { fromS: startS + stepS, toS: endS, stepS },
    );
    const byLevel = new Map<string, Map<number, number>>();
    for (const { labels, values } of counted) {
      const name = levelOf(labels[store.names.level]);
      const points = byLevel.get(name) ?? new Map<number, number>();
      for (const [time, count] of values) points.set(time, (points.get(time) ?? 0) + count);
      byLevel.set(name, points);
    }
    const series = [...byLevel].map(([name, points]) => ({ level: name, points: [...points] }));
    const isComplete = completeFromS === null || completeFromS <= range.fromS;
    return {
      state: 'ok',
      step_s: stepS,
      from_unix_s: startS,
      to_unix_s: endS,
      complete_from_unix_s: isComplete ? null : completeFromS,
      series,
    };
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    return { state: 'unknown', reason: `Log volume is unavailable: ${error.reason}.` };
  }
}
