import { call } from '../../../ui/api.js';
import { $, el, messageOf, shownText } from '../../../ui/dom.js';
import { selectTab, tabList } from '../../../ui/parts.js';
import { accessTab, dangerTab, lifecycleTab, overviewTab, versionsTab } from './container-tabs.js';
import { attempt, containerHere, fail, go, may, setTab, view } from './state.js';
import type { ContainerDetails } from '../container-details.js';
import type { Capabilities } from '../container-life-routes.js';
import type { Role } from './state.js';

/** The container that is shown; `act` makes a button after whose work it is shown anew. */
export interface Subject {
  name: string;
  details: ContainerDetails;
  can: Capabilities;
  act: (text: string, work: () => unknown, className?: string) => HTMLButtonElement;
}

export type TabContent = (subject: Subject) => Promise<readonly Node[]>;

const TABS: readonly { id: string; title: string; content: TabContent; least: Role }[] = [
  { id: 'overview', title: 'Overview', content: overviewTab, least: 'reader' },
  { id: 'access', title: 'Access', content: accessTab, least: 'reader' },
  { id: 'versions', title: 'Versions', content: versionsTab, least: 'reader' },
  { id: 'lifecycle', title: 'Lifecycle', content: lifecycleTab, least: 'reader' },
  { id: 'danger', title: 'Danger zone', content: dangerTab, least: 'admin' },
];

let latest = 0;

/** Shows what the open container is like, and what can be done with it, tab by tab. */
export async function showContainerPage() {
  const name = containerHere();
  const tabs = TABS.filter(({ least }) => may(least));
  const chosen = tabs.find(({ id }) => id === view.tab) ?? tabs[0];
  const page = $('#container-page');
  const panel = panelOf(page, name, chosen?.id ?? '');
  // The tabs stay while another one is chosen, and with them the focus.
  if (page.dataset.name !== name) {
    page.dataset.name = name;
    const list = tabList(`Container ${shownText(name)}`, tabs, chosen?.id ?? '', setTab);
    const back = el('button', {
      textContent: 'Back to files',
      onclick: () => go(name, view.prefix),
    });
    page.replaceChildren(
      el('div', { className: 'row' }, el('h2', { textContent: shownText(name) }), back),
      list,
      panel,
    );
    list
      .querySelector('[aria-selected=true]')
      ?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  } else if (!panel.isConnected) page.querySelector('.container-panel')?.replaceWith(panel);
  selectTab(page, chosen?.id ?? '');
  const turn = ++latest;
  try {
    const [{ items }, can] = await Promise.all([
      call('POST', '/api/files/containers/details', { names: [name] }),
      call('GET', '/api/files/capabilities'),
    ]);
    const [details] = items;
    if (details === undefined)
      throw new Error('You do not have permission to view the details of this container.');
    const nodes = await chosen?.content({ name, details, can, act });
    if (turn !== latest) return;
    const active = panel.contains(document.activeElement) ? document.activeElement : null;
    panel.replaceChildren(...(nodes ?? []));
    if (active !== null) focusAgain(panel, active);
  } catch (error) {
    if (turn === latest) panel.replaceChildren(problem(error));
  }
}

/**
 * The panel of a tab. What it shows stays until the same tab is read anew.
 *
 * @param name of the container
 */
function panelOf(page: HTMLElement, name: string, tab: string) {
  const former = page.querySelector<HTMLElement>('.container-panel');
  if (former !== null && page.dataset.name === name && former.dataset.tab === tab) return former;
  const skeleton = el('div', { className: 'skeleton' });
  const panel = el('div', { className: 'container-panel', tabIndex: -1 }, skeleton);
  panel.dataset.tab = tab;
  panel.setAttribute('role', 'tabpanel');
  panel.setAttribute('aria-labelledby', `tab-${tab}`);
  return panel;
}

/**
 * After a change the panel is made anew: the keyboard stays at the button that made it.
 *
 * @param former what had the focus
 */
function focusAgain(panel: HTMLElement, former: Element) {
  const same = [...panel.querySelectorAll('button')].find(
    ({ textContent }) => textContent === former.textContent,
  );
  (same ?? panel).focus();
}

/** Forgets the container that was shown: another visit begins anew. */
export function leaveContainerPage() {
  latest += 1;
  const page = $('#container-page');
  delete page.dataset.name;
  page.replaceChildren();
}

function act(text: string, work: () => unknown, className = '') {
  const onclick = () =>
    attempt(async () => {
      await work();
      // What it led to may be another place.
      if (view.mode === 'settings') showContainerPage().catch(fail);
    });
  return el('button', { type: 'button', textContent: text, className, onclick });
}

function problem(error: unknown) {
  const text = el('p', { className: 'error', textContent: shownText(messageOf(error)) });
  text.setAttribute('role', 'alert');
  const again = el('button', { textContent: 'Try again', onclick: () => void showContainerPage() });
  return el('div', { className: 'empty-state' }, text, again);
}
