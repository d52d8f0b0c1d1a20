import { ApiFailure, call, query } from '../../../ui/api.js';
import { $, bytesText, el, shownText } from '../../../ui/dom.js';
import { go } from './state.js';
import type { ContainerDetails } from '../container-details.js';
import type { ContainerItem } from '../container-routes.js';

interface Counts {
  objects: number;
  bytes: number;
}

/** Called with the name that was chosen. */
type Open = (name: string) => unknown;

/** The number of rows that a user looks through; more come on demand. */
const PAGE = 200;
const ICONS: Readonly<Record<string, readonly [mark: string, text: string]>> = {
  public: ['◉', 'public: anyone can read it at the store’s address'],
  shared: ['◐', 'shared with others'],
};
const VERSIONS: Readonly<Record<string, string>> = {
  stack: 'versioning enabled',
  archive: 'versions kept in another container',
  history: 'versions kept in another container',
  gateway: 'S3 versioned bucket',
};

let items: readonly ContainerItem[] = [];
let next: string | null = null;
let latest = 0;

/** The list at the left: its first page. */
export async function showContainers(current: string | null, open: Open) {
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

function read(marker: string | null) {
  return call('GET', `/api/files/containers?${query({ limit: String(PAGE), marker })}`);
}

function draw(current: string | null, open: Open) {
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

function entryOf({ name, objects, bytes }: ContainerItem, current: string | null, open: Open) {
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

function showCounts(
  button: HTMLElement,
  objects: number,
  below: readonly [size: string, ...rest: string[]],
) {
  partOf(button, '.count').textContent = objects.toLocaleString();
  partOf(button, '.sub').textContent = below.join(' · ');
  button.title = `${objects.toLocaleString()} objects, ${below[0]}, as listed by the store`;
}

/** A part that each button of the list has. */
function partOf(button: HTMLElement, selector: string) {
  return button.querySelector(selector) as HTMLElement;
}

const known = new Map<string, ContainerDetails & { then: Counts }>();

/**
 * What the account's listing says of a container. A cluster's lags by minutes behind containers.
 */
function listed(name: string): Counts {
  const item = items.find((one) => one.name === name);
  return { objects: item?.objects ?? 0, bytes: item?.bytes ?? 0 };
}

/** Policies and icons, as soon as they are known: the list does not wait for them. */
async function addIcons(names: readonly string[]) {
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

function decorate(
  button: HTMLElement,
  { name, policy, access, versioning, then, ...asked }: ContainerDetails & { then: Counts },
) {
  const now = listed(name);
  // A listing that has changed since the container itself was asked is the newer of the two.
  const isCurrent = now.objects === then.objects && now.bytes === then.bytes;
  const { objects, bytes } = isCurrent ? asked : now;
  showCounts(button, objects, [bytesText(bytes), ...(policy === null ? [] : [policy])]);
  const shared = ICONS[access ?? ''];
  const versions = VERSIONS[versioning];
  const icons: (readonly [mark: string, text: string])[] = [];
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
 * @param name none while no container is open
 */
export function forgetDetails(name: string | null) {
  if (name !== null) known.delete(name);
}

export function markContainer(container: string | null) {
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
