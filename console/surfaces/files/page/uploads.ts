import { enqueueAll } from '../../../ui/transfers.js';
import { loadAgain, loadContainers } from './listing.js';
import { attempt, containerHere, folder, view } from './state.js';
import type { Found, Missing } from '../../../ui/drop.js';

/** Uploads into the folder that is shown, which may be another one before all is found. */
export function addFiles(source: AsyncIterable<Found | Missing>) {
  const container = containerHere();
  const start = folder();
  attempt(() =>
    enqueueAll(container, start, source, () => {
      if (view.container === container && folder() === start && view.mode === 'files') {
        refreshSoon();
      }
    }),
  );
}

/** Something has arrived in a container. */
export function arrivedIn(container: string) {
  if (view.container === container && view.mode === 'files') refreshSoon();
}

const SOON_MS = 300;
/** While thousands arrive, their folder is read again now and then. */
const AGAIN_MS = 3000;
let refreshing: ReturnType<typeof setTimeout> | 0 = 0;
let refreshedMs = -Infinity;

/** Once for many files that arrive together, and not under a selection that is being made. */
function refreshSoon() {
  if (refreshing !== 0) return;
  const waitMs = Math.max(SOON_MS, refreshedMs + AGAIN_MS - performance.now());
  refreshing = setTimeout(() => {
    refreshing = 0;
    refreshedMs = performance.now();
    attempt(loadContainers);
    if (view.selected.size === 0) attempt(loadAgain);
  }, waitMs);
}
