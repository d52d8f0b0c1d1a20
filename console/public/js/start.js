import { fail, openShell } from './shell.js';

/**
 * What the module `pages/<id>/page.js` of a page exports.
 *
 * @typedef {{
 *   mount: (session: import('./api.js').Session) => Promise<void>,
 *   topics?: import('./api.js').Topics,
 *   onConnection?: (state: import('./api.js').StreamState) => void,
 * }} PageModule `mount` fills the page, once; `topics` and `onConnection` are told what the stream
 *   of events says, as `openEvents` tells it
 */

const RETRY_MS = 5000;

async function start() {
  const { page = '' } = document.body.dataset;
  /** @type {PageModule | null} */
  const own = page === '' ? null : await import(`/pages/${page}/page.js`);
  const session = await openShell(page, own?.topics, own?.onConnection).catch(retry);
  await own?.mount(session);
}

/**
 * Without a session there is nothing on the page that could be lost.
 *
 * @param {unknown} error
 * @returns {never}
 */
function retry(error) {
  setTimeout(() => location.reload(), RETRY_MS);
  throw error;
}

start().catch(fail);
