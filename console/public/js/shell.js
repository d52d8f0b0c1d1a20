import { call, openEvents, openSession } from './api.js';
import { $, el, messageOf, shownText } from './dom.js';
import { Health } from './health.js';

/** The bar at the top of each page: cluster, surfaces, health, user, and how long the session lasts. */

/**
 * @typedef {import('./api.js').Session} Session
 * @typedef {import('./api.js').StreamState} StreamState
 * @typedef {import('./api.js').Topics} Topics
 */

/** Below this the countdown is said aloud, once for each step. */
const WARN_MINUTES_FIRST = 15;
const WARN_MINUTES = [WARN_MINUTES_FIRST, 5, 1];
const ASK_MS = 60_000;

/**
 * Fills the bar, and holds the stream of events that the whole page shares.
 *
 * @param {string} current id of the page; empty for one that says why another is not shown
 * @param {Topics} [topics]
 * @param {(state: StreamState) => void} [onConnection] told what openEvents tells
 * @returns the session
 */
export async function openShell(current, topics = {}, onConnection = () => undefined) {
  const session = await openSession();
  const bar = $('#bar');
  const health = new Health(session.features.monitor);
  bar.replaceChildren(
    el('strong', { id: 'cluster', textContent: session.cluster_name }),
    navigation(session, current),
    health.element,
    el('span', { id: 'who', textContent: `${session.user} (${session.role})` }),
    el('span', { id: 'countdown', className: 'quiet' }),
    el('span', { id: 'countdown-warning', className: 'sr', role: 'status' }),
    el('button', { id: 'logout', textContent: 'Log out', onclick: logOut }),
  );
  follow(session, health, topics, onConnection);
  showCountdown(session);
  setInterval(async () => {
    const now = await call('GET', '/api/session', undefined, true).catch(() => null);
    if (now !== null) showCountdown(now);
  }, ASK_MS);
  return session;
}

/**
 * @param {Session} session
 * @param {Health} health
 * @param {Topics} topics
 * @param {(state: StreamState) => void} onConnection
 */
function follow({ features }, health, topics, onConnection) {
  const told = {
    ...topics,
    ...(features.monitor && {
      /** @param {import('./api.js').Overview} overview */
      monitor(overview) {
        health.tell(overview);
        topics.monitor?.(overview);
      },
    }),
  };
  openEvents((state) => {
    health.connection(state !== 'stale');
    // Events tell what is new; what is so already has to be asked for.
    if (state === 'live' && features.monitor) health.ask().catch(() => undefined);
    onConnection(state);
  }, told);
}

/**
 * What went wrong, above the page, until something else is tried.
 *
 * @param {unknown} error
 */
export function fail(error) {
  const banner = $('#banner');
  banner.hidden = false;
  banner.textContent = shownText(messageOf(error));
}

/**
 * @param {Session} session
 * @param {string} current
 */
function navigation({ pages }, current) {
  const nav = el('nav');
  nav.setAttribute('aria-label', 'Surfaces');
  for (const { id, title, path } of pages.filter(({ group }) => group !== 'none')) {
    const link = el('a', { href: path, textContent: title });
    if (id === current) link.setAttribute('aria-current', 'page');
    nav.append(link);
  }
  return nav;
}

async function logOut() {
  try {
    await call('DELETE', '/api/session');
    location.assign('/login.html');
  } catch (error) {
    fail(error);
  }
}

let warned = Infinity;

/** @param {Session} session */
function showCountdown({ idle_expires_unix_s: expires }) {
  const minutes = Math.max(0, Math.floor((expires * 1000 - Date.now()) / 60_000));
  const hours = Math.floor(minutes / 60);
  const left = hours > 0 ? `${hours} h ${minutes % 60} min` : `${minutes} min`;
  $('#countdown').textContent = `session ends in ${left}`;
  $('#countdown').classList.toggle('soon', minutes < WARN_MINUTES_FIRST);
  const step = WARN_MINUTES.findLast((limit) => minutes < limit) ?? Infinity;
  if (step < warned) $('#countdown-warning').textContent = `Your session ends in ${left}.`;
  warned = step;
}
