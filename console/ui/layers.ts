/**
 * A layer over a page has an entry of its own in the history of the browser, so that “back” closes
 * it and stays on the page. Closed in any other way, it takes its entry with it: history and screen
 * always agree.
 */

/** An open layer; the uppermost is the last of the list. */
interface Layer {
  close: () => void;
}

/** A guard: a browser that goes back in its history says so within milliseconds. */
const BACK_LIMIT_MS = 1000;

const layers: Layer[] = [];
/** Resolves when the history has gone back; null while it does not. */
let goingBack: Promise<void> | null = null;

/** How many layers an entry of the history stands for. */
function depthHere() {
  const state = history.state as { layers?: number } | null;
  return state?.layers ?? 0;
}

/** @param depth of the entry that the browser is at */
function markHere(depth: number) {
  history.replaceState({ ...history.state, layers: depth }, '');
}

/**
 * Makes an entry for what opens.
 *
 * @param close what “back” does, and an address that the user goes to
 * @returns what takes the entry away again; to be awaited before something else is opened or gone
 *   to
 */
export function openLayer(close: () => void) {
  const layer = { close };
  layers.push(layer);
  // Once: a listener that is there already is not added again.
  window.addEventListener('popstate', agree);
  void enter(layer);
  return () => leave(layer);
}

async function enter(layer: Layer) {
  while (goingBack !== null) await goingBack;
  const at = layers.indexOf(layer);
  if (at === -1) return;
  // After a reload, what lay over the page before is not there any more.
  if (depthHere() !== at) markHere(at);
  history.pushState({ ...history.state, layers: at + 1 }, '');
}

async function leave(layer: Layer) {
  while (goingBack !== null) await goingBack;
  const at = layers.indexOf(layer);
  // “Back”, or another address, was there first.
  if (at === -1) return;
  const above = layers.splice(at).slice(1);
  for (const { close } of above.toReversed()) close();
  // An action in a dialog may lead to another view: its address is that of the page now.
  await goBack(depthHere() - at, location.href);
}

/**
 * @param entries how many of the history
 * @param address of the page from then on; its own listeners hear of nothing else
 */
async function goBack(entries: number, address?: string) {
  if (entries <= 0) return;
  goingBack = new Promise((resolve) => {
    const timer = setTimeout(done, BACK_LIMIT_MS);
    window.addEventListener('popstate', arrived, { capture: true });
    function arrived() {
      if (address !== undefined) history.replaceState(history.state, '', address);
      done();
    }
    function done() {
      clearTimeout(timer);
      window.removeEventListener('popstate', arrived, { capture: true });
      goingBack = null;
      resolve();
    }
  });
  history.go(-entries);
  await goingBack;
}

/** Closes the layers above the entry of the history that the browser has gone to. */
function agree() {
  const depth = depthHere();
  const gone = layers.splice(depth);
  for (const { close } of gone.toReversed()) close();
  // Forward again: what lay over the page then is not there any more.
  void goBack(depth - layers.length);
}
