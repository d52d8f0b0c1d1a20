import { $ } from '../../js/dom.js';
import { fail } from '../../js/shell.js';

export { fail };

/**
 * @typedef {import('../../../surfaces/files/container-details.js').ContainerDetails} ContainerDetails
 * @typedef {import('../../../surfaces/files/container-routes.js').FolderItem
 *   & { readonly bytes?: undefined, readonly last_modified?: undefined }} FolderRow
 * @typedef {Pick<import('../../../surfaces/files/container-routes.js').ObjectItem,
 *   'kind' | 'name' | 'display' | 'bytes' | 'last_modified' | 'slo_etag'>
 *   & { readonly content_type?: string }} ObjectRow of a listing, or found by a search
 * @typedef {{
 *   readonly kind: 'gone',
 *   readonly name: string,
 *   readonly display: string,
 *   readonly bytes: number | null,
 *   readonly last_modified: string,
 *   readonly restore_id: string | null,
 * }} GoneRow of what was deleted where the container keeps versions
 * @typedef {{
 *   readonly kind: 'trash',
 *   readonly name: string,
 *   readonly display: string,
 *   readonly bytes: number,
 *   readonly last_modified: string,
 *   readonly slo_etag: string | undefined,
 *   readonly expires_unix_s: number | null,
 *   readonly expired: boolean,
 * }} TrashRow
 * @typedef {FolderRow | ObjectRow | GoneRow | TrashRow} Row of the table
 * @typedef {'files' | 'trash' | 'settings'} Mode `settings` is the page of the container itself
 * @typedef {import('../../js/api.js').Session['role']} Role
 * @typedef {{
 *   container: string | null,
 *   prefix: string,
 *   mode: Mode,
 *   tab: string,
 *   details: Pick<ContainerDetails, 'name' | 'versioning' | 'versioning_active'>
 *     & Partial<ContainerDetails> | null,
 *   rows: readonly Row[],
 *   selected: Set<string>,
 *   next: string | null,
 *   previous: string | null,
 *   search: AbortController | null,
 * }} View
 */

/**
 * What the page shows: one place, known to all its parts.
 *
 * @type {View}
 */
export const view = {
  container: null,
  /** What shown names begin with: a folder, or the beginning of names in one. */
  prefix: '',
  mode: 'files',
  /** Which tab of the container's page; empty for the first. */
  tab: '',
  /** What the console says of the container; null until it has. */
  details: null,
  rows: [],
  selected: new Set(),
  next: null,
  previous: null,
  /** What ends the search that is under way; null while there is none. */
  search: null,
};

/** Ends the search that is under way: what it finds is no longer for the table. */
export function stopSearch() {
  view.search?.abort();
  view.search = null;
}

/** @type {Record<Role, number>} */
const RANK = { reader: 0, member: 1, admin: 2, operator: 3 };
/** @type {Role} */
let role = 'reader';

/** @param {Role} given */
export function setRole(given) {
  role = given;
}

/**
 * Whether the user's role has at least the rights of this one; the console checks again.
 *
 * @param {Role} least
 */
export function may(least) {
  return RANK[role] >= RANK[least];
}

/** The open container, for what is done only while there is one. */
export function containerHere() {
  return /** @type {string} */ (view.container);
}

/** The folder of the prefix: what is uploaded goes there. */
export function folder() {
  return view.prefix.slice(0, view.prefix.lastIndexOf('/') + 1);
}

/** Whether the container itself keeps what is deleted, by the store or by S3. */
export function keepsDeleted() {
  if (view.details?.s3 === true) return true;
  return view.details?.versioning === 'stack' && view.details.versioning_active;
}

/**
 * Runs what a button does; what goes wrong is shown.
 *
 * @param {string} selector
 * @param {() => unknown} work
 */
export function act(selector, work) {
  $(selector).addEventListener('click', () => attempt(work));
}

/** @param {() => unknown} work */
export function attempt(work) {
  $('#banner').hidden = true;
  Promise.resolve().then(work).catch(fail);
}

/**
 * Names stand behind `#`, so that a reload and the back button keep the place.
 *
 * @param {string} container
 * @param {string} prefix
 * @param {Mode} [mode]
 */
export function go(container, prefix, mode = 'files') {
  const place = [container, prefix].map(encodeURIComponent);
  if (mode !== 'files') place.push(mode);
  location.hash = place.join('/');
}

/**
 * Another tab of the container's page.
 *
 * @param {string} tab
 */
export function setTab(tab) {
  const place = [containerHere(), view.prefix, 'settings', tab];
  location.hash = place.map(encodeURIComponent).join('/');
}

/**
 * The text may have been typed by hand: an invalid encoding is taken as it is.
 *
 * @param {string} part
 */
function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Takes the place from the address. */
export function readPlace() {
  const [container = '', prefix = '', mode = 'files', tab = ''] = location.hash
    .slice(1)
    .split('/')
    .map(decoded);
  if (container !== view.container) view.details = null;
  Object.assign(view, {
    container: container === '' ? null : container,
    prefix,
    mode: mode === 'trash' || mode === 'settings' ? mode : 'files',
    tab,
  });
}
