import { addressOf, Connection } from '../load/connection.js';
import { merge, percentilesOf } from '../load/latency.js';
import type { SliceLoad } from '../load/protocol.js';
import { runSlice } from '../load/slice-run.js';
import { ServerMeter } from '../measure/server-meter.js';
import type { Workload } from '../rows/row.js';
import type { GrowthPoint } from './results.js';
import type { Subject } from './service.js';

/** Clients, each with a connection and one operation at a time: few, so that none waits long. */
const CLIENTS = 4;

export interface PointLimits {
  readonly slices: number;
  readonly seconds: number;
  /** The limit of operations in a slice. */
  readonly operationsMax?: number | undefined;
}

/** The cost of one operation of a workload to the service, after a slice that does not count. */
export async function measurePoint(
  { target, dialect }: Subject,
  workload: Workload,
  { slices, seconds, operationsMax = Infinity }: PointLimits,
): Promise<Omit<GrowthPoint, 'size'>> {
  const address = addressOf(dialect.endpoint);
  const connections = Array.from({ length: CLIENTS }, () => new Connection(address));
  const loads: SliceLoad[] = [];
  const cpuMicrosPerOp: number[] = [];
  const warmUp = await runSlice(connections, first(workload, operationsMax), seconds);
  for (let slice = 0; slice < slices; slice++) {
    const meter = new ServerMeter(target.groups);
    const load = await runSlice(connections, first(workload, operationsMax), seconds);
    const cpuMs = Object.values(meter.stop().cpuMs).reduce((sum, ms) => sum + ms, 0);
    loads.push(load);
    if (load.operations > 0) cpuMicrosPerOp.push((cpuMs * 1000) / load.operations);
  }
  for (const connection of connections) connection.close();
  const { p50, p99 } = percentilesOf(merge(loads.map(({ latency }) => latency)));
  const all = [warmUp, ...loads];
  return {
    operations: loads.reduce((sum, { operations }) => sum + operations, 0),
    errors: all.reduce((sum, { errors }) => sum + errors, 0),
    problems: all.flatMap(({ problems }) => problems).slice(0, 3),
    cpuMicrosPerOp,
    p50Ms: p50,
    p99Ms: p99,
  };
}

function first(workload: Workload, count: number): Workload {
  let left = count;
  return { next: (client) => (left-- > 0 ? workload.next(client) : undefined) };
}
