import * as shared from '../../../ui/run-task.js';
import { load, loadContainers } from './listing.js';
import { view } from './state.js';

/** The beginning of names in the trash, before the names that people know. */
const OF_TRASH = /^\d{13}-[0-9a-f]{8}\//;

/**
 * Runs a job, as the task that pages share does, and then shows the list anew.
 *
 * @param refresh shows what it made, where that is not the list
 * @param done what was done, in words beside the way back; empty where there is none
 */
export function runTask(
  title: string,
  path: string,
  body: unknown,
  refresh: () => Promise<unknown> = refreshAll,
  done = '',
) {
  return shared.runTask(title, path, body, refresh, {
    nameOf: (name) => name.replace(OF_TRASH, ''),
    ...(done === '' ? {} : { undo: { path: '/api/files/undo', text: done } }),
  });
}

/** A search that was begun meanwhile goes on. */
async function refreshAll() {
  await Promise.all([view.search === null ? load() : undefined, loadContainers()]);
}
