import { localTimes, timeAt } from '../../../ui/clock.js';
import { call, POLL_MS, type StreamState } from '../../../ui/api.js';
import { $, durationText, el } from '../../../ui/dom.js';
import { skeleton } from '../../../ui/skeleton.js';
import { showAlerts } from './alerts.js';
import { now, setClock } from './clock.js';
import { onPlace, place, readPlace, setPlace } from './place.js';
import { markRange, showRange } from './range.js';
import { stateMark } from './state.js';
import { TabContent } from './tab-content.js';
import { markTab, showTabs } from './tabs.js';
import { showLoadingTiles, showTiles, type About } from './tiles.js';
import { fail } from '../../../ui/shell.js';
import type { Overview } from '../answers.js';
import type { SessionView } from '../../../server/session-routes.js';

/** How many tiles there were last time: until the first answer there is room for as many. */
const TILES = 'monitor-tiles';
const TILES_FIRST = 10;
/** The charts that a tab begins with. */
const PANELS = 6;
/** Tabs whose data only operators may see. A tab of charts is shown when one of them is measured. */
const WITHOUT_CHARTS = new Set(['logs', 'trace']);
const SOURCE_NAMES: Record<string, string> = { embedded: 'built-in', prometheus: 'Prometheus' };
/** The number of missed updates after which the shown values count as unknown. */
const MISSED = 3;
const RETRY_MS = 5000;
const AGAIN_S = 120;

let overview: Overview | null = null;
let stale = false;
let everyS = 0;
let aboutOf: (panel: string) => About | undefined = () => undefined;
let content: TabContent | null = null;

function take(next: Overview) {
  // A stream that was cut may tell again what is older than what is shown; a clock may be set back.
  const olderS = overview === null ? 0 : overview.at_unix_s - next.at_unix_s;
  if (olderS > 0 && olderS < AGAIN_S) return;
  overview = next;
  stale = false;
  setClock(next.at_unix_s);
  show(next);
  content?.tick();
}

function show(next: Overview) {
  const { source, sources, alerts } = next;
  const name = SOURCE_NAMES[source] ?? source;
  $('#source').textContent = `source: ${name}`;
  localStorage.setItem(TILES, String(showTiles(next, aboutOf, stale)));
  const down = sources.filter(({ state }) => state === 'down');
  showSources(sources);
  showAlerts(alerts, stale || down.length > 0);
  showAge();
}

/** A line for each source that does not answer, or is not there yet. */
function showSources(sources: Overview['sources']) {
  const lines = sources
    .filter(({ state }) => state === 'down' || state === 'starting')
    .map(({ title, state, reason, last_unix_s: last }) => {
      const why = localTimes(reason ?? 'not responding');
      const down =
        typeof last === 'number'
          ? `${title}: ${why}. No data since ${timeAt(last, 'second')}.`
          : `${title}: ${why}. Its data is unavailable.`;
      const text = state === 'starting' ? `Waiting for the first data from ${title}.` : down;
      const line = el(
        'p',
        { className: 'source' },
        stateMark(state === 'down' ? 'crit' : 'info', text),
      );
      line.dataset.state = state;
      return line;
    });
  const host = $('#sources');
  const text = lines.map(({ textContent }) => textContent).join();
  // Said aloud when it changes, and only then.
  if (host.textContent !== text) host.replaceChildren(...lines);
}

/** Without the console itself nothing is known: no figure may look as if it were of now. */
function showAge() {
  if (overview === null) return;
  const { at_unix_s: at, interval_s: interval } = overview;
  const age = now() - at;
  $('#updated').textContent = `updated ${age < 2 ? 'just now' : `${durationText(age)} ago`}`;
  if (stale || age < MISSED * Math.max(interval, everyS)) return;
  stale = true;
  const since = timeAt(at, 'second');
  const reason = `no data since ${since}: the console is not responding`;
  show({
    ...overview,
    tiles: overview.tiles.map((tile) => ({ ...tile, value: null, state: 'unknown', reason })),
    sources: [{ id: 'console', title: 'Console', state: 'down', reason: 'no data received' }],
  });
}

/** Tiles and alerts lead to their charts; with a key held down, in another window. */
function followLink(event: MouseEvent) {
  const target = event.target as Element;
  const link = target.closest<HTMLElement>('a[data-panel]');
  if (link === null || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const { tab = '', panel = '' } = link.dataset;
  setPlace({ tab });
  content?.reveal(panel);
}

async function refresh() {
  take(await call('GET', '/api/monitor/overview', undefined, true));
}

export const topics = { monitor: take };

export function onConnection(state: StreamState) {
  // A page that polls is live for a moment each time.
  if (state !== 'live') everyS = state === 'polled' ? POLL_MS / 1000 : 0;
  if (state === 'live' && content !== null) refresh().catch(fail);
}

/**
 * Shows the tiles, the alerts and a tab of charts. Without its first answers the page has nothing:
 * it goes on asking.
 */
export async function mount(session: SessionView) {
  try {
    await open(session);
  } catch (error) {
    fail(error);
    if (overview === null) setTimeout(() => location.reload(), RETRY_MS);
  }
}

async function open(session: SessionView) {
  readPlace();
  showLoadingTiles(Number(localStorage.getItem(TILES) ?? TILES_FIRST));
  const places = Array.from({ length: PANELS }, () =>
    el('div', { className: 'card panel' }, skeleton('block')),
  );
  $('#panel').replaceChildren(el('div', { className: 'panels main' }, ...places));
  const operator = session.role === 'operator';
  const catalogue = await call('GET', '/api/monitor/panels', undefined, true);
  const tabs = catalogue.tabs.filter(({ id }) =>
    WITHOUT_CHARTS.has(id)
      ? operator
      : catalogue.items.some(({ tab, available }) => tab === id && available),
  );
  const byPanel = new Map(catalogue.items.map((item) => [item.id, item]));
  aboutOf = (panel) => byPanel.get(panel);
  if (!tabs.some(({ id }) => id === place.tab)) place.tab = tabs[0]?.id ?? '';
  const made = new TabContent(catalogue, operator);
  content = made;
  showTabs(tabs);
  showRange(catalogue.ranges, () => made.load());
  made.open();
  onPlace((changed) => {
    markTab();
    markRange();
    if (changed.has('tab')) made.open();
    else if ([...changed].some((key) => key !== 'more')) made.load();
  });
  document.addEventListener('click', followLink);
  await refresh();
  setInterval(showAge, 1000);
}
