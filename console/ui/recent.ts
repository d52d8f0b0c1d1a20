import { userName } from './api.js';

/** Places that this user has been to in this browser, the latest first. */

interface Place {
  text: string;
  href: string;
}

const MOST = 8;

/** Another user of the same browser does not see them. */
const keyOf = () => `recent-places ${userName()}`;

export function recentPlaces(): Place[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(keyOf()) ?? '[]');
    return Array.isArray(kept) ? kept.filter(isPlace) : [];
  } catch {
    return [];
  }
}

/** @param place whose `href` is an address of this console, such as `/#photos/` */
export function rememberPlace(place: Place) {
  const others = recentPlaces().filter(({ href }) => href !== place.href);
  localStorage.setItem(keyOf(), JSON.stringify([place, ...others].slice(0, MOST)));
}

/** The stored values may be of another release; and an address of a script is not one of ours. */
function isPlace(kept: unknown): kept is Place {
  const { text, href } = (kept ?? {}) as Partial<Place>;
  return typeof text === 'string' && typeof href === 'string' && /^\/(?!\/)/.test(href);
}
