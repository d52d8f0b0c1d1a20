import { call, query } from '../../../ui/api.js';
import { $, el } from '../../../ui/dom.js';
import { removeRows, restoreRows } from './actions.js';
import { rename, transferDialog } from './copy-dialog.js';
import { showDetails } from './drawer.js';
import { redraw } from './listing.js';
import { download } from './rows.js';
import { chosen } from './selection.js';
import { showShare } from './share.js';
import { attempt, containerHere, go, may, view, type Row } from './state.js';
import { copyUrl, s3UriOf } from './urls.js';
import { copyText } from '../../../ui/copy.js';
import type { MenuItem } from '../../../ui/menu.js';
import type { FolderSize } from '../folder-routes.js';

/** An entry of a menu; what goes wrong is shown. */
export function item(text: string, icon: string, work: () => unknown, danger = false): MenuItem {
  return { text, icon, danger, work: () => attempt(work) };
}

export function actionsOf(row: Row): MenuItem[] {
  if (view.mode === 'trash') return trashActions(row);
  const { name } = row;
  const isObject = row.kind === 'object';
  const open = isObject
    ? [
        item('Details', 'info', () => showDetails(row)),
        item('Download', 'download', () => download(name)),
      ]
    : [
        item('Open', 'folder-open', () => go(containerHere(), name)),
        item('Download as ZIP', 'archive', () => downloadZip([row])),
        item('Calculate size', 'hard-drive', () => measure(row)),
      ];
  return [...open, ...(may('member') ? changes(row) : []), ...addresses(row)];
}

function changes(row: Row): MenuItem[] {
  const { name } = row;
  const target = row.kind === 'object' ? { name } : { prefix: name };
  return [
    item('Rename', 'pencil', () => rename(row)),
    item('Move', 'folder-input', () => transferDialog([row], 'move')),
    item('Copy', 'copy', () => transferDialog([row], 'copy')),
    item('Share', 'link', () => showShare(target)),
    item($('#delete').textContent ?? '', 'trash-2', () => removeRows([row]), true),
  ];
}

/** Adds up what is in a folder, and shows it in its row as it goes. */
async function measure(row: Row) {
  const container = containerHere();
  let [objects, bytes] = [0, 0];
  let marker: string | null = null;
  do {
    const place = query({ container, prefix: row.name, marker });
    const size: FolderSize = await call('GET', `/api/files/folder?${place}`);
    objects += size.objects;
    bytes += size.bytes;
    marker = size.next_marker;
    Object.assign(row, { objects, bytes, isCounting: marker !== null });
    redraw(row);
    // The count ends when its row is gone.
  } while (marker !== null && container === view.container && view.rows.includes(row));
}

/** The addresses for programs. */
function addresses({ kind, name }: Row): MenuItem[] {
  const uri = s3UriOf(name);
  return [
    ...(uri === null ? [] : [item('Copy S3 URI', 'tag', () => copyText(uri))]),
    ...(kind === 'object' ? [item('Copy URL', 'tag', () => copyUrl(containerHere(), name))] : []),
  ];
}

function trashActions(row: Row): MenuItem[] {
  const isFolder = row.kind === 'folder';
  return [
    isFolder
      ? item('Open', 'folder-open', () => go(containerHere(), row.name, 'trash'))
      : item('Details', 'info', () => showDetails(row)),
    ...(may('member') ? [item('Restore', 'undo-2', () => restoreRows([row]))] : []),
  ];
}

/** Folders with all that is in them; without rows what is selected. */
export async function downloadZip(rows?: readonly Row[]) {
  const { ticket } = await call('POST', '/api/files/zip', chosen(rows));
  el('a', { href: `/api/files/zip/${ticket}`, download: '' }).click();
}
