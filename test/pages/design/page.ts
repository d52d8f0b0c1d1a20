import { copyField } from '../../../console/ui/copy.js';
import { $, ask, confirmed, el } from '../../../console/ui/dom.js';
import { icon, iconButton } from '../../../console/ui/icons.js';
import { openMenu } from '../../../console/ui/menu.js';
import { timeElement } from '../../../console/ui/times.js';
import { toast } from '../../../console/ui/toast.js';

/** Every component of the console on one page, to look at in both themes and densities. */

const COLOURS = [
  ...['page', 'card', 'sunken', 'line', 'field-line', 'text', 'quiet', 'hover', 'selected'],
  ...['accent', 'danger', 'danger-soft', 'good', 'good-soft', 'warn', 'warn-soft', 'info-soft'],
];

const ICONS = [
  ...['folder', 'file', 'file-text', 'file-image', 'activity', 'rocket', 'flask-conical', 'users'],
  ...['scroll-text', 'search', 'upload', 'download', 'trash-2', 'link', 'copy', 'pencil', 'lock'],
];

function section(title: string, ...children: (Node | string)[]) {
  return el('section', { className: 'card' }, el('h2', { textContent: title }), ...children);
}

const row = (...children: (Node | string)[]) => el('div', { className: 'row' }, ...children);

const button = (textContent: string, properties?: Partial<HTMLButtonElement>) =>
  el('button', { textContent, ...properties });

function badge(textContent: string, state = '') {
  const made = el('span', { className: 'badge', textContent });
  if (state !== '') made.dataset.state = state;
  return made;
}

function colours() {
  const tiles = COLOURS.map((name) => {
    const swatch = el('span', { className: 'design-swatch' });
    swatch.dataset.colour = name;
    swatch.style.background = `var(--${name})`;
    return el('div', {}, swatch, el('code', { textContent: name }));
  });
  return section('Colors', el('div', { className: 'design-grid' }, ...tiles));
}

function type() {
  const lines = ['xl', 'lg', 'md', 'sm', 'xs'].map((size) => {
    const line = el('p', { textContent: `--text-${size}: 12 containers, 3.4 GiB` });
    line.style.fontSize = `var(--text-${size})`;
    return line;
  });
  return section('Type', ...lines);
}

function buttons() {
  const more = iconButton('ellipsis', 'More', () =>
    openMenu(more, [
      { text: 'Rename', icon: 'pencil', work: () => toast('Renamed.') },
      { text: 'Share', icon: 'link', work: () => toast('Shared.') },
      { text: 'Delete', icon: 'trash-2', danger: true, work: askFirst },
    ]),
  );
  return section(
    'Buttons and menu',
    row(
      el('button', { className: 'primary' }, icon('upload'), 'Upload'),
      button('Create folder'),
      button('Plain', { className: 'plain' }),
      button('Delete', { className: 'danger' }),
      button('Delete permanently', { className: 'danger primary' }),
      button('Not now', { disabled: true }),
      more,
    ),
  );
}

async function askFirst() {
  const text = 'All 12 objects in this container will be deleted. This cannot be undone.';
  if (await confirmed('Delete “photos”', text, 'Delete', { danger: true })) toast('Deleted.');
}

function fields() {
  const hint = el('span', { className: 'hint', textContent: 'Letters, digits, dots and hyphens.' });
  const problem = el('span', { className: 'problem', textContent: 'This name is already in use.' });
  return section(
    'Fields',
    el(
      'div',
      { className: 'design-grid' },
      el('label', { className: 'field' }, 'Name', el('input', { value: 'photos' }), hint),
      el('label', { className: 'field' }, 'Another name', el('input', { value: 'x' }), problem),
      el(
        'label',
        { className: 'field' },
        'Storage class',
        el('select', {}, el('option', { textContent: 'STANDARD' })),
      ),
      el(
        'label',
        { className: 'check' },
        el('input', { type: 'checkbox', checked: true }),
        'Enable versioning',
      ),
    ),
    copyField('Access key', 'MADE-UP-KEY'),
  );
}

function badges() {
  const now = Date.now();
  return section(
    'Badges and times',
    row(
      badge('folder'),
      badge('in sync', 'ok'),
      badge('expires', 'warn'),
      badge('locked', 'crit'),
      badge('current', 'info'),
      timeElement(now - 5000),
      timeElement(now - 3 * 3_600_000),
      timeElement(now - 40 * 86_400_000),
    ),
  );
}

function table() {
  const rows = [
    ['folder', 'holidays/', '', ''],
    ['file-image', 'beach.jpg', '2.4 MiB', 'JPEG'],
    ['file-text', 'notes.txt', '812 B', 'text'],
  ].map(([name = '', text = '', size = '', kind = ''], index) => {
    const line = el(
      'tr',
      {},
      el('td', {}, el('span', { className: 'row' }, icon(name), text)),
      el('td', { className: 'number', textContent: size }),
      el('td', { textContent: kind }),
    );
    line.setAttribute('aria-selected', String(index === 1));
    return line;
  });
  const head = ['Name', 'Size', 'Kind'].map((text, index) =>
    el('th', { scope: 'col', textContent: text, className: index === 1 ? 'number' : '' }),
  );
  const made = el(
    'table',
    {},
    el('caption', { className: 'sr', textContent: 'Sample' }),
    el('thead', {}, el('tr', {}, ...head)),
    el('tbody', {}, ...rows),
  );
  return section('Table', el('div', { className: 'table-scroll' }, made));
}

function tabs() {
  const list = el('div', { className: 'tabs' });
  list.setAttribute('role', 'tablist');
  list.setAttribute('aria-label', 'Sample');
  for (const [index, text] of ['Overview', 'Access', 'Versions', 'Danger'].entries()) {
    const tab = button(text, { tabIndex: index === 0 ? 0 : -1 });
    tab.setAttribute('role', 'tab');
    tab.setAttribute('aria-selected', String(index === 0));
    list.append(tab);
  }
  return section('Tabs', list);
}

function waiting() {
  const next = button('Create container', { className: 'primary' });
  return section(
    'Empty and loading states',
    el(
      'div',
      { className: 'empty-state' },
      icon('box'),
      el('strong', { textContent: 'No containers yet' }),
      el('span', { textContent: 'Containers hold your files. Create one to get started.' }),
      next,
    ),
    el('div', { className: 'skeleton' }),
  );
}

function overlays() {
  const field = () => el('label', { className: 'field' }, 'Name', el('input', { name: 'name' }));
  return section(
    'Dialogs and toasts',
    row(
      button('Dialog', { onclick: () => ask('Create folder', [field()], 'Create') }),
      button('Danger', { className: 'danger', onclick: askFirst }),
      button('Toast', { onclick: () => toast('“beach.jpg” was moved to the trash.') }),
      button('Failure', {
        onclick: () => toast('The store is not responding.', { state: 'crit' }),
      }),
    ),
  );
}

function icons() {
  const tiles = ICONS.map((name) =>
    el('div', {}, icon(name), ' ', el('code', { textContent: name })),
  );
  return section('Icons', el('div', { className: 'design-grid' }, ...tiles));
}

/** Shows all of them. */
export async function mount() {
  $('#main').append(
    el('h1', { textContent: 'Design' }),
    el('p', {
      className: 'quiet',
      textContent: 'UI components used on pages. Change the theme and density above.',
    }),
    el(
      'div',
      { className: 'design-columns' },
      ...[buttons(), fields(), badges(), tabs(), table(), waiting(), overlays(), colours(), type()],
      icons(),
    ),
  );
}
