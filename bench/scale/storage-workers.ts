import { join } from 'node:path';
import { startSwiftLab } from '../../test/support/swift-lab.js';
import { parseOptions } from '../options/parse.js';
import type { Progress } from '../output/progress.js';
import { Run } from '../run.js';
import { startTargets } from '../targets/start.js';
import { TargetError } from '../targets/target.js';
import type { ScaleOptions } from './options.js';
import type { StorageRun } from './results.js';

/** Reads of a Swift cluster by every way; that of the gateway's direct reads is the first. */
const PEERS = 'ringway-proxy,swift';
const ROWS = 'get-1k:8';

/**
 * Rate and cost of small reads with each number of processes of each storage server: direct, through
 * a proxy, and with plain Swift, in turn. Each number has a Swift lab of its own, one after the other.
 *
 * @throws TargetError when a lab or a target does not start
 */
export async function studyStorageWorkers(
  options: ScaleOptions,
  say: (text: string) => void,
): Promise<StorageRun[]> {
  const runs: StorageRun[] = [];
  for (const workers of options.storageWorkers) {
    say(`${workers} processes of each storage server: starting a Swift lab`);
    runs.push({ workers, rows: await rowsWith(workers, options, say) });
  }
  return runs;
}

async function rowsWith(
  workers: number,
  { slices, seconds, warmUp }: ScaleOptions,
  say: (text: string) => void,
): Promise<StorageRun['rows']> {
  const lab = await startSwiftLab({ storageWorkers: workers }).catch((error: unknown) => {
    throw new TargetError((error as Error).message);
  });
  try {
    const { dir } = lab.state;
    const options = parseOptions([
      ...['--config', join(dir, 'gateway/one-direct.json'), '--swift-lab', dir],
      ...['--peer', PEERS, '--rows', ROWS, '--warm-up', String(warmUp)],
      ...['--slices', String(slices), '--seconds', String(seconds)],
    ]);
    if (options === 'help') throw new Error('no help was asked for');
    const targets = await startTargets(options, undefined);
    try {
      return (await new Run(options, targets, undefined, progressTo(say, workers)).results()).rows;
    } finally {
      await Promise.all(targets.map((target) => target.stop()));
    }
  } finally {
    await lab.close();
  }
}

function progressTo(say: (text: string) => void, workers: number): Progress {
  const nothing = (): void => undefined;
  return {
    at: nothing,
    phase: (text) => {
      say(`${workers} processes: ${text}`);
    },
    row: nothing,
    end: nothing,
  };
}
