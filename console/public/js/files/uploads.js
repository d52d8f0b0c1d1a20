import { enqueue } from '../transfers.js';
import { load, loadContainers } from './listing.js';
import { attempt, folder, view } from './state.js';

/** Uploads into the folder that is shown. */
export function addFile(path, file) {
  const { container } = view;
  const start = folder();
  enqueue(container, start + path, file, () => {
    if (view.container === container && folder() === start && view.mode === 'files') refreshSoon();
  });
}

let refreshing = 0;

/** Once for many files that arrive together, and not under a selection that is being made. */
function refreshSoon() {
  clearTimeout(refreshing);
  refreshing = setTimeout(() => {
    attempt(loadContainers);
    if (view.selected.size === 0) attempt(load);
  }, 300);
}
