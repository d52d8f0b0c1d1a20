import { call, runJob } from '../../js/api.js';
import { addTransfer } from '../../js/transfer-list.js';
import { load, loadContainers } from './listing.js';
import { view } from './state.js';

/**
 * Runs a job beside what the user does: with its progress and a button to cancel it, and with what
 * failed of it. Resolves when it has ended, however it did.
 *
 * @param refresh - shows what it made
 * @returns the job's result, or null when it failed as a whole or was cancelled
 */
export async function runTask(title, path, body, refresh = refreshAll) {
  let id = null;
  const task = addTransfer(title, {
    unit: 'objects',
    onCancel: () => (id === null ? undefined : call('DELETE', `/api/jobs/${id}`)),
  });
  const run = async () => {
    const job = await runJob(path, body, (one) => {
      id = one.id;
      task.progress(one.done, one.total);
    });
    const failures = job.result?.failures ?? [];
    if (job.state === 'cancelled') task.end('cancelled');
    else if (job.result?.failed > 0) task.fail(`${job.result.failed} failed`, null, failures);
    else task.end(`done: ${job.result?.succeeded ?? 0}`);
    return job.state === 'cancelled' ? null : job.result;
  };
  try {
    return await run();
  } catch (error) {
    task.fail(error.message, () => runTask(title, path, body, refresh));
    return null;
  } finally {
    await refresh();
  }
}

/** A search that was begun meanwhile goes on. */
async function refreshAll() {
  await Promise.all([view.search === null ? load() : undefined, loadContainers()]);
}
