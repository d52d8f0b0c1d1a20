import { call } from '../../../ui/api.js';
import { $, el, messageOf, shownText } from '../../../ui/dom.js';
import { chosenTab } from './bucket-tabs.js';
import { attempt, containerHere, fail, view } from './state.js';
import type { ContainerDetails } from '../container-details.js';
import type { Capabilities } from '../container-life-routes.js';

/** The bucket that is shown; `act` makes a button after whose work it is shown anew. */
export interface Subject {
  name: string;
  details: ContainerDetails;
  can: Capabilities;
  act: (text: string, work: () => unknown, className?: string) => HTMLButtonElement;
}

export type TabContent = (subject: Subject) => Promise<readonly Node[]>;

let latest = 0;

/** Shows what the open bucket is like, and what can be done with it: the chosen tab. */
export async function showContainerPage() {
  const name = containerHere();
  const tab = chosenTab();
  const page = $('#container-page');
  const panel = panelOf(page, name, tab.id);
  page.dataset.name = name;
  if (!panel.isConnected) page.replaceChildren(panel);
  const turn = ++latest;
  try {
    const [{ items }, can] = await Promise.all([
      call('POST', '/api/files/containers/details', { names: [name] }),
      call('GET', '/api/files/capabilities'),
    ]);
    const [details] = items;
    if (details === undefined)
      throw new Error('You do not have permission to view the details of this bucket.');
    const nodes = await tab.content({ name, details, can, act });
    if (turn !== latest) return;
    const active = panel.contains(document.activeElement) ? document.activeElement : null;
    const title = el('h2', { className: 'sr', textContent: tab.title });
    panel.replaceChildren(title, ...nodes);
    if (active !== null) focusAgain(panel, active);
  } catch (error) {
    if (turn === latest) panel.replaceChildren(problem(error));
  }
}

/**
 * The panel of a tab. What it shows stays until the same tab is read anew.
 *
 * @param name of the bucket
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

/** Forgets the bucket that was shown: another visit begins anew. */
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
      // The action may have led to another place.
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
