/** The way to the login, and from there back to where one was. */

const BACK = 'back';
const ENDED = 'session-ended';

/** From a page whose session has ended. */
export function toLogin() {
  sessionStorage.setItem(ENDED, '1');
  sessionStorage.setItem(BACK, location.pathname + location.search + location.hash);
  location.assign('/login.html');
}

/** @returns whether a session has ended that led to the login; once */
export function takeEnded() {
  const hasEnded = sessionStorage.getItem(ENDED) !== null || location.hash === '#ended';
  sessionStorage.removeItem(ENDED);
  return hasEnded;
}

/** @returns the address of the page that led to the login, once; else of the first page */
export function takeBack() {
  const address = sessionStorage.getItem(BACK);
  sessionStorage.removeItem(BACK);
  return address ?? '/';
}
