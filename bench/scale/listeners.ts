import { Generators } from '../load/generators.js';
import { RowRun, type Runner } from '../measure/row-run.js';
import type { RowResult } from '../output/results.js';
import { rowNamed } from '../rows/table.js';
import { ownProcessors, pin, splitFor } from './processors.js';
import type { ScaleOptions } from './options.js';
import type { ListenerRun } from './results.js';
import { startSubject } from './service.js';

/** Rows with the numbers of clients that keep several listeners busy. */
const ROWS = [
  ['get-1k', 32],
  ['head-1k', 32],
  ['put-1k', 64],
  ['delete-1k', 32],
  ['list-1000', 8],
  ['get-8m', 4],
  ['put-8m', 4],
] as const;

/** The number of keys in the listing of `list-1000`. */
const LIST_KEYS = 10_000;

/** Rate and cost with each number of listeners, the load on processors of its own if there are. */
export async function studyListeners(
  options: ScaleOptions,
  say: (text: string) => void,
): Promise<ListenerRun[]> {
  const processors = ownProcessors();
  const runs: ListenerRun[] = [];
  try {
    for (const listeners of options.listeners) {
      const split = splitFor(listeners, processors);
      say(`${listeners} listeners on ${split.server.join(',')}, load on ${split.load.join(',')}`);
      pin([process.pid], split.load);
      const rows = await rowsWith(listeners, split.server, options, say);
      runs.push({
        listeners,
        serverProcessors: [...split.server],
        loadProcessors: [...split.load],
        rows,
      });
    }
  } finally {
    pin([process.pid], processors);
  }
  return runs;
}

async function rowsWith(
  listeners: number,
  serverProcessors: readonly number[],
  { slices, seconds }: ScaleOptions,
  say: (text: string) => void,
): Promise<RowResult[]> {
  const subject = await startSubject(listeners);
  const { target, bucket } = subject;
  const generators = new Generators(1);
  try {
    pin([subject.service.supervisorPid], serverProcessors);
    const settings = { name: target.name, dialect: target.dialect, bucket, listKeys: LIST_KEYS };
    const runner: Runner = { target, settings };
    const results: RowResult[] = [];
    for (const [name, concurrency] of ROWS) {
      say(`${listeners} listeners: ${name}`);
      const row = rowNamed(name);
      const run = new RowRun(row, concurrency, runner, generators);
      for (const fixture of row.fixtures) await run.guard(() => generators.load(settings, fixture));
      await run.warmUp(seconds);
      for (let slice = 0; slice < slices && !run.hasFailed; slice++) await run.slice(seconds);
      results.push(run.result());
    }
    return results;
  } finally {
    await generators.close();
    await target.stop();
  }
}
