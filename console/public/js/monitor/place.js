/**
 * What the page shows, kept behind `#`: a reload, the back button and a shared link keep the tab,
 * the range and the filters.
 */

const DEFAULTS = {
  tab: 'gateway',
  /** Seconds up to now; empty for `from` and `to`. */
  range: '3600',
  from: '',
  to: '',
  services: '',
  nodes: '',
  level: '',
  contains: '',
  limit: '200',
};

export const place = { ...DEFAULTS };
const listeners = new Set();

/** @param listener - told which keys have changed */
export function onPlace(listener) {
  listeners.add(listener);
}

export function readPlace() {
  const given = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
  const next = {};
  for (const key of Object.keys(DEFAULTS)) next[key] = given[key] ?? DEFAULTS[key];
  // Half a custom range is none.
  if (!(Number(next.from) > 0 && Number(next.to) > Number(next.from))) next.from = next.to = '';
  if (!(Number(next.range) > 0)) next.range = DEFAULTS.range;
  apply(next);
}

export function addressOf(changes) {
  const next = Object.entries({ ...place, ...changes });
  const told = next.filter(([key, value]) => value !== DEFAULTS[key]);
  return `#${new URLSearchParams(told)}`;
}

/** @param changes - keys of the place, as texts */
export function setPlace(changes) {
  const address = addressOf(changes);
  if ('tab' in changes && changes.tab !== place.tab) history.pushState(null, '', address);
  else history.replaceState(null, '', address);
  apply({ ...place, ...changes });
}

function apply(next) {
  const changed = new Set(Object.keys(next).filter((key) => next[key] !== place[key]));
  Object.assign(place, next);
  if (changed.size > 0) for (const listener of listeners) listener(changed);
}

window.addEventListener('hashchange', readPlace);
window.addEventListener('popstate', readPlace);
