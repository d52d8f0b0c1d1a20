import { call, runJob } from './api.js';
import { messageOf, shownText } from './dom.js';
import { addTransfer } from './transfer-list.js';
import type { ManyResult } from '../server/audited-job.js';

/** Names of replaced objects in the line of a task. */
const NAMES_SHOWN = 3;

type Result = Partial<ManyResult>;

/**
 * Runs a job beside what the user does: with its progress and a button to cancel it, and with what
 * failed of it, in the list of transfers. Resolves when it has ended, however it did.
 *
 * @param refresh shows what it made
 * @returns the job's result, or null when it failed as a whole or was cancelled
 */
export async function runTask(
  title: string,
  path: string,
  body: unknown,
  refresh: () => Promise<unknown>,
): Promise<Result | null | undefined> {
  let id = '';
  const task = addTransfer(title, {
    unit: 'objects',
    onCancel: () => (id === '' ? undefined : call('DELETE', `/api/jobs/${id}`)),
  });
  const run = async () => {
    const job = await runJob(path, body, (one) => {
      id = one.id;
      task.progress(one.done, one.total);
    });
    const result = job.result as Result | null | undefined;
    const failures = result?.failures ?? [];
    const failed = result?.failed ?? 0;
    if (job.state === 'cancelled') task.end('cancelled');
    else if (failed > 0) task.fail(`${failed} failed${replacedText(result)}`, null, failures);
    else task.end(`done: ${result?.succeeded ?? 0}${replacedText(result)}`);
    return job.state === 'cancelled' ? null : result;
  };
  try {
    return await run();
  } catch (error) {
    task.fail(messageOf(error), () => runTask(title, path, body, refresh));
    return null;
  } finally {
    await refresh();
  }
}

/** Names the objects that a job has replaced, for its line in the list. */
function replacedText(result: Result | null | undefined) {
  const count = result?.replaced?.count ?? 0;
  if (count === 0) return '';
  const names = (result?.replaced?.names ?? []).slice(0, NAMES_SHOWN).map(shownText);
  return `, ${count} replaced: ${names.join(', ')}${names.length < count ? ', …' : ''}`;
}
