import { call } from '../../../ui/api.js';
import { $, ask, el } from '../../../ui/dom.js';
import { acceptDrops, picked } from '../../../ui/drop.js';
import { emptyTrash, purgeSelected, removeRows, restoreAll, restoreRows } from './actions.js';
import { leaveContainerPage, showContainerPage } from './container-page.js';
import { newContainer } from './new-container.js';
import { markContainer, wireOpenBox } from './containers.js';
import { rename, transferDialog } from './copy-dialog.js';
import { closeDrawer, followAddress, showDetails } from './drawer.js';
import { wireKeyboard } from './keyboard.js';
import { filesCommands } from './commands.js';
import {
  load,
  loadContainers,
  onRows,
  onSettings,
  selectWhole,
  showSorted,
  turnTo,
} from './listing.js';
import { actionsOf, downloadZip } from './row-menu.js';
import { findAgain, wireSearch } from './search.js';
import { markSelected, selectedRows } from './selection.js';
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
import { addFiles, arrivedIn } from './uploads.js';
import { offerCommands } from '../../../ui/command-palette.js';
import { icon } from '../../../ui/icons.js';
import { rememberPlace } from '../../../ui/recent.js';
import { isBusy, wireTransferList } from '../../../ui/transfer-list.js';
import { isBelow, keepPage } from '../../../ui/side-page.js';
import { uploads } from '../../../ui/transfers.js';
import { showUnfinished } from '../../../ui/unfinished-uploads.js';
import type { SessionView } from '../../../server/session-routes.js';
import type { ZipCut } from '../zip-routes.js';
import { findHere, pageHere, partsHere, showTitle, takeAddress } from './place.js';
import type { Row } from './state.js';

function onHash() {
  // The address is that of another page, which lies over this one.
  if (isBelow()) return;
  readPlace();
  // What the page itself has put into the address is here already.
  if (takeAddress()) {
    attempt(followAddress);
    return;
  }
  setSide(false);
  if (view.mode !== 'settings') leaveContainerPage();
  $('#files').dataset.place = view.container === null ? 'none' : 'container';
  if (view.container !== null) {
    const text = `${view.container}/${folder()}`;
    rememberPlace({ text, href: `${location.pathname}#${view.path}` });
  }
  const parts = partsHere();
  closeDrawer(true);
  markContainer(view.container);
  $('#search').reset();
  $('#search-more').open = false;
  $('#jump-text').value = view.prefix.slice(folder().length);
  showTitle();
  const find = view.mode === 'files' && view.container !== null ? findHere(parts) : null;
  attempt(async () => {
    await (find === null ? load(pageHere(parts)) : findAgain(find));
    await followAddress();
  });
}

/** The rows that a key means: those that are selected where the row is one of them, or itself. */
function meant(row: Row) {
  return view.selected.has(row.name) ? selectedRows() : [row];
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
  ...{ '#restore-all': 'undo-2', '#empty-trash': 'trash-2' },
};

function addToolIcons() {
  for (const [selector, name] of Object.entries(TOOL_ICONS)) {
    const button = $(selector);
    const words = button.textContent.replace('×', '').trim();
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
  act('#restore', () => restoreRows(selectedRows()));
  act('#restore-all', restoreAll);
  act('#empty-trash', emptyTrash);
  act('#purge', purgeSelected);
  act('#zip', () => downloadZip());
  for (const to of ['first', 'previous', 'next', 'last'] as const) act(`#${to}`, () => turnTo(to));
  act('#select-all', selectWhole);
  act('#upload', () => $('#picker').click());
  act('#drawer-close', () => closeDrawer());
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
  wireSorting(() => attempt(showSorted));
  offerCommands(filesCommands);
  wireOpenBox();
  wireSearch();
  wireTransferList(uploads, () => ($('#objects').hidden ? $('#q') : $('#objects')).focus());
  keepPage(isBusy);
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
  await ask('Create folder', [el('label', {}, 'Name', field)], 'Create', ({ name = '' }) =>
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
  // The list is there without it.
  if (may('member')) showUnfinished(arrivedIn).catch(() => undefined);
}
