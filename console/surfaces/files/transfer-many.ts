import { ApiError } from '../../server/api-error.js';
import type { JobControl } from '../../server/jobs.js';
import { inLanes } from './many.js';
import { planTransfers, type Step, type Transfer } from './transfer-plan.js';
import type { Transfers } from './transfers.js';

/** Transfers that have to be planned are held in memory. */
const PLANNED_MAX = 50_000;

/**
 * Transfers many objects; see `Transfers`.
 * @param isApart - none of them meets another: then there may be any number of them
 * @throws ApiError unprocessable, before anything is done
 */
export async function transferMany(
  transfers: AsyncIterable<Transfer> | Iterable<Transfer>,
  isApart: boolean,
  work: Transfers,
  control: JobControl,
): Promise<void> {
  const groups = isApart ? eachAlone(transfers) : planTransfers(await all(transfers));
  await inLanes(groups, control, (steps) => work.run(steps, control));
}

async function* eachAlone(
  transfers: AsyncIterable<Transfer> | Iterable<Transfer>,
): AsyncGenerator<Step[]> {
  for await (const transfer of transfers) yield [{ kind: 'whole', transfer }];
}

async function all(transfers: AsyncIterable<Transfer> | Iterable<Transfer>): Promise<Transfer[]> {
  const found: Transfer[] = [];
  for await (const transfer of transfers) {
    if (found.push(transfer) <= PLANNED_MAX) continue;
    const message = `These are more than ${PLANNED_MAX} objects whose old and new names overlap: copy or move one folder at a time.`;
    throw new ApiError('unprocessable', message);
  }
  return found;
}
