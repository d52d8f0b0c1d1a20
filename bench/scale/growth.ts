import type { WireRequest } from '../load/wire.js';
import { cycle } from '../rows/workloads.js';
import { measurePoint } from './measure-point.js';
import type { ScaleOptions } from './options.js';
import type { Growth, GrowthCurve } from './results.js';
import { startSubject, type Subject } from './service.js';

/** An operation whose cost is watched while something grows. */
export interface GrowingOperation {
  readonly operation: string;
  readonly title: string;
  /** The limit of operations in a slice, if each makes the store grow. */
  readonly operationsMax?: number;
  /** Requests for that size, made before they are measured, over and over. */
  readonly prepare: (
    subject: Subject,
    size: number,
  ) => readonly WireRequest[] | Promise<readonly WireRequest[]>;
}

/** Something that grows. */
export interface GrowthStudy {
  readonly study: string;
  readonly title: string;
  readonly unit: string;
  /** Grows it from what it is to `size`, starting at 0. */
  readonly grow: (subject: Subject, size: number) => Promise<void>;
  readonly operations: readonly GrowingOperation[];
}

/** Powers of ten up to the largest, which is there in any case. */
export function sizesUpTo(first: number, largest: number): number[] {
  const sizes: number[] = [];
  for (let size = first; size < largest; size *= 10) sizes.push(size);
  return [...sizes, largest];
}

/** Each operation at each size, on a store of its own. */
export async function studyGrowth(
  study: GrowthStudy,
  sizes: readonly number[],
  { slices, seconds, listeners }: ScaleOptions,
  say: (text: string) => void,
): Promise<Growth> {
  const subject = await startSubject(Math.max(...listeners));
  try {
    const curves = study.operations.map(({ operation, title }): GrowthCurve => ({
      operation,
      title,
      points: [],
    }));
    for (const size of sizes) {
      say(`growing to ${size} ${study.unit}`);
      await study.grow(subject, size);
      for (const [i, { operation, prepare, operationsMax }] of study.operations.entries()) {
        say(`${size} ${study.unit}: ${operation}`);
        const workload = cycle(await prepare(subject, size));
        const limits = { slices, seconds, operationsMax };
        curves[i]?.points.push({ size, ...(await measurePoint(subject, workload, limits)) });
      }
    }
    return { study: study.study, title: study.title, unit: study.unit, curves };
  } finally {
    await subject.target.stop();
  }
}

/** Places spread over `[0, end)`, the same in each run. */
export function placesIn(end: number, count: number): number[] {
  // The golden ratio's multiples are spread evenly, however many are taken.
  return Array.from({ length: count }, (_, i) => Math.floor(((i * 0.6180339887) % 1) * end));
}
