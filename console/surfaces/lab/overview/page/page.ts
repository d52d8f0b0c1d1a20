import { call } from '../../../../ui/api.js';
import { $, el } from '../../../../ui/dom.js';
import { icon } from '../../../../ui/icons.js';
import { pageHead } from '../../../../ui/parts.js';
import { sourceBadge } from '../../page/ground.js';
import type { SessionView } from '../../../../server/session-routes.js';

type Page = SessionView['pages'][number];

/** By the ids of pages: the tasks that operators come with. */
const GROUPS = [
  ['Understand', ['lab/rings', 'lab/policies', 'lab/profilemap', 'lab/capsule']],
  ['Test', ['lab/node', 'lab/chaos', 'lab/shadow', 'benchmarks']],
  ['Repair', ['lab/debt', 'lab/tombstones', 'lab/expired', 'lab/genome']],
] as const;

/** All pages of the Lab in three groups, each with its purpose and where its figures are from. */
export async function mount({ pages }: SessionView) {
  const main = $('#main');
  main.classList.add('lab-page');
  const groups = GROUPS.map(([title, ids]) => {
    const own = ids.flatMap((id) => pages.find((page) => page.id === id) ?? []);
    return el(
      'section',
      {},
      el('h2', { textContent: title }),
      el('ul', { className: 'lab-cards' }, ...own.map((page) => el('li', {}, cardOf(page)))),
    );
  });
  main.append(pageHead(), ...groups);
}

function cardOf({ title, path, purpose, icon: name, surface }: Page) {
  const state = el('span', { className: 'row' });
  if (surface === 'lab') void showSource(path, state);
  return el(
    'article',
    { className: 'card' },
    el('h3', {}, el('a', { href: path }, icon(name), title)),
    el('p', { className: 'quiet', textContent: purpose }),
    state,
  );
}

/** A page whose source is not known shows none: it says itself what is wrong. */
async function showSource(path: string, place: HTMLElement) {
  const name = path.split('/').at(-1);
  const source = await call('GET', `/lab/api/sources/${name}`, undefined, true).catch(() => null);
  if (source !== null) place.replaceChildren(...sourceBadge(source));
}
