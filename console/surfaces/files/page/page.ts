import { call, query } from '../../../ui/api.js';
import { $, ask, el, shownText } from '../../../ui/dom.js';
import { acceptDrops, picked } from '../../../ui/drop.js';
import { emptyTrash, purgeSelected, removeRows, restoreAll, restoreRows } from './actions.js';
import { showTabs } from './bucket-tabs.js';
import { leaveContainerPage, showContainerPage } from './container-page.js';
import { newBucket } from './new-bucket.js';
import { leaveBuckets, onBuckets, wireBuckets } from './bucket-list.js';
import { removeContainer } from './container-actions.js';
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
import { actionsOf, downloadZip, item } from './row-menu.js';
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
  hashOf,
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
import type { MenuItem } from '../../../ui/menu.js';
import type { Row } from './state.js';

function onHash() {
  // The address is that of another page, which lies over this one.
  if (isBelow()) return;
  readPlace();
  // Changes that the page itself has made to the address are shown already.
  if (takeAddress()) {
    attempt(followAddress);
    return;
  }
  if (view.mode !== 'settings' || view.container === null) leaveContainerPage();
  leaveBuckets();
  $('#bucket-title').textContent = view.container === null ? '' : shownText(view.container);
  showTabs();
  if (view.container !== null) {
    const text = `${view.container}/${folder()}`;
    rememberPlace({ text, href: `${location.pathname}#${view.path}` });
  }
  const parts = partsHere();
  closeDrawer(true);
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

function bucketActions(name: string): MenuItem[] {
  const tab = (id: string) => () => (location.hash = hashOf(name, '', 'settings', id));
  const remove = async () =>
    removeContainer(await call('GET', `/api/files/container?${query({ name })}`));
  return [
    item('Open', 'folder-open', () => go(name, '')),
    item('Access', 'users', tab('access')),
    item('Lifecycle', 'clock', tab('lifecycle')),
    item('Settings', 'settings', tab('settings')),
    ...(may('admin') ? [item('Empty or delete', 'trash-2', remove, true)] : []),
  ];
}

/** The page stays: what it transfers would end with it. */
function stayHere(event: MouseEvent) {
  const link = (event.target as Element).closest('a');
  const isPlain = !event.ctrlKey && !event.metaKey && !event.shiftKey && event.button === 0;
  if (link?.getAttribute('href') !== location.pathname || !isPlain) return;
  event.preventDefault();
  location.hash = '';
}

/** Words stay for screen readers where there is room for the icon alone. */
const TOOL_ICONS = {
  ...{ '#upload': 'upload', '#upload-folder': 'folder-up', '#new-folder': 'folder-plus' },
  ...{ '#show-trash': 'trash-2', '#new-container': 'plus', '#deselect': 'x', '#zip': 'archive' },
  ...{ '#refresh': 'refresh-cw', '#refresh-buckets': 'refresh-cw', '#help': 'keyboard' },
  ...{ '#drawer-close': 'x', '#share': 'link', '#copy': 'copy' },
  ...{ '#delete': 'trash-2', '#restore': 'undo-2', '#purge': 'trash-2' },
  ...{ '#restore-all': 'undo-2', '#empty-trash': 'trash-2', '#select-all': 'list' },
};

function addToolIcons() {
  for (const [selector, name] of Object.entries(TOOL_ICONS)) {
    const button = $(selector);
    const words = button.textContent.replace('×', '').trim();
    const text = words === '' ? [] : [el('span', { className: 'words', textContent: words })];
    button.replaceChildren(icon(name), ...text);
  }
  $('#all-buckets').after(icon('chevron-right'));
}

function wire() {
  addToolIcons();
  act('#deselect', async () => {
    view.selected.clear();
    markSelected();
  });
  act('#new-container', newBucket);
  act('#refresh-buckets', loadContainers);
  act('#new-folder', newFolder);
  act('#show-trash', () =>
    view.mode === 'trash'
      ? go(containerHere(), view.prefix)
      : go(containerHere(), view.prefix, 'trash'),
  );
  act('#refresh', () => load());
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
  $('#jump').onsubmit = (event) => {
    event.preventDefault();
    go(containerHere(), folder() + $('#jump-text').value);
  };
  onSettings(showContainerPage);
  onRows({ details: showDetails, actions: actionsOf });
  wireSorting(() => attempt(showSorted));
  offerCommands(filesCommands);
  onBuckets(bucketActions);
  wireBuckets((name) => go(name, ''), attempt);
  document.addEventListener('click', stayHere);
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
      fail(new Error('Open a bucket or folder before you add files.'));
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
    const place = object === undefined ? '' : ` at “${object}”`;
    fail(new Error(`The ZIP archive of “${container}” is incomplete${place}: ${message}`));
  },
};

export async function mount({ role }: SessionView) {
  setRole(role);
  $('#new-container').hidden = !may('admin');
  wire();
  onHash();
  // The list is there without it.
  if (may('member')) showUnfinished(arrivedIn).catch(() => undefined);
  // For the command palette, where they are not shown.
  if (view.container !== null) loadContainers().catch(() => undefined);
  if (new URLSearchParams(location.search).has('create') && may('admin')) {
    history.replaceState(history.state, '', location.pathname + location.hash);
    attempt(newBucket);
  }
}
