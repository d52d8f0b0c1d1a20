import { ApiFailure, call, query } from '../../../ui/api.js';
import { timeAt, timeText } from '../../../ui/clock.js';
import { $, bytesText, el, exactBytesText, shownText } from '../../../ui/dom.js';
import { skeleton } from '../../../ui/skeleton.js';
import { rename, transferDialog } from './copy-dialog.js';
import { failureNodes, replaceDetails } from './late-section.js';
import { metadataEditor } from './metadata.js';
import { previewOf } from './preview.js';
import { download, markGone, markOpen } from './rows.js';
import { partsHere, showPlace } from './place.js';
import { attempt, containerHere, folder, may, view } from './state.js';
import { factList } from './s3/fields.js';
import { objectPanel } from './s3/object-panel.js';
import { showShare } from './share.js';
import { publicUrl, s3UriOf } from './urls.js';
import { s3Facts, versionList } from './versions.js';
import type { ObjectView } from '../object-routes.js';
import type { S3VersionView } from '../s3/s3-objects.js';
import type { ObjectPlace, Row, TrashRow } from './state.js';

/** The details of one object, beside the list: properties, metadata, versions, actions. */

const KINDS: Readonly<Record<ObjectView['type'], string>> = {
  object: 'Object',
  marker: 'Folder marker',
  slo: 'Static large object (SLO)',
  dlo: 'Dynamic large object (segments)',
  symlink: 'Symlink',
};

const GONE =
  'This object no longer exists. It has expired or was deleted, and the listing is not up to date yet.';

/** How many facts most objects have, and those that were deleted. */
const FACTS = 9;
const FACTS_OF_DELETED = 3;

let shown: ObjectPlace | null = null;
let opener: HTMLElement | null = null;

/** @param row of the table: an object, or what was deleted */
export async function showDetails(row: Row) {
  opener ??= document.activeElement as HTMLElement | null;
  const { mode } = view;
  const turn = { container: containerHere(), name: row.name };
  const isAgain = shown?.container === turn.container && shown.name === turn.name;
  const body = $('#drawer-body');
  shown = turn;
  markOpen(row.name);
  showPlace({ object: row.name });
  body.setAttribute('aria-busy', 'true');
  // The shown details of the same object stay until its news are there.
  if (!isAgain || body.querySelector('dl') === null) openAt(row);
  try {
    const nodes = mode === 'trash' ? await deletedNodes(row, turn) : await objectNodes(row, turn);
    if (shown === turn) replaceDetails(body, nodes);
  } catch (error) {
    if (shown !== turn) return;
    body.replaceChildren(...failureNodes(error, () => showDetails(row)));
  } finally {
    if (shown === turn) body.removeAttribute('aria-busy');
  }
}

function openAt(row: Row) {
  $('#drawer-title').textContent = shownText(row.display);
  const isObject = row.kind === 'object';
  $('#drawer-body').replaceChildren(
    ...(isObject ? [el('div', { className: 'skeleton as-buttons' })] : []),
    skeleton(isObject ? FACTS : FACTS_OF_DELETED),
    ...(isObject ? [el('section', {}, skeleton('block'))] : []),
  );
  $('#drawer').scrollTop = 0;
  $('#files').classList.add('with-drawer');
  $('#drawer').hidden = false;
  $('#drawer-close').focus();
}

/** Shows the details of the object that the address names, and no others. */
export async function followAddress() {
  const name = partsHere().get('object');
  if (name === null || view.container === null || view.mode === 'settings') {
    closeDrawer();
    return;
  }
  if (shown?.name === name && shown.container === view.container) return;
  const listed = view.rows.find((row) => row.name === name);
  // The object may be on another page.
  const display = name.slice(folder().length);
  const row: Row | undefined =
    listed ?? (view.mode === 'files' ? { kind: 'object', name, display, bytes: 0 } : undefined);
  if (row === undefined) closeDrawer();
  else await showDetails(row);
}

/** @param isLeaving the address is that of another place already */
export function closeDrawer(isLeaving = false) {
  if ($('#drawer').hidden) return;
  shown = null;
  if (!isLeaving) showPlace({ object: null });
  markOpen(null);
  $('#drawer').hidden = true;
  $('#files').classList.remove('with-drawer');
  if (opener?.isConnected) opener.focus();
  opener = null;
}

function isNotThere(error: unknown) {
  return error instanceof ApiFailure && error.status === 404;
}

async function objectNodes(row: Row, { container, name }: ObjectPlace): Promise<Node[]> {
  const info = await call('GET', `/api/files/object?${query({ container, name })}`).catch(
    (error: unknown) => {
      if (!isNotThere(error)) throw error;
      markGone(name);
      throw new Error(GONE);
    },
  );
  return [
    badges(info),
    buttons(row, name),
    factList({
      Name: name,
      Kind: KINDS[info.type] ?? info.type,
      Size: exactBytesText(info.bytes),
      Type: info.content_type,
      ETag: info.etag,
      'S3 URI': s3UriOf(name) ?? '',
      Changed: timeText(info.last_modified),
      ...(info.s3 === null ? { Expires: expiryText(info.delete_at_unix_s) } : lockFacts(info.s3)),
      ...(info.segments === null ? {} : { Segments: info.segments }),
      ...info.headers,
    }),
    ...publicUrl(container, name, () => showDetails(row)),
    ...(info.s3?.cold === true ? [] : [previewOf(container, name, info)]),
    ...(view.details?.s3_bucket === true
      ? [objectPanel({ container, name }, () => showDetails(row))]
      : []),
    // An object in cold storage shows no metadata, which saving would therefore drop.
    ...(info.s3?.cold === true
      ? []
      : [metadataEditor(container, name, info, () => showDetails(row))]),
    versionList(container, name, () => showDetails(row)),
  ];
}

/** Storage class and tags have a section of their own. */
function lockFacts(s3: S3VersionView) {
  const { Version, Retention, 'Legal hold': hold } = s3Facts(s3);
  return { Version, Retention, 'Legal hold': hold };
}

async function deletedNodes(row: Row, { container, name }: ObjectPlace): Promise<Node[]> {
  if (row.kind === 'gone') {
    return [
      factList({ Name: name, Deleted: timeText(row.last_modified) }),
      versionList(container, name, () => showDetails(row)),
    ];
  }
  const trashed = row as TrashRow;
  const place = { container: `${container}+trash`, name };
  const { meta, type } = await call('GET', `/api/files/object?${query(place)}`).catch(
    (error: unknown) => {
      // The store lists what has expired until its expirer has passed.
      if (isNotThere(error))
        throw new Error('This object has expired and will soon be removed from the list.');
      throw error;
    },
  );
  return [
    factList({
      Name: row.display,
      Kind: KINDS[type] ?? type,
      Size: bytesText(trashed.bytes),
      Deleted: timeText(trashed.last_modified),
      By: meta['trash-by'] ?? 'unknown',
      Expires: expiryText(trashed.expires_unix_s),
    }),
  ];
}

function expiryText(unixS: number | null) {
  return unixS === null ? 'never' : timeAt(unixS, 'full');
}

function badges({ type, delete_at_unix_s: deleteAt, headers, s3 }: ObjectView) {
  const texts = [];
  if (s3?.legal_hold === true) texts.push('legal hold');
  if (s3 !== null && s3.lock_mode !== null) texts.push('retained');
  if (type !== 'object') texts.push(type.length === 3 ? type.toUpperCase() : type);
  if (deleteAt !== null) texts.push(deleteAt * 1000 > Date.now() ? 'expires' : 'expired');
  if (headers['content-encoding'] !== undefined) texts.push(headers['content-encoding']);
  return el(
    'p',
    { className: 'badges', hidden: texts.length === 0 },
    ...texts.map((text) => el('span', { className: 'badge', textContent: text })),
  );
}

function buttons(row: Row, name: string) {
  const button = (text: string, work: () => unknown, className = '') =>
    el('button', { textContent: text, className, onclick: () => attempt(work) });
  const all = [button('Download', () => download(name), 'primary')];
  if (may('member')) {
    all.push(
      button('Rename', () => rename(row)),
      button('Move', () => transferDialog([row], 'move')),
      button('Copy', () => transferDialog([row], 'copy')),
      button('Share', () => showShare({ name })),
    );
  }
  return el('div', { className: 'row' }, ...all);
}
