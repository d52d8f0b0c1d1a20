import { fail, openShell } from './shell.js';
import type { SessionView } from '../server/session-routes.js';
import type { StreamState, Topics } from './api.js';

/**
 * The exports of the module `surfaces/<id>/page/page.js` of a page. `mount` fills the page, once;
 * `topics` and `onConnection` are told what the stream of events says, as `openEvents` tells it.
 */
interface PageModule {
  mount: (session: SessionView) => Promise<void>;
  topics?: Topics;
  onConnection?: (state: StreamState) => void;
}

const RETRY_MS = 5000;

async function start() {
  const { page = '' } = document.body.dataset;
  const own =
    page === '' ? null : ((await import(`../surfaces/${page}/page/page.js`)) as PageModule);
  const session = await openShell(page, own?.topics, own?.onConnection).catch(retry);
  await own?.mount(session);
}

/** Without a session there is nothing on the page that could be lost. */
function retry(error: unknown): never {
  setTimeout(() => location.reload(), RETRY_MS);
  throw error;
}

start().catch(fail);
