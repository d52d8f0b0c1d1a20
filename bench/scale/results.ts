import { z } from 'zod';
import { RESULTS } from '../output/results.js';

/** The format that `--json` writes. Times are in the unit that their names end with. */

export const SCALE_SCHEMA = 'ringway-bench-scale/1';

/** Rows with a number of listeners. */
const listenerRun = z.object({
  listeners: z.number(),
  /** Processors that the service, and that the load may use. */
  serverProcessors: z.array(z.number()),
  loadProcessors: z.array(z.number()),
  rows: RESULTS.shape.rows,
});

/** The cost of one operation at one size. */
const point = z.object({
  size: z.number(),
  operations: z.number(),
  errors: z.number(),
  problems: z.array(z.string()),
  /** CPU of the service, of each slice. */
  cpuMicrosPerOp: z.array(z.number()),
  p50Ms: z.number(),
  p99Ms: z.number(),
});

const curve = z.object({ operation: z.string(), title: z.string(), points: z.array(point) });

/** How the cost of operations grows with something. */
const growth = z.object({
  study: z.string(),
  title: z.string(),
  /** The unit that is counted: keys, versions, parts. */
  unit: z.string(),
  curves: z.array(curve),
});

/** Reads of a Swift cluster with a number of processes of each storage server. */
const storageRun = z.object({ workers: z.number(), rows: RESULTS.shape.rows });

/** The memory that held connections take. */
const held = z.object({
  kind: z.string(),
  title: z.string(),
  connections: z.number(),
  /** The memory of all processes, without pages of files. */
  anonymousBytesBefore: z.number(),
  anonymousBytesAfter: z.number(),
  /** Buffers of the kernel's TCP for both ends, which are on this machine. */
  kernelBytes: z.number(),
});

export const SCALE_RESULTS = z.object({
  schema: z.literal(SCALE_SCHEMA),
  startedAt: z.string(),
  seconds: z.number(),
  machine: RESULTS.shape.machine,
  settings: z.object({ slices: z.number(), sliceSeconds: z.number() }),
  listeners: z.array(listenerRun),
  growth: z.array(growth),
  held: z.array(held),
  /** Absent in files of older harnesses. */
  storage: z.array(storageRun).optional(),
});

export type ListenerRun = z.infer<typeof listenerRun>;
export type GrowthPoint = z.infer<typeof point>;
export type GrowthCurve = z.infer<typeof curve>;
export type Growth = z.infer<typeof growth>;
export type HeldConnections = z.infer<typeof held>;
export type StorageRun = z.infer<typeof storageRun>;
export type ScaleResults = z.infer<typeof SCALE_RESULTS>;

/** Operations that failed, in words. */
export function problemsOf({ listeners, storage = [], growth: grown }: ScaleResults): string[] {
  const rows = [...listeners, ...storage].flatMap((run) => run.rows);
  const points = grown.flatMap(({ curves }) =>
    curves.flatMap((one) => one.points.map((at) => ({ ...at, name: one.operation }))),
  );
  return [
    ...rows
      .filter(({ errors }) => errors > 0)
      .map(({ row, errors, problems }) => `${row}: ${errors} errors: ${problems.join('; ')}`),
    ...points
      .filter(({ errors }) => errors > 0)
      .map((at) => `${at.name} at ${at.size}: ${at.errors} errors: ${at.problems.join('; ')}`),
  ];
}
