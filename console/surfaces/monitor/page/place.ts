/**
 * The view of the page, kept behind `#`: a reload, the back button and a shared link keep the tab,
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

type Place = typeof DEFAULTS;

/** Called with the keys that have changed. */
type Listener = (changed: ReadonlySet<string>) => void;

/** The keys of a place. */
const KEYS = Object.keys(DEFAULTS) as (keyof Place)[];

export const place = { ...DEFAULTS };
const listeners = new Set<Listener>();

export function onPlace(listener: Listener) {
  listeners.add(listener);
}

export function readPlace() {
  const given: Partial<Place> = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
  const next = { ...DEFAULTS };
  for (const key of KEYS) next[key] = given[key] ?? DEFAULTS[key];
  // Half a custom range is none.
  if (!(Number(next.from) > 0 && Number(next.to) > Number(next.from))) next.from = next.to = '';
  if (!(Number(next.range) > 0)) next.range = DEFAULTS.range;
  apply(next);
}

export function addressOf(changes: Partial<Place>) {
  const next = { ...place, ...changes };
  const told = KEYS.filter((key) => next[key] !== DEFAULTS[key]);
  return `#${new URLSearchParams(told.map((key) => [key, next[key]]))}`;
}

export function setPlace(changes: Partial<Place>) {
  const address = addressOf(changes);
  if ('tab' in changes && changes.tab !== place.tab) history.pushState(null, '', address);
  else history.replaceState(history.state, '', address);
  apply({ ...place, ...changes });
}

function apply(next: Place) {
  const changed = new Set(KEYS.filter((key) => next[key] !== place[key]));
  Object.assign(place, next);
  if (changed.size > 0) for (const listener of listeners) listener(changed);
}

window.addEventListener('hashchange', readPlace);
window.addEventListener('popstate', readPlace);
