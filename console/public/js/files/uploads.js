import { enqueue } from '../transfers.js';
import { load, loadContainers } from './listing.js';
import { fail, view } from './state.js';

/** Uploads into the folder that is shown. */
export function addFile(path, file) {
  const { container, prefix } = view;
  enqueue(container, prefix + path, file, () => {
    if (view.container === container && view.prefix === prefix && !view.trash) refreshSoon();
  });
}

let refreshing = 0;

/** Once for many files that arrive together, and not under a selection that is being made. */
function refreshSoon() {
  clearTimeout(refreshing);
  refreshing = setTimeout(() => {
    loadContainers().catch(fail);
    if (view.selected.size === 0) load().catch(fail);
  }, 300);
}
