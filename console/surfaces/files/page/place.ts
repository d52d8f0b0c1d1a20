import { isBelow } from '../../../ui/side-page.js';
import { folder, view, type Find } from './state.js';

/** The parts of the address besides the folder: the page, the search, and the object. */

/** The page behind a name, or before it where `reverse`; the last one without a name. */
export interface PageParameters {
  marker?: string | null;
  reverse?: '1';
}

interface Parts {
  after?: string | null;
  before?: string | null;
  last?: '1' | null;
  object?: string | null;
  find?: Find | null;
}

const FIND = ['q', 'mode', 'min_mib', 'max_mib', 'since', 'until'] as const;

/** A page as the address has it. */
export function pageOf({ marker, reverse }: PageParameters): Parts {
  const name = marker ?? null;
  const isBack = reverse === '1';
  return {
    after: isBack ? null : name,
    before: isBack ? name : null,
    last: isBack && name === null ? '1' : null,
  };
}

/** @returns the page that the address has, as the console is asked for it */
export function pageHere(parts: URLSearchParams): PageParameters {
  const [after, before] = [parts.get('after'), parts.get('before')];
  if (after !== null) return { marker: after };
  if (before !== null) return { marker: before, reverse: '1' };
  return parts.get('last') === '1' ? { reverse: '1' } : {};
}

/** @returns the search that the address has */
export function findHere(parts: URLSearchParams): Find | null {
  if (!parts.has('q')) return null;
  return Object.fromEntries(FIND.map((key) => [key, parts.get(key) ?? ''])) as unknown as Find;
}

/** The list in the address: another object of it may be open. */
const keyHere = () => {
  const parts = partsHere();
  parts.delete('object');
  return `${location.hash.split('?')[0] ?? ''}?${String(parts)}`;
};
let listed: string | null = null;

/** Takes what the address says for what is listed from now on. @returns whether it was before */
export function takeAddress() {
  const isKnown = listed === keyHere();
  listed = keyHere();
  return isKnown;
}

/** The part of the address behind its folder. */
export function partsHere() {
  return new URLSearchParams(location.hash.split('?')[1] ?? '');
}

/**
 * Keeps in the address what is shown, and in the title.
 *
 * @param how `push`: the browser's way back leads to what was shown before
 */
export function showPlace(changes: Parts, how: 'push' | 'replace' = 'replace') {
  const [path = '', former = ''] = location.hash.slice(1).split('?');
  // The user has gone elsewhere meanwhile, and the page will follow.
  if (path !== view.path || isBelow()) return;
  const parts = new URLSearchParams(former);
  const { find, ...others } = changes;
  const entries: [string, string | null][] = Object.entries(others);
  if (find !== undefined) for (const key of FIND) entries.push([key, find?.[key] ?? null]);
  // A search for all names has a place of its own, too.
  if (find) entries.push(['q', find.q]);
  for (const [key, value] of entries) {
    if (value === null) parts.delete(key);
    else parts.set(key, value);
  }
  const text = String(parts);
  if (text !== former) {
    const address = `#${path}${text === '' ? '' : `?${text}`}`;
    if (how === 'push') history.pushState(null, '', address);
    else history.replaceState(history.state, '', address);
    listed = keyHere();
  }
  showTitle(parts);
}

let productTitle = '';

/** Says where one is in the title of the browser's tab: the nearest first. */
export function showTitle(parts = partsHere()) {
  productTitle ||= document.title;
  const { container, mode } = view;
  if (container === null) {
    document.title = productTitle;
    return;
  }
  const tab = document.querySelector('#bucket-tabs [aria-selected="true"]')?.textContent ?? '';
  const object = mode === 'files' ? parts.get('object') : null;
  const found = parts.get('q');
  const what = [
    ...(object === null ? [] : [object.slice(object.lastIndexOf('/', object.length - 2) + 1)]),
    ...(found === null ? [] : [`Search: ${found}`]),
    ...{ files: [], trash: ['Trash'], settings: [tab] }[mode],
  ];
  const here = folder();
  const place = here === '' ? [container] : [here, container];
  const product = productTitle.split(' · ').at(-1) ?? '';
  document.title = [...what, ...place, product].join(' · ');
}
