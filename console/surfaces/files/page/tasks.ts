import * as shared from '../../../ui/run-task.js';
import { load, loadContainers } from './listing.js';
import { view } from './state.js';

/**
 * Runs a job, as the task that pages share does, and then shows the list anew.
 *
 * @param refresh shows what it made, where that is not the list
 */
export function runTask(
  title: string,
  path: string,
  body: unknown,
  refresh: () => Promise<unknown> = refreshAll,
) {
  return shared.runTask(title, path, body, refresh);
}

/** A search that was begun meanwhile goes on. */
async function refreshAll() {
  await Promise.all([view.search === null ? load() : undefined, loadContainers()]);
}
