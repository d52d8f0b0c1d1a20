import { renameSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';

/** Samples the main thread from a thread of its own: see preload.ts. */

const SAMPLE_MICROS = 200;

const folder = workerData as string;
const session = new Session();
let isSampling = false;
let count = 0;

session.connectToMainThread();
parentPort?.on('message', () => {
  isSampling = !isSampling;
  void (isSampling ? start() : stop());
});

async function start(): Promise<void> {
  await session.post('Profiler.enable');
  await session.post('Profiler.setSamplingInterval', { interval: SAMPLE_MICROS });
  await session.post('Profiler.start');
}

async function stop(): Promise<void> {
  const { profile } = await session.post('Profiler.stop');
  const file = join(folder, `${process.pid}-${count++}.cpuprofile`);
  writeFileSync(`${file}.part`, JSON.stringify(profile));
  renameSync(`${file}.part`, file);
}
