import { ApiFailure, call, query } from '../../js/api.js';
import { $, bytesText, el, shownText } from '../../js/dom.js';
import { go } from './state.js';

/**
 * @typedef {import('./state.js').ContainerDetails} ContainerDetails
 * @typedef {import('../../../surfaces/files/container-routes.js').ContainerItem} ContainerItem
 * @typedef {{ objects: number, bytes: number }} Counts
 * @typedef {(name: string) => unknown} Open told the name that was chosen
 */

/** The number of rows that a user looks through; more come on demand. */
const PAGE = 200;
/** @type {Readonly<Record<string, readonly [mark: string, text: string]>>} */
const ICONS = {
  public: ['◉', 'public: anyone can read it'],
  shared: ['◐', 'shared with others'],
};
/** @type {Readonly<Record<string, string>>} */
const VERSIONS = {
  stack: 'versioning enabled',
  archive: 'versions kept in another container',
  history: 'versions kept in another container',
  gateway: 'S3 versioned bucket',
};

/** @type {readonly ContainerItem[]} */
let items = [];
/** @type {string | null} */
let next = null;
let latest = 0;

/**
 * The list at the left: its first page.
 *
 * @param {string | null} current
 * @param {Open} open
 */
export async function showContainers(current, open) {
  const turn = ++latest;
  try {
    const page = await read(null);
    if (turn !== latest) return;
    items = page.items;
    next = page.items.length === PAGE ? page.next_marker : null;
    $('#open-container').hidden = true;
    // The container may just have changed: its details are asked for again.
    forgetDetails(current);
    draw(current, open);
  } catch (error) {
    if (turn !== latest) return;
    if (!(error instanceof ApiFailure && error.code === 'acl')) {
      // What is known of before stays.
      for (const one of $('#containers').querySelectorAll('.skeleton')) one.parentElement?.remove();
      throw error;
    }
    // A user who is no owner may not list the account, but may read what others share.
    items = [];
    next = null;
    draw(current, open);
    $('#containers-state').textContent =
      'You do not have permission to list containers. Open one by name:';
    $('#open-container').hidden = false;
  }
}

/** @param {string | null} marker */
function read(marker) {
  return call('GET', `/api/files/containers?${query({ limit: String(PAGE), marker })}`);
}

/**
 * @param {string | null} current
 * @param {Open} open
 */
function draw(current, open) {
  const wanted = $('#container-filter').value.trim().toLowerCase();
  const shown = items.filter(
    ({ kind, name }) =>
      (kind === 'user' || $('#show-hidden').checked) && name.toLowerCase().includes(wanted),
  );
  $('#containers').removeAttribute('aria-busy');
  $('#containers').replaceChildren(...shown.map((one) => entryOf(one, current, open)));
  const text = items.length === 0 ? 'No containers yet.' : 'No matching containers.';
  $('#containers-state').textContent = shown.length === 0 ? text : '';
  $('#more-containers').hidden = next === null;
  $('#more-containers').onclick = async () => {
    const page = await read(next);
    items = [...items, ...page.items];
    next = page.items.length === PAGE ? page.next_marker : null;
    draw(current, open);
  };
  $('#container-filter').oninput = () => draw(current, open);
  addIcons(shown.slice(0, PAGE).map(({ name }) => name)).catch(() => undefined);
}

/**
 * @param {ContainerItem} item
 * @param {string | null} current
 * @param {Open} open
 */
function entryOf({ name, objects, bytes }, current, open) {
  const button = el(
    'button',
    { onclick: () => open(name) },
    el('span', { className: 'what', textContent: shownText(name) }),
    el('span', { className: 'icons' }),
    el('span', { className: 'count quiet' }),
    el('span', { className: 'sub quiet' }),
  );
  showCounts(button, objects, [bytesText(bytes)]);
  button.dataset.name = name;
  button.setAttribute('aria-current', String(name === current));
  return el('li', {}, button);
}

/**
 * @param {HTMLElement} button
 * @param {number} objects
 * @param {readonly [size: string, ...rest: string[]]} below
 */
function showCounts(button, objects, below) {
  partOf(button, '.count').textContent = objects.toLocaleString();
  partOf(button, '.sub').textContent = below.join(' · ');
  button.title = `${objects.toLocaleString()} objects, ${below[0]}, as listed by the store`;
}

/**
 * A part that each button of the list has.
 *
 * @param {HTMLElement} button
 * @param {string} selector
 */
function partOf(button, selector) {
  return /** @type {HTMLElement} */ (button.querySelector(selector));
}

/** @type {Map<string, ContainerDetails & { then: Counts }>} */
const known = new Map();

/**
 * What the account's listing says of a container. A cluster's lags by minutes behind containers.
 *
 * @param {string} name
 * @returns {Counts}
 */
function listed(name) {
  const item = items.find((one) => one.name === name);
  return { objects: item?.objects ?? 0, bytes: item?.bytes ?? 0 };
}

/**
 * Policies and icons, as soon as they are known: the list does not wait for them.
 *
 * @param {readonly string[]} names
 */
async function addIcons(names) {
  const missing = names.filter((name) => !known.has(name));
  if (missing.length > 0) {
    const { items: found } = await call('POST', '/api/files/containers/details', {
      names: missing,
    });
    for (const one of found) known.set(one.name, { ...one, then: listed(one.name) });
  }
  for (const button of $('#containers').querySelectorAll('button')) {
    const details = known.get(button.dataset.name ?? '');
    if (details !== undefined) decorate(button, details);
  }
}

/**
 * @param {HTMLElement} button
 * @param {ContainerDetails & { then: Counts }} details
 */
function decorate(button, { name, policy, access, versioning, then, ...asked }) {
  const now = listed(name);
  // A listing that has changed since the container itself was asked is the newer of the two.
  const isCurrent = now.objects === then.objects && now.bytes === then.bytes;
  const { objects, bytes } = isCurrent ? asked : now;
  showCounts(button, objects, [bytesText(bytes), ...(policy === null ? [] : [policy])]);
  const shared = ICONS[access ?? ''];
  const versions = VERSIONS[versioning];
  /** @type {(readonly [mark: string, text: string])[]} */
  const icons = [];
  if (shared !== undefined) icons.push(shared);
  if (versions !== undefined) icons.push(['↺', versions]);
  partOf(button, '.icons').replaceChildren(
    ...icons.flatMap(([mark, text]) => [
      el('span', { ariaHidden: 'true', textContent: mark, title: text }),
      el('span', { className: 'sr', textContent: ` ${text} ` }),
    ]),
  );
}

/**
 * Asks anew what a container is like, after it was changed.
 *
 * @param {string | null} name none while no container is open
 */
export function forgetDetails(name) {
  if (name !== null) known.delete(name);
}

/** @param {string | null} container */
export function markContainer(container) {
  for (const button of $('#containers').querySelectorAll('button')) {
    button.setAttribute('aria-current', String(button.dataset.name === container));
  }
}

/** The box for those who may not list. */
export function wireOpenBox() {
  $('#open-container').onsubmit = (event) => {
    event.preventDefault();
    const name = $('#open-name').value.trim();
    if (name !== '') go(name, '');
  };
}
