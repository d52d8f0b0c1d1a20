import {
  RESULTS_SCHEMA,
  type Results,
  type RowResult,
  type SliceResult,
} from '../../bench/output/results.js';

/** Results as a run would have them, for tests of what is made of them. */

export function sampleSlice(changes: Partial<SliceResult> = {}): SliceResult {
  return {
    operations: 20_000,
    seconds: 2,
    errors: 0,
    opsPerS: 10_000,
    cpuMicrosPerOp: 50,
    cpuMicrosPerOpByGroup: { ringway: 50 },
    apartCpuMs: 0,
    rssBytes: 100 * 1024 * 1024,
    pssBytes: 70 * 1024 * 1024,
    anonymousBytes: 50 * 1024 * 1024,
    generatorCpuMs: 500,
    generatorUtilisation: 0.25,
    othersShare: 0.01,
    latencyMs: { p50: 1, p99: 2, p999: 4, max: 9 },
    ...changes,
  };
}

export function sampleRow(changes: Partial<RowResult> = {}): RowResult {
  return {
    row: 'put-1k',
    title: 'PUT 1 KiB',
    concurrency: 64,
    target: 'ringway',
    bytes: 1024,
    slices: [sampleSlice(), sampleSlice({ opsPerS: 11_000, cpuMicrosPerOp: 52 })],
    latencyMs: { p50: 1, p99: 2, p999: 4, max: 9 },
    errors: 0,
    problems: [],
    ...changes,
  };
}

export function sampleResults(
  rows: RowResult[],
  targets: readonly string[] = ['ringway'],
): Results {
  return {
    schema: RESULTS_SCHEMA,
    startedAt: '2026-01-02T03:04:05.678Z',
    seconds: 60,
    machine: {
      processors: 2,
      model: 'A processor',
      memoryBytes: 8 * 2 ** 30,
      kernel: '6.1.0',
      node: 'v20.20.2',
      fileSystem: 'ext4',
    },
    settings: { slices: 2, sliceSeconds: 2, listKeys: 1000, generators: 1 },
    targets: targets.map((name) => ({ name, description: `what ${name} is` })),
    rows,
    warnings: [],
  };
}
