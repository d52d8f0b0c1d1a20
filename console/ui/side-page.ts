import { $, el } from './dom.js';

/**
 * Files on their way belong to the document that reads them. While some are, other pages of the
 * console open in a frame over this page, which goes on below with its list of transfers; the
 * address bar and the title are those of the framed page.
 */

/** The frame that is open, and the address of the page below it. */
let open: { frame: HTMLIFrameElement; home: string } | null = null;
let isBusy: () => boolean = () => false;

/** True while another page is open over this one; the address bar then shows that page. */
export function isBelow() {
  return open !== null;
}

/** @param given whether leaving would cut something */
export function keepPage(given: () => boolean) {
  isBusy = given;
  document.addEventListener('click', (event) => {
    const url = pageOf(event);
    if (url === null || url.pathname === location.pathname || !isBusy()) return;
    event.preventDefault();
    openBeside(url);
  });
  window.addEventListener('popstate', () => {
    if (open !== null && samePage(location.href, open.home)) close();
  });
}

/** Goes to another page of the console, as a link does. */
export function goTo(path: string) {
  const url = new URL(path, location.href);
  if (isBusy() && url.pathname !== location.pathname) openBeside(url);
  else location.assign(url);
}

/** @returns where a click leads in this tab; null where to no page of the console */
function pageOf(event: MouseEvent) {
  const isPlain = !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
  if (event.defaultPrevented || event.button !== 0 || !isPlain) return null;
  const link = (event.target as Element).closest<HTMLAnchorElement>('a[href]');
  if (link?.target !== '' || link.hasAttribute('download')) return null;
  const url = new URL(link.href);
  return url.origin === location.origin ? url : null;
}

function samePage(one: string, other: string) {
  return new URL(one).pathname === new URL(other).pathname;
}

function openBeside(url: URL) {
  const home = location.href;
  const frame = el('iframe', { className: 'side-page', title: 'Page', src: url.href });
  open = { frame, home };
  history.pushState(null, '', url.href);
  for (const selector of ['#rail', '#bar', '#main']) $(selector).inert = true;
  frame.onload = () => follow(frame);
  document.body.dataset.beside = 'open';
  document.body.append(frame);
  frame.focus();
}

/** The framed page has become another one. */
function follow(frame: HTMLIFrameElement) {
  const { contentDocument: inner, contentWindow: innerWindow } = frame;
  if (open === null || inner === null || innerWindow === null) return;
  const { href } = innerWindow.location;
  if (samePage(href, open.home)) {
    goHome(href);
    return;
  }
  history.replaceState(history.state, '', href);
  document.title = inner.title;
  frame.title = inner.title;
  inner.addEventListener('click', (event) => {
    const url = pageOf(event);
    if (url === null || open === null) return;
    if (samePage(url.href, open.home)) {
      event.preventDefault();
      goHome(url.href);
    } else if (!isBusy()) {
      // Nothing would be lost any more: the frame has done its work.
      event.preventDefault();
      location.assign(url);
    }
  });
}

/** Shows the page below again, at the place that the address names. */
function goHome(href: string) {
  history.pushState(null, '', href);
  close();
  window.dispatchEvent(new HashChangeEvent('hashchange'));
}

function close() {
  open?.frame.remove();
  open = null;
  delete document.body.dataset.beside;
  for (const selector of ['#rail', '#bar', '#main']) $(selector).inert = false;
  $('#main').focus();
}
