import { userName } from './api.js';

/** Places that this user has been to in this browser, the latest first. */

/** @typedef {{ text: string, href: string }} Place */

const MOST = 8;

/** Another user of the same browser does not see them. */
const keyOf = () => `recent-places ${userName()}`;

/** @returns {Place[]} */
export function recentPlaces() {
  try {
    const kept = JSON.parse(localStorage.getItem(keyOf()) ?? '[]');
    return Array.isArray(kept) ? kept.filter(isPlace) : [];
  } catch {
    return [];
  }
}

/** @param {Place} place whose `href` is an address of this console, such as `/#photos/` */
export function rememberPlace(place) {
  const others = recentPlaces().filter(({ href }) => href !== place.href);
  localStorage.setItem(keyOf(), JSON.stringify([place, ...others].slice(0, MOST)));
}

/**
 * What is kept may be of another release; and an address of a script is not one of ours.
 *
 * @param {unknown} kept
 * @returns {kept is Place}
 */
function isPlace(kept) {
  const { text, href } = /** @type {Partial<Place>} */ (kept ?? {});
  return typeof text === 'string' && typeof href === 'string' && /^\/(?!\/)/.test(href);
}
