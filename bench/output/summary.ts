import { relativeSpread, spreadOf, type Spread } from '../measure/statistics.js';
import type { RowResult, SliceResult } from './results.js';

/** One line of the table: medians over the slices. */
export interface Summary {
  readonly opsPerS: Spread | undefined;
  /** MB of content a second; undefined if it would say nothing. */
  readonly mbPerS: Spread | undefined;
  readonly cpuMicros: Spread | undefined;
  readonly rssBytes: number;
  /** 0 where it is not known. */
  readonly pssBytes: number;
  readonly anonymousBytes: number;
  /** Share of the CPU of server and generator together that the generator took. */
  readonly generatorShare: number | undefined;
  readonly doubts: readonly Doubt[];
}

/** Why a line is to be taken with care. */
export type Doubt = 'cpu-spread' | 'rate-spread' | 'generator' | 'others' | 'few';

/** The marks in the table, and their meaning. */
export const DOUBTS: Readonly<Record<Doubt, { readonly mark: string; readonly meaning: string }>> =
  {
    'cpu-spread': {
      mark: 'C',
      meaning: 'slices differ by more than 25 % in CPU per operation: do not trust it',
    },
    'rate-spread': {
      mark: 'R',
      meaning:
        'slices differ by more than 40 % in operations per second: do not trust rate and latency',
    },
    generator: {
      mark: 'G',
      meaning: 'the load generator was busy all the time: the server could do more',
    },
    others: {
      mark: 'O',
      meaning:
        'other processes took more than 10 % of the machine: trust CPU per operation and ratios only',
    },
    few: { mark: 'F', meaning: 'fewer than 100 operations: p99.9 is the slowest one' },
  };

const CPU_SPREAD_MAX = 0.25;
const RATE_SPREAD_MAX = 0.4;
const UTILISATION_MAX = 0.9;
const OTHERS_MAX = 0.1;
const OPERATIONS_MIN = 100;

export function summarise(result: RowResult): Summary {
  const { slices, bytes } = result;
  const opsPerS = spreadOf(slices.map((slice) => slice.opsPerS));
  const cpuMicros = spreadOf(slices.flatMap((slice) => slice.cpuMicrosPerOp ?? []));
  return {
    opsPerS,
    mbPerS: spreadOf(slices.flatMap((slice) => megabytesOf(slice, bytes))),
    cpuMicros,
    rssBytes: Math.max(0, ...slices.map((slice) => slice.rssBytes)),
    pssBytes: Math.max(0, ...slices.map((slice) => slice.pssBytes ?? 0)),
    anonymousBytes: Math.max(0, ...slices.map((slice) => slice.anonymousBytes)),
    generatorShare: spreadOf(slices.flatMap(generatorShareOf))?.median,
    doubts: slices.length === 0 ? [] : doubtsOf(slices, opsPerS, cpuMicros),
  };
}

/** The megabytes of the operations, or of the work beside them. */
function megabytesOf({ opsPerS, besideBytesPerS }: SliceResult, bytes: number): number[] {
  if (besideBytesPerS !== undefined) return [besideBytesPerS / 1e6];
  return bytes === 0 ? [] : [(opsPerS * bytes) / 1e6];
}

function generatorShareOf(slice: SliceResult): number[] {
  if (slice.cpuMicrosPerOp === undefined) return [];
  const serverCpuMs = (slice.cpuMicrosPerOp * slice.operations) / 1000;
  const total = serverCpuMs + slice.generatorCpuMs;
  return total === 0 ? [] : [slice.generatorCpuMs / total];
}

function doubtsOf(
  slices: readonly SliceResult[],
  opsPerS: Spread | undefined,
  cpuMicros: Spread | undefined,
): Doubt[] {
  const median = (pick: (slice: SliceResult) => number) => spreadOf(slices.map(pick))?.median ?? 0;
  const operations = slices.reduce((sum, slice) => sum + slice.operations, 0);
  const holds: Readonly<Record<Doubt, boolean>> = {
    'cpu-spread': cpuMicros !== undefined && relativeSpread(cpuMicros) > CPU_SPREAD_MAX,
    'rate-spread': opsPerS !== undefined && relativeSpread(opsPerS) > RATE_SPREAD_MAX,
    generator: median((slice) => slice.generatorUtilisation) > UTILISATION_MAX,
    others: median((slice) => slice.othersShare) > OTHERS_MAX,
    few: operations < OPERATIONS_MIN,
  };
  return (Object.keys(holds) as Doubt[]).filter((doubt) => holds[doubt]);
}
