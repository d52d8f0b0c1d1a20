import { call, runJob } from '../../../../ui/api.js';
import { messageOf } from '../../../../ui/dom.js';
import { addTransfer } from '../../../../ui/transfer-list.js';

/**
 * Runs a job that only looks, with its progress in the list of transfers.
 *
 * @returns what it found, or null when it was cancelled or failed
 */
export async function runPreview(title: string, path: string, body: unknown): Promise<unknown> {
  let id = '';
  const task = addTransfer(title, {
    unit: 'objects',
    onCancel: () => (id === '' ? undefined : call('DELETE', `/api/jobs/${id}`)),
  });
  try {
    const job = await runJob(path, body, (one) => {
      id = one.id;
      task.progress(one.done, one.total);
    });
    task.end(job.state === 'cancelled' ? 'cancelled' : 'done');
    return job.state === 'cancelled' ? null : job.result;
  } catch (error) {
    task.fail(messageOf(error), null);
    return null;
  }
}
