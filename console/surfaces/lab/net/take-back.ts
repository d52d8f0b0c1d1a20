import { DriverError } from '../../../nodes/driver.js';
import { openDriver } from '../../../nodes/open-driver.js';
import type { Revert, RevertOutcome, RevertReport, RevertTools } from './fault.js';
import { appendToJournal, type NetLine } from './net-journal.js';
import type { Plan, Plans, PlanTools } from './plans.js';
import { REVERT_KINDS } from './revert-kinds.js';

/**
 * Takes back all of a plan, and removes the plan when that is done: the console and the dead-men
 * both do it this way, one at a time, and the later one finds no plan.
 * @param onUnwritten - is told the end of it, where the journal has no room for that
 * @returns undefined where there is no plan
 * @throws system errors where the plan cannot be read
 */
export async function takeBack(
  plans: Plans,
  id: string,
  by: RevertReport['by'],
  onUnwritten: (line: NetLine) => void = () => undefined,
): Promise<RevertReport | undefined> {
  return plans.locked(async (lostBy) => {
    const plan = await plans.read(id);
    if (plan === undefined) return undefined;
    const { kind, target } = plan;
    const write = async (state: NetLine['state'], outcomes: RevertOutcome[]): Promise<void> => {
      const line = { id, kind, target, state, by, outcomes };
      try {
        await appendToJournal(plans.folder, line);
      } catch {
        // A full disk is no reason to leave things broken.
        if (state === 'reverted') onUnwritten(line);
      }
    };
    const before = lostLock(lostBy);
    await write('reverting', before);
    const outcomes = [...before, ...(await revertAll(plan))];
    const isDone = outcomes.every(({ ok }) => ok);
    await write(isDone ? 'reverted' : 'failed', outcomes);
    // The last step: a crash before it lets all of this be done once more, which changes nothing.
    if (isDone) await plans.remove(id);
    return { by, reverted_unix_s: Math.floor(Date.now() / 1000), outcomes };
  });
}

/** The process that was at work on plans, and hung or was killed, as the journal has it. */
function lostLock(pid: number | undefined): RevertOutcome[] {
  if (pid === undefined) return [];
  return [
    {
      kind: 'net.unlock',
      ok: true,
      text: `Released the lock of process ${pid}, which hung or was killed.`,
    },
  ];
}

async function revertAll({ reverts, tools }: Plan): Promise<RevertOutcome[]> {
  const outcomes: RevertOutcome[] = [];
  for (const revert of reverts) outcomes.push(await revertOne(revert, toolsOf(tools)));
  return outcomes;
}

async function revertOne({ kind, params }: Revert, tools: RevertTools): Promise<RevertOutcome> {
  try {
    const revert = REVERT_KINDS[kind];
    if (revert === undefined) throw new Error(`there is no revert ${kind}`);
    return { kind, ok: true, text: await revert(params, tools) };
  } catch (error) {
    return { kind, ok: false, text: error instanceof Error ? error.message : String(error) };
  }
}

/** The tools of a configuration. */
export function toolsOf({ nodeDriver, clusterNodes }: PlanTools): RevertTools {
  const driver = openDriver(nodeDriver);
  return {
    get driver() {
      if (driver === undefined)
        throw new DriverError('unsupported', 'node_driver is not configured.');
      return driver;
    },
    node: (name) => {
      const node = clusterNodes.find((one) => one.name === name);
      if (node === undefined) throw new Error(`there is no node ${name}`);
      return node;
    },
  };
}
