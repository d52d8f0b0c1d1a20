/** The way to the login, and from there back to where one was. */

const BACK = 'back';

export function toLogin() {
  sessionStorage.setItem(BACK, location.pathname + location.search + location.hash);
  location.assign('/login.html');
}

/** @returns the address of the page that led to the login, once; else of the first page */
export function takeBack() {
  const address = sessionStorage.getItem(BACK);
  sessionStorage.removeItem(BACK);
  return address ?? '/';
}
