/**
 * What the page shows, kept behind `#`: a reload, the back button and a shared link keep the tab,
 * the range and the filters.
 */

const DEFAULTS = {
  tab: 'gateway',
  /** `1` where the charts below the main ones are open too. */
  more: '',
  /** Seconds up to now; empty for `from` and `to`. */
  range: '3600',
  from: '',
  to: '',
  services: '',
  nodes: '',
  level: '',
  contains: '',
  /** Whether the requests of the console itself are among the lines. */
  own: 'hide',
  limit: '200',
};

/**
 * @typedef {typeof DEFAULTS} Place
 * @typedef {(changed: ReadonlySet<string>) => void} Listener told which keys have changed
 */

/** The keys of a place. */
const KEYS = /** @type {(keyof Place)[]} */ (Object.keys(DEFAULTS));

export const place = { ...DEFAULTS };
/** @type {Set<Listener>} */
const listeners = new Set();

/** @param {Listener} listener */
export function onPlace(listener) {
  listeners.add(listener);
}

export function readPlace() {
  /** @type {Partial<Place>} */
  const given = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
  const next = { ...DEFAULTS };
  for (const key of KEYS) next[key] = given[key] ?? DEFAULTS[key];
  // Half a custom range is none.
  if (!(Number(next.from) > 0 && Number(next.to) > Number(next.from))) next.from = next.to = '';
  if (!(Number(next.range) > 0)) next.range = DEFAULTS.range;
  apply(next);
}

/** @param {Partial<Place>} changes */
export function addressOf(changes) {
  const next = { ...place, ...changes };
  const told = KEYS.filter((key) => next[key] !== DEFAULTS[key]);
  return `#${new URLSearchParams(told.map((key) => [key, next[key]]))}`;
}

/** @param {Partial<Place>} changes */
export function setPlace(changes) {
  const address = addressOf(changes);
  if ('tab' in changes && changes.tab !== place.tab) history.pushState(null, '', address);
  else history.replaceState(history.state, '', address);
  apply({ ...place, ...changes });
}

/** @param {Place} next */
function apply(next) {
  const changed = new Set(KEYS.filter((key) => next[key] !== place[key]));
  Object.assign(place, next);
  if (changed.size > 0) for (const listener of listeners) listener(changed);
}

window.addEventListener('hashchange', readPlace);
window.addEventListener('popstate', readPlace);
