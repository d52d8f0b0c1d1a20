import { z } from 'zod';

/** The format that `--json` writes and `--compare` reads. The names of times end with the unit. */

export const RESULTS_SCHEMA = 'ringway-bench/1';

const percentiles = z.object({
  p50: z.number(),
  /** Absent in files of older harnesses. */
  p95: z.number().optional(),
  p99: z.number(),
  p999: z.number(),
  max: z.number(),
});

const slice = z.object({
  operations: z.number(),
  seconds: z.number(),
  errors: z.number(),
  opsPerS: z.number(),
  /** CPU microseconds of all the target's processes that count; absent if they are unknown. */
  cpuMicrosPerOp: z.number().optional(),
  /** The same for each group of processes. */
  cpuMicrosPerOpByGroup: z.record(z.string(), z.number()),
  /** Processes whose work is not the requests': the janitor. */
  apartCpuMs: z.number(),
  /** Sum over the processes: what they share counts for each. */
  rssBytes: z.number(),
  /** The same with what they share counted once; absent where it could not be read. */
  pssBytes: z.number().optional(),
  anonymousBytes: z.number(),
  generatorCpuMs: z.number(),
  /** How busy the generator's processes were, 1 being all the time. */
  generatorUtilisation: z.number(),
  /** Share of the machine that neither the target nor the generator took. */
  othersShare: z.number(),
  /** Content that clients moved which are neither counted nor timed. */
  besideBytesPerS: z.number().optional(),
  latencyMs: percentiles,
});

const selfTime = z.object({ name: z.string(), share: z.number(), ms: z.number() });

const rowResult = z.object({
  row: z.string(),
  title: z.string(),
  concurrency: z.number(),
  target: z.string(),
  /** Content that one operation moves. */
  bytes: z.number(),
  slices: z.array(slice),
  /** Over all slices. */
  latencyMs: percentiles.optional(),
  errors: z.number(),
  problems: z.array(z.string()),
  /** Why the row was not measured. */
  skipped: z.string().optional(),
  profile: z.array(selfTime).optional(),
});

export const RESULTS = z.object({
  schema: z.literal(RESULTS_SCHEMA),
  startedAt: z.string(),
  seconds: z.number(),
  machine: z.object({
    processors: z.number(),
    model: z.string(),
    memoryBytes: z.number(),
    kernel: z.string(),
    node: z.string(),
    fileSystem: z.string(),
  }),
  settings: z.object({
    slices: z.number(),
    sliceSeconds: z.number(),
    /** Absent in files of older harnesses: 0. */
    warmUpSecondsMin: z.number().optional(),
    listKeys: z.number(),
    generators: z.number(),
  }),
  targets: z.array(z.object({ name: z.string(), description: z.string() })),
  rows: z.array(rowResult),
  /** Problems beside the measurements. */
  warnings: z.array(z.string()),
});

export type SliceResult = z.infer<typeof slice>;
export type RowResult = z.infer<typeof rowResult>;
export type SelfTimeResult = z.infer<typeof selfTime>;
export type Results = z.infer<typeof RESULTS>;

/** Whether any operation failed or brought a wrong body. */
export function hasErrors(results: Results): boolean {
  return results.rows.some((row) => row.errors > 0);
}
