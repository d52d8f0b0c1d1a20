import { availableParallelism } from 'node:os';
import type { Generators } from '../load/generators.js';
import { merge, percentilesOf } from '../load/latency.js';
import type { SliceLoad } from '../load/protocol.js';
import type { SliceResult } from '../output/results.js';
import type { Target } from '../targets/target.js';
import { machineBusyMs } from './processes.js';
import { ServerMeter, type ServerUse } from './server-meter.js';

/** A slice as it was measured, with what only a whole row makes figures of. */
export interface MeasuredSlice {
  readonly result: SliceResult;
  readonly problems: readonly string[];
  /** Encoded histograms. */
  readonly latencies: readonly string[];
}

/** Runs what the generators have prepared, and measures everybody while they do. */
export async function measureSlice(
  generators: Generators,
  target: Target,
  seconds: number,
): Promise<MeasuredSlice> {
  const busyBefore = machineBusyMs();
  const meter = new ServerMeter(target.groups);
  const loads = await generators.run(seconds);
  const use = meter.stop();
  const busyMs = machineBusyMs() - busyBefore;
  return {
    result: resultOf(loads, use, busyMs),
    problems: loads.flatMap(({ problems }) => problems),
    latencies: loads.map(({ latency }) => latency),
  };
}

function resultOf(loads: readonly SliceLoad[], use: ServerUse, busyMs: number): SliceResult {
  const sum = (pick: (load: SliceLoad) => number) =>
    loads.reduce((total, load) => total + pick(load), 0);
  const operations = sum((load) => load.operations);
  const seconds = Math.max(...loads.map((load) => load.seconds));
  const generatorCpuMs = sum((load) => load.cpuMs);
  const serverCpuMs = Object.values(use.cpuMs).reduce((total, ms) => total + ms, 0);
  const perOp = (ms: number) => (operations === 0 ? 0 : (ms * 1000) / operations);
  const othersMs = Math.max(0, busyMs - serverCpuMs - use.apartCpuMs - generatorCpuMs);
  const groups = Object.entries(use.cpuMs);
  const beside = loads.flatMap(({ besideBytesPerS }) => besideBytesPerS ?? []);
  return {
    operations,
    seconds,
    errors: sum((load) => load.errors),
    opsPerS: seconds === 0 ? 0 : operations / seconds,
    // Without operations or known processes there is no figure.
    ...(groups.length === 0 || operations === 0 ? {} : { cpuMicrosPerOp: perOp(serverCpuMs) }),
    cpuMicrosPerOpByGroup: Object.fromEntries(groups.map(([name, ms]) => [name, perOp(ms)])),
    apartCpuMs: use.apartCpuMs,
    rssBytes: use.rssBytes,
    ...(use.pssBytes === undefined ? {} : { pssBytes: use.pssBytes }),
    anonymousBytes: use.anonymousBytes,
    generatorCpuMs,
    generatorUtilisation: generatorCpuMs / 1000 / seconds / loads.length,
    othersShare: othersMs / 1000 / seconds / availableParallelism(),
    ...(beside.length === 0 ? {} : { besideBytesPerS: beside.reduce((a, b) => a + b) }),
    latencyMs: percentilesOf(merge(loads.map((load) => load.latency))),
  };
}
