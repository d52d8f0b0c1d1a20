import { readFile, stat } from 'node:fs/promises';
import { z } from 'zod';

/** The file that a runner leaves in the folder of `--out`. */
export const RESULT_FILE = 'result.json';

const FILE_BYTES_MAX = 1024 * 1024;

const figure = z.number().min(0);
const ROW = z.object({
  /** The measured operation: `get-1k`. */
  op: z.string().min(1).max(100),
  /** The target of the operation, where several were measured. */
  target: z.string().max(100).default(''),
  /** Content that one operation moves. */
  bytes: figure,
  concurrency: figure,
  ops: figure,
  errors: figure,
  ops_per_s: figure,
  p50_ms: figure.nullable().default(null),
  p95_ms: figure.nullable().default(null),
  p99_ms: figure.nullable().default(null),
});
const RESULT = z.object({ rows: z.array(ROW).max(500) });

export type BenchmarkRow = z.infer<typeof ROW>;

/** @returns undefined where there is none, or none that can be read */
export async function readResult(file: string): Promise<readonly BenchmarkRow[] | undefined> {
  try {
    if ((await stat(file)).size > FILE_BYTES_MAX) return undefined;
    return RESULT.parse(JSON.parse(await readFile(file, 'utf8'))).rows;
  } catch {
    return undefined;
  }
}
