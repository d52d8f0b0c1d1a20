import { call } from '../../../ui/api.js';
import { $, ask, el } from '../../../ui/dom.js';
import { acceptDrops, picked } from '../../../ui/drop.js';
import { removeRows, restoreSelected, purgeSelected } from './actions.js';
import { leaveContainerPage, showContainerPage } from './container-page.js';
import { newContainer } from './new-container.js';
import { markContainer, wireOpenBox } from './containers.js';
import { rename, transferDialog } from './copy-dialog.js';
import { closeDrawer, showDetails } from './drawer.js';
import { wireKeyboard } from './keyboard.js';
import { filesCommands } from './commands.js';
import { load, loadContainers, onRows, onSettings, showSorted } from './listing.js';
import { download } from './rows.js';
import { wireSearch } from './search.js';
import { chosen, markSelected, selectedRows } from './selection.js';
import { wireSorting } from './sorting.js';
import { wireStay } from './stay.js';
import {
  act,
  attempt,
  containerHere,
  fail,
  folder,
  go,
  may,
  readPlace,
  setRole,
  view,
} from './state.js';
import { showShare } from './share.js';
import { addFiles } from './uploads.js';
import { offerCommands } from '../../../ui/command-palette.js';
import { icon } from '../../../ui/icons.js';
import { rememberPlace } from '../../../ui/recent.js';
import { isBusy, wireTransferList } from '../../../ui/transfer-list.js';
import { uploads } from '../../../ui/transfers.js';
import type { SessionView } from '../../../server/session-routes.js';
import type { ZipCut } from '../zip-routes.js';
import type { MenuItem } from '../../../ui/menu.js';
import type { PageParameters } from './listing.js';
import type { Row } from './state.js';

function onHash() {
  readPlace();
  setSide(false);
  if (view.mode !== 'settings') leaveContainerPage();
  $('#files').dataset.place = view.container === null ? 'none' : 'container';
  if (view.container !== null) {
    const text = `${view.container}/${folder()}`;
    rememberPlace({ text, href: `/${location.hash}` });
  }
  closeDrawer();
  markContainer(view.container);
  $('#search').reset();
  $('#search-more').open = false;
  $('#jump-text').value = view.prefix.slice(folder().length);
  attempt(load);
}

/** Another page of the list is read from its top. */
async function turnTo(parameters: PageParameters) {
  await load(parameters);
  $('#main').scrollIntoView({ block: 'start' });
}

/** The rows that a key means: those that are selected where the row is one of them, or itself. */
function meant(row: Row) {
  return view.selected.has(row.name) ? selectedRows() : [row];
}

/** What the menu of a row offers. */
function actionsOf(row: Row): MenuItem[] {
  const item = (text: string, name: string, work: () => unknown, danger = false) => ({
    ...{ text, icon: name, danger },
    work: () => attempt(work),
  });
  if (view.mode === 'trash') {
    return [item('Details', 'info', async () => showDetails(row))];
  }
  const canWrite = may('member');
  const isObject = row.kind === 'object';
  return [
    ...(isObject
      ? [
          item('Details', 'info', async () => showDetails(row)),
          item('Download', 'download', async () => download(row.name)),
        ]
      : [item('Open', 'folder-open', async () => go(containerHere(), row.name))]),
    ...(canWrite && isObject
      ? [
          item('Rename', 'pencil', async () => rename(row)),
          item('Share', 'link', async () => showShare({ name: row.name })),
        ]
      : []),
    ...(canWrite
      ? [
          item('Copy or move', 'copy', async () => transferDialog([row])),
          item($('#delete').textContent ?? '', 'trash-2', async () => removeRows([row]), true),
        ]
      : []),
  ];
}

/** On a phone the containers come and go. */
function setSide(isOpen: boolean) {
  $('#files').dataset.side = isOpen ? 'open' : '';
  $('#show-side').setAttribute('aria-expanded', String(isOpen));
}

/** Words stay for screen readers where there is room for the icon alone. */
const TOOL_ICONS = {
  ...{ '#upload': 'upload', '#upload-folder': 'folder-up', '#new-folder': 'folder-plus' },
  ...{ '#show-trash': 'trash-2', '#new-container': 'plus', '#deselect': 'x', '#zip': 'archive' },
  ...{ '#container-info': 'settings', '#refresh': 'refresh-cw', '#help': 'keyboard' },
  ...{ '#show-side': 'box', '#drawer-close': 'x', '#share': 'link', '#copy': 'copy' },
  ...{ '#delete': 'trash-2', '#restore': 'undo-2', '#purge': 'trash-2' },
};

function addToolIcons() {
  for (const [selector, name] of Object.entries(TOOL_ICONS)) {
    const button = $(selector);
    const words = (button.textContent ?? '').replace('×', '').trim();
    const text = words === '' ? [] : [el('span', { className: 'words', textContent: words })];
    button.replaceChildren(icon(name), ...text);
  }
}

function wire() {
  addToolIcons();
  act('#show-side', async () => setSide($('#files').dataset.side !== 'open'));
  act('#deselect', async () => {
    view.selected.clear();
    markSelected();
  });
  act('#new-container', newContainer);
  act('#new-folder', newFolder);
  act('#show-trash', () =>
    view.mode === 'trash'
      ? go(containerHere(), view.prefix)
      : go(containerHere(), view.prefix, 'trash'),
  );
  act('#refresh', () => Promise.all([load(), loadContainers()]));
  act('#container-info', () =>
    view.mode === 'settings'
      ? go(containerHere(), view.prefix)
      : go(containerHere(), view.prefix, 'settings'),
  );
  act('#copy', () => transferDialog(selectedRows()));
  act('#share', () => showShare({ name: selectedRows()[0]?.name ?? '' }));
  act('#delete', () => removeRows(selectedRows()));
  act('#restore', restoreSelected);
  act('#purge', purgeSelected);
  act('#zip', async () => {
    const { ticket } = await call('POST', '/api/files/zip', chosen());
    el('a', { href: `/api/files/zip/${ticket}`, download: '' }).click();
  });
  act('#first', () => turnTo({}));
  act('#last', () => turnTo({ reverse: '1' }));
  act('#next', () => turnTo({ marker: view.next }));
  act('#previous', () => turnTo({ marker: view.previous, reverse: '1' }));
  act('#upload', () => $('#picker').click());
  act('#drawer-close', closeDrawer);
  act('#upload-folder', () => $('#folder-picker').click());
  for (const picker of ['#picker', '#folder-picker']) {
    $(picker).onchange = ({ target }) => addFiles(picked(target as HTMLInputElement));
  }
  $('#all').onchange = () => {
    view.selected = new Set($('#all').checked ? view.rows.map((row) => row.name) : []);
    markSelected();
  };
  $('#show-hidden').onchange = () => attempt(loadContainers);
  $('#jump').onsubmit = (event) => {
    event.preventDefault();
    go(containerHere(), folder() + $('#jump-text').value);
  };
  onSettings(showContainerPage);
  onRows({ details: showDetails, actions: actionsOf });
  wireSorting(showSorted);
  offerCommands(filesCommands);
  wireOpenBox();
  wireSearch();
  wireTransferList(uploads, () => ($('#objects').hidden ? $('#q') : $('#objects')).focus());
  wireStay();
  wireKeyboard({
    copy: (row) => view.mode === 'files' && may('member') && transferDialog(meant(row)),
    remove: (row) => view.mode === 'files' && may('member') && removeRows(meant(row)),
    rename: (row) => view.mode === 'files' && may('member') && rename(row),
  });
  acceptDrops($('#main'), (source) => {
    if (!may('member')) fail(new Error('Your role does not allow this.'));
    else if (view.container === null || view.mode !== 'files') {
      fail(new Error('Open a container or folder before you add files.'));
    } else addFiles(source);
  });
  window.onhashchange = onHash;
  window.onbeforeunload = () => (isBusy() ? 'Transfers are in progress.' : undefined);
}

async function newFolder() {
  // Where the user asked for it: the way back may lead elsewhere while the dialog is open.
  const { container } = view;
  const prefix = folder();
  const field = el('input', { name: 'name', required: true });
  await ask('Create folder', [el('label', {}, 'Name', field)], 'Create', ({ name }) =>
    call('PUT', '/api/files/folder', { container, name: prefix + name }),
  );
  await load();
}

/** The browser's own list of downloads does not say that an archive was cut. */
export const topics = {
  zip({ container, message, object }: ZipCut) {
    const text =
      object === undefined
        ? `The ZIP archive of “${container}” is incomplete: ${message}`
        : `The ZIP archive of “${container}” is incomplete at “${object}”: ${message}`;
    fail(new Error(text));
  },
};

/** Fills the page for a user of this role. */
export async function mount({ role }: SessionView) {
  setRole(role);
  $('#new-container').hidden = !may('admin');
  wire();
  await loadContainers();
  onHash();
}
