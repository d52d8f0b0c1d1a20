import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { spreadOf } from '../measure/statistics.js';
import type { Row, Subject } from './subject.js';

const ROUNDS = 5;
/** Resolution of the loop's delays: what an idle loop shows. */
const TICK_MS = 1;

/** The cost of a call of a row: medians of its rounds. */
export interface Cost {
  /** All threads of the process, whatever else the machine does. */
  readonly cpuUs: number;
  /** The least of all rounds: other work on the machine only ever adds to it. */
  readonly leastCpuUs: number;
  /** How long the event loop of this process was busy. */
  readonly loopUs: number;
  /** The longest time that the event loop did not turn; 0 where it never turned. */
  readonly longestTurnMs: number;
  readonly perSecond: number;
}

/** Measures the rows of a step, a round of each in turn. */
export async function measure(
  step: readonly Row[],
  cpuUs: NonNullable<Subject['cpuUs']> = ownCpuUs,
): Promise<Cost[]> {
  const rounds = step.map((): Cost[] => []);
  for (const row of step) {
    if (row.rounds !== 1) await callAll({ ...row, calls: Math.ceil(row.calls / ROUNDS) });
  }
  for (let round = 0; round < Math.max(...step.map(roundsOf)); round++) {
    for (const [at, row] of step.entries()) {
      if (round < roundsOf(row)) rounds[at]?.push(await measureRound(row, cpuUs));
    }
  }
  return rounds.map((costs) => {
    const cpu = spreadOf(costs.map((cost) => cost.cpuUs));
    const median = (key: keyof Cost) => spreadOf(costs.map((cost) => cost[key]))?.median ?? NaN;
    return {
      cpuUs: cpu?.median ?? NaN,
      leastCpuUs: cpu?.min ?? NaN,
      loopUs: median('loopUs'),
      longestTurnMs: median('longestTurnMs'),
      perSecond: median('perSecond'),
    };
  });
}

function roundsOf({ rounds = ROUNDS }: Row): number {
  return rounds;
}

async function measureRound(row: Row, cpuUs: NonNullable<Subject['cpuUs']>): Promise<Cost> {
  const delays = monitorEventLoopDelay({ resolution: TICK_MS });
  const before = await cpuUs(row);
  const startedAt = performance.now();
  const busyAt = performance.eventLoopUtilization();
  delays.enable();
  await callAll(row);
  delays.disable();
  const { active } = performance.eventLoopUtilization(busyAt);
  const seconds = (performance.now() - startedAt) / 1000;
  const cpu = ((await cpuUs(row)) - before) / row.calls;
  return {
    cpuUs: cpu,
    leastCpuUs: cpu,
    loopUs: (active * 1000) / row.calls,
    longestTurnMs: Math.max(0, delays.max / 1e6 - TICK_MS),
    perSecond: row.calls / seconds,
  };
}

async function callAll({ calls, inFlight = 1, call }: Row): Promise<void> {
  let next = 0;
  const lane = async (at: number): Promise<void> => {
    while (next < calls) {
      const made = call(next++, at);
      // A call that answers at once does not pay for a promise.
      if (made instanceof Promise) await made;
    }
  };
  await Promise.all(Array.from({ length: inFlight }, (_, at) => lane(at)));
}

function ownCpuUs(): Promise<number> {
  const { user, system } = process.cpuUsage();
  return Promise.resolve(user + system);
}
