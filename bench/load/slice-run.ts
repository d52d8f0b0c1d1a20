import { performance } from 'node:perf_hooks';
import type { Operation, Workload } from '../rows/row.js';
import type { Connection, Reply } from './connection.js';
import { encode, newHistogram, record, type LatencyHistogram } from './latency.js';
import type { SliceLoad } from './protocol.js';

/** An answer that takes longer than the slice and this much is an error. */
const OVERTIME_MS = 60_000;

/** A client that meets so many errors stops: there is nothing more to learn. */
const ERRORS_MAX = 20;

const PROBLEMS_SHOWN = 5;

/**
 * One client a connection, each with one operation at a time, until the time is over; operations in
 * flight are waited for, and count.
 */
export async function runSlice(
  connections: readonly Connection[],
  workload: Workload,
  seconds: number,
): Promise<SliceLoad> {
  const tally = new Tally();
  const cpuBefore = process.cpuUsage();
  const startedAt = performance.now();
  const deadline = startedAt + seconds * 1000;
  const giveUp = setTimeout(
    () => {
      for (const connection of connections) connection.close('no answer in time');
    },
    seconds * 1000 + OVERTIME_MS,
  );
  await Promise.all(
    connections.map((connection, at) =>
      client(connection, () => workload.next(at), deadline, tally),
    ),
  );
  clearTimeout(giveUp);
  const elapsedS = (performance.now() - startedAt) / 1000;
  const { user, system } = process.cpuUsage(cpuBefore);
  return tally.result(elapsedS, (user + system) / 1000);
}

class Tally {
  operations = 0;
  errors = 0;
  readonly problems: string[] = [];
  readonly latency: LatencyHistogram = newHistogram();

  problem(text: string): void {
    this.errors++;
    if (this.problems.length < PROBLEMS_SHOWN) this.problems.push(text);
  }

  result(seconds: number, cpuMs: number): SliceLoad {
    const { operations, errors, problems } = this;
    return { operations, seconds, errors, problems, latency: encode(this.latency), cpuMs };
  }
}

async function client(
  connection: Connection,
  next: () => Operation | undefined,
  deadline: number,
  tally: Tally,
): Promise<void> {
  let errors = 0;
  let now = performance.now();
  while (now < deadline && errors < ERRORS_MAX) {
    const operation = next();
    if (operation === undefined) return;
    const { problem } = await perform(connection, operation);
    const end = performance.now();
    if (problem === undefined) {
      tally.operations++;
      record(tally.latency, end - now);
    } else {
      errors++;
      tally.problem(problem);
    }
    now = end;
  }
}

function perform(connection: Connection, operation: Operation): Promise<Reply> {
  return typeof operation === 'function' ? operation(connection) : connection.exchange(operation);
}
