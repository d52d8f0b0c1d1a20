import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { ComputeThread } from '../console/server/compute-thread.js';
import type { MuseumAnswer, MuseumTask } from '../console/surfaces/lab/tombstones/thread.js';

/**
 * A scan of the Tombstone Museum over many files: how long the event loop of the console is held up
 * meanwhile, beside what an idle one is, and how much its process grows:
 * node dist/bench/museum.js [files]
 */

const FILES = Number(process.argv[2] ?? 200_000);
const DEVICES = 4;
const PARTITIONS = 1024;
const IDLE_MS = 5000;
const SAMPLE_MS = 100;

function makeDisks(root: string): void {
  const now = Math.floor(Date.now() / 1000);
  for (let index = 0; index < FILES / DEVICES; index++) {
    const hash = (index * 7919).toString(16).padStart(32, '0');
    for (let device = 0; device < DEVICES; device++) {
      const place = [
        'node',
        `d${device}`,
        'objects',
        `${index % PARTITIONS}`,
        hash.slice(-3),
        hash,
      ];
      const folder = join(root, ...place);
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, `${now - (index % 900_000)}.12345.ts`), '');
    }
  }
}

async function watched(work: () => Promise<unknown>) {
  const delays = monitorEventLoopDelay({ resolution: 1 });
  const before = process.memoryUsage.rss();
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss());
  }, SAMPLE_MS);
  const startedAt = performance.now();
  const busyAt = performance.eventLoopUtilization();
  delays.enable();
  await work();
  delays.disable();
  clearInterval(timer);
  const ms = (nanoseconds: number): string => (nanoseconds / 1e6).toFixed(1);
  return {
    seconds: ((performance.now() - startedAt) / 1000).toFixed(1),
    loop_busy_pct: (100 * performance.eventLoopUtilization(busyAt).utilization).toFixed(2),
    delay_p99_ms: ms(delays.percentile(99)),
    delay_max_ms: ms(delays.max),
    rss_growth_mib: ((most - before) / 2 ** 20).toFixed(1),
  };
}

const root = mkdtempSync(join(tmpdir(), 'ringway-museum-'));
const file = new URL('../console/surfaces/lab/tombstones/thread.js', import.meta.url);
const thread = new ComputeThread<MuseumTask, MuseumAnswer>({
  file: file.pathname,
  logger: console,
});
try {
  makeDisks(root);
  const found = join(root, 'found.jsonl');
  const input = {
    ...{ root, file: found, nowS: Math.floor(Date.now() / 1000), reclaimAgeS: 604_800 },
    ...{ devices: [], filesMax: FILES, secondsMax: 3600, dirsPerS: 1_000_000 },
  };
  const cluster = { storeDir: '', hashConf: '', nodes: {} };
  const idle = await watched(() => new Promise((resolve) => setTimeout(resolve, IDLE_MS)));
  let told = 0;
  const onProgress = (): void => {
    told++;
  };
  const scan = await watched(async () => {
    const answer = await thread.run({ name: 'scan', input, cluster }, { onProgress });
    if (answer.kind !== 'scan') throw new Error(JSON.stringify(answer));
    const { files, exhibits, partial } = answer.summary;
    process.stdout.write(`${JSON.stringify({ files, exhibits, partial, told })}\n`);
  });
  const megabytes = (statSync(found).size / 2 ** 20).toFixed(1);
  process.stdout.write(`${JSON.stringify({ idle, scan, found_mib: megabytes })}\n`);
} finally {
  await thread.close();
  rmSync(root, { recursive: true });
}
