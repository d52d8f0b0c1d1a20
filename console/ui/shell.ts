import { call, openEvents, openSession, type StreamState, type Topics } from './api.js';
import { offerCommands, wirePalette, type Command } from './command-palette.js';
import { $, el, messageOf, shownText } from './dom.js';
import { Health } from './health.js';
import { icon, iconButton } from './icons.js';
import { isCompact, nextTheme, onLooks, setCompact, setTheme, theme } from './looks.js';
import { goTo } from './side-page.js';
import type { Overview } from '../surfaces/monitor/answers.js';
import type { SessionView as Session } from '../server/session-routes.js';

/** The frame of each page: the rail with places and user, the bar with title, search and health. */

type Page = Session['pages'][number];

/** Headings of the rail, in their order; the first group needs none. */
const GROUPS = [
  ['storage', ''],
  ['cluster', 'Cluster'],
  ['administration', 'Administration'],
] as const;

/** Below this the countdown is said aloud, once for each step. */
const WARN_MINUTES_FIRST = 15;
const WARN_MINUTES = [WARN_MINUTES_FIRST, 5, 1];
const ASK_MS = 60_000;

const THEME_LOOKS = {
  system: ['monitor', 'Theme: system'],
  light: ['sun', 'Theme: light'],
  dark: ['moon', 'Theme: dark'],
};

/**
 * Fills the frame, and holds the stream of events that the whole page shares.
 *
 * @param current id of the page; empty for one that says why another is not shown
 * @param onConnection told what openEvents tells
 * @returns the session
 */
export async function openShell(
  current: string,
  topics: Topics = {},
  onConnection: (state: StreamState) => void = () => undefined,
) {
  const session = await openSession();
  const health = new Health(session.features.monitor === true);
  const page = session.pages.find(({ id }) => id === current);
  showRail(session, current);
  showBar(session.pages, page, health);
  wirePalette();
  wireSkip();
  offerCommands(() => commandsOf(session));
  follow(session, health, topics, onConnection);
  showCountdown(session);
  setInterval(async () => {
    const now = await call('GET', '/api/session', undefined, true).catch(() => null);
    if (now !== null) showCountdown(now);
  }, ASK_MS);
  return session;
}

function showRail({ pages, off, cluster_name: cluster, user, role }: Session, current: string) {
  const nav = el('nav');
  nav.setAttribute('aria-label', 'Pages');
  for (const [group, heading] of GROUPS) {
    const links = [
      ...pages
        .filter((page) => page.group === group && page.in_rail)
        .map((page) => linkTo(page, current)),
      ...off.filter((surface) => surface.group === group).map(linkToOff),
    ];
    if (links.length === 0) continue;
    const list = el('ul', {}, ...links.map((link) => el('li', {}, link)));
    const title = heading === '' ? [] : [el('h2', { textContent: heading })];
    nav.append(el('div', {}, ...title, list));
  }
  const name = el('span', { className: 'name', textContent: user });
  $('#rail').replaceChildren(
    el(
      'div',
      { className: 'brand' },
      el('img', { src: new URL('icon.svg', import.meta.url).href, alt: '' }),
      el('span', { id: 'cluster', textContent: cluster }),
    ),
    nav,
    el(
      'div',
      { className: 'person' },
      el('span', { id: 'who', title: user }, name, ` (${role})`),
      el('span', { id: 'countdown', className: 'quiet' }),
      el('span', { id: 'countdown-warning', className: 'sr', role: 'status' }),
      Object.assign(iconButton('log-out', 'Log out', logOut), { id: 'logout' }),
    ),
  );
}

function linkTo({ id, title, path, icon: name, purpose }: Page, current: string) {
  const link = el('a', { href: path, title: purpose }, icon(name), title);
  if (id === current) link.setAttribute('aria-current', 'page');
  else if (current.startsWith(`${path.slice(1)}/`)) link.setAttribute('aria-current', 'true');
  return link;
}

/** Its page says which keys switch it on. */
function linkToOff({ title, path, icon: name, needs }: Session['off'][number]) {
  return el(
    'a',
    { href: path, title: `Off. Set ${needs}.`, className: 'off' },
    icon(name),
    title,
    el('span', { className: 'badge', textContent: 'off' }),
  );
}

function showBar(pages: readonly Page[], page: Page | undefined, health: Health) {
  const menu = iconButton('menu', 'Menu', () => setRail($('#shell').dataset.rail !== 'open'));
  menu.id = 'menu';
  menu.setAttribute('aria-expanded', 'false');
  menu.setAttribute('aria-controls', 'rail');
  const place = el('div', { className: 'place', id: 'place' });
  const title = el('span', { textContent: page?.title ?? document.title });
  title.setAttribute('aria-current', 'page');
  const parent = pages.find(({ path }) => page?.id.startsWith(`${path.slice(1)}/`));
  const heading = GROUPS.find(([group]) => group === page?.group)?.[1] ?? '';
  if (parent !== undefined && parent !== page) {
    const link = el('a', { href: parent.path, textContent: parent.title });
    place.append(link, icon('chevron-right'));
  } else if (heading !== '') {
    place.append(el('span', { textContent: heading }), icon('chevron-right'));
  }
  place.append(title);
  const find = el(
    'button',
    { id: 'find', title: 'Search pages and actions (Ctrl K)' },
    icon('search'),
    el('span', { textContent: 'Search or go to…' }),
    el('kbd', { textContent: 'Ctrl K' }),
  );
  $('#bar').replaceChildren(menu, place, find, themeButton(), densityButton(), health.element);
  document.addEventListener('click', ({ target }) => {
    if (!(target as Element).closest('#rail, #menu')) setRail(false);
  });
  document.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || $('#shell').dataset.rail !== 'open') return;
    setRail(false);
    menu.focus();
  });
}

/** @param isOpen on a narrow screen, where the rail is a drawer */
function setRail(isOpen: boolean) {
  if (($('#shell').dataset.rail === 'open') === isOpen) return;
  $('#shell').dataset.rail = isOpen ? 'open' : '';
  $('#menu').setAttribute('aria-expanded', String(isOpen));
  if (isOpen) $('#rail').querySelector<HTMLElement>('nav a')?.focus();
}

/** Skips to the content and leaves the address alone: pages have their places behind `#`. */
function wireSkip() {
  const skip = $('.skip');
  skip.onclick = (event) => {
    event.preventDefault();
    const target = $(skip.getAttribute('href') ?? '#main');
    if (!target.hasAttribute('tabindex')) target.tabIndex = -1;
    target.focus();
  };
}

function themeButton() {
  const button = iconButton('monitor', '', () => setTheme(nextTheme()));
  button.id = 'theme';
  const show = () => {
    const [name = '', label = ''] = THEME_LOOKS[theme()];
    button.replaceChildren(icon(name));
    button.title = label;
    button.setAttribute('aria-label', label);
  };
  show();
  onLooks(show);
  return button;
}

function densityButton() {
  const button = iconButton('rows-3', 'Compact rows', () => setCompact(!isCompact()));
  button.id = 'density';
  const show = () => {
    button.replaceChildren(icon(isCompact() ? 'rows-4' : 'rows-3'));
    button.setAttribute('aria-pressed', String(isCompact()));
  };
  show();
  onLooks(show);
  return button;
}

function commandsOf({ pages }: Session): Command[] {
  // Pages without a group are for those who write pages.
  const places = pages
    .filter(({ group }) => group !== 'none')
    .map(({ title, path, icon: name }) => ({
      text: title,
      icon: name,
      group: 'Go to' as const,
      run: () => goTo(path),
    }));
  const action = (text: string, name: string, run: () => unknown) => ({
    ...{ text, icon: name, run },
    group: 'Actions' as const,
  });
  return [
    ...places,
    action('Theme: light', 'sun', () => setTheme('light')),
    action('Theme: dark', 'moon', () => setTheme('dark')),
    action('Theme: system', 'monitor', () => setTheme('system')),
    action(isCompact() ? 'Normal rows' : 'Compact rows', 'rows-4', () => setCompact(!isCompact())),
    action('Log out', 'log-out', logOut),
  ];
}

function follow(
  { features }: Session,
  health: Health,
  topics: Topics,
  onConnection: (state: StreamState) => void,
) {
  const told = {
    ...topics,
    ...(features.monitor === true && {
      monitor(overview: Overview) {
        health.tell(overview);
        topics.monitor?.(overview);
      },
    }),
  };
  openEvents((state) => {
    health.connection(state !== 'stale');
    // Events tell what is new; what is so already has to be asked for.
    if (state === 'live' && features.monitor === true) health.ask().catch(() => undefined);
    onConnection(state);
  }, told);
}

/** Shows an error above the page, until something else is tried. */
export function fail(error: unknown) {
  const banner = $('#banner');
  banner.hidden = false;
  banner.textContent = shownText(messageOf(error));
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

function showCountdown({ idle_expires_unix_s: expires }: Session) {
  const minutes = Math.max(0, Math.floor((expires * 1000 - Date.now()) / 60_000));
  const hours = Math.floor(minutes / 60);
  const left = hours > 0 ? `${hours} h ${minutes % 60} min` : `${minutes} min`;
  $('#countdown').textContent = `session ends in ${left}`;
  $('#countdown').classList.toggle('soon', minutes < WARN_MINUTES_FIRST);
  const step = WARN_MINUTES.findLast((limit) => minutes < limit) ?? Infinity;
  if (step < warned) $('#countdown-warning').textContent = `Your session ends in ${left}.`;
  warned = step;
}
