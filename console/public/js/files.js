import { call, openEvents, openSession, query, raw, runJob } from './api.js';
import { $, ask, bytesText, el, timeText } from './dom.js';
import { markContainer, showContainers } from './containers.js';
import { acceptDrops } from './drop.js';
import { showProperties, showTempUrl } from './properties.js';
import { enqueue } from './transfers.js';

const PAGE = 100;
const RANK = { reader: 0, member: 1, admin: 2, operator: 3 };

const view = {
  container: null,
  prefix: '',
  trash: false,
  rows: [],
  selected: new Set(),
  next: null,
  previous: null,
};
let session = null;

const may = (role) => RANK[session.role] >= RANK[role];

function fail(error) {
  const banner = $('#banner');
  banner.hidden = false;
  banner.textContent = error.message;
}

/** Runs what a button does; what goes wrong is shown. */
function act(selector, work) {
  $(selector).addEventListener('click', () => {
    $('#banner').hidden = true;
    work().catch(fail);
  });
}

const loadContainers = () => showContainers(view.container, (name) => open(name, ''));

/** Names stand behind `#`, so that a reload and the back button keep the place. */
function open(container, prefix) {
  location.hash = `${encodeURIComponent(container)}/${encodeURIComponent(prefix)}`;
}

function onHash() {
  const [container = '', prefix = ''] = location.hash.slice(1).split('/').map(decodeURIComponent);
  Object.assign(view, { container: container === '' ? null : container, prefix, trash: false });
  markContainer(container);
  load().catch(fail);
}

async function load(parameters = {}) {
  view.selected.clear();
  const { container, prefix } = view;
  showCrumbs();
  showTools();
  if (container === null) return show([], 'Choose a container, or make one.');
  $('#main').setAttribute('aria-busy', 'true');
  $('#state').textContent = 'Loading…';
  try {
    if (view.trash) {
      const { items } = await call('GET', `/api/files/trash?${query({ container })}`);
      const rows = items.map((one) => ({
        kind: 'object',
        name: one.trash_name,
        display: one.name,
        bytes: one.bytes,
        last_modified: new Date(one.deleted_unix_ms).toISOString(),
      }));
      return show(rows.reverse(), 'The trash is empty.');
    }
    const page = await call(
      'GET',
      `/api/files/objects?${query({ container, prefix, limit: String(PAGE), ...parameters })}`,
    );
    Object.assign(view, { next: page.next_marker, previous: page.previous_marker });
    // The folder's own object is the folder.
    const rows = page.items.filter((row) => row.name !== prefix);
    const full = page.items.length === PAGE;
    const back = parameters.reverse === '1';
    $('#next').disabled = !(back || full);
    $('#previous').disabled = !(back ? full : 'marker' in parameters);
    return show(rows, 'This folder is empty. Drop files here.');
  } catch (error) {
    show([], 'This cannot be shown.');
    throw error;
  }
}

function show(rows, emptyText) {
  view.rows = rows;
  $('#main').setAttribute('aria-busy', 'false');
  $('#state').textContent = rows.length === 0 ? emptyText : '';
  $('#rows').replaceChildren(...rows.map(rowOf));
  if (view.trash || view.container === null) $('#next').disabled = $('#previous').disabled = true;
  showSelection();
}

function rowOf(row) {
  const label = row.display === '/' ? '(empty)/' : row.display;
  const pick = el('input', { type: 'checkbox', checked: view.selected.has(row.name) });
  pick.setAttribute('aria-label', `Select ${label}`);
  pick.onchange = () => {
    if (pick.checked) view.selected.add(row.name);
    else view.selected.delete(row.name);
    showSelection();
  };
  const name = el('button', {
    className: 'name',
    textContent: row.kind === 'folder' ? `📁 ${label}` : label,
  });
  name.onclick = () =>
    row.kind === 'folder'
      ? open(view.container, row.name)
      : view.trash
        ? undefined
        : download(row.name);
  const actions = el('td', { className: 'act' });
  if (row.kind === 'object' && !view.trash) {
    const button = (text, work) => {
      const one = el('button', { textContent: text, onclick: () => work().catch(fail) });
      one.setAttribute('aria-label', `${text}: ${label}`);
      return one;
    };
    actions.append(
      button('Properties', () => showProperties(view.container, row.name, may('member'))),
    );
    if (may('member')) {
      actions.append(
        ' ',
        button('Rename', () => rename(row.name)),
        ' ',
        button('Share', () => showTempUrl(view.container, row.name)),
      );
    }
  }
  return el(
    'tr',
    {},
    el('td', { className: 'pick' }, pick),
    el('td', {}, name),
    el('td', {
      className: 'size',
      textContent: row.bytes === undefined ? '' : bytesText(row.bytes),
    }),
    el('td', { className: 'time', textContent: timeText(row.last_modified) }),
    actions,
  );
}

function download(name) {
  const href = `/api/files/object/body?${query({ container: view.container, name })}`;
  el('a', { href, download: '' }).click();
}

function showCrumbs() {
  const { container, prefix, trash } = view;
  const parts = prefix.split('/').slice(0, -1);
  const crumbs = container === null ? [] : [[container, '']];
  parts.forEach((part, index) =>
    crumbs.push([part === '' ? '(empty)' : part, `${parts.slice(0, index + 1).join('/')}/`]),
  );
  $('#crumbs').replaceChildren(
    ...crumbs.flatMap(([text, path]) => [
      el('button', { textContent: text, onclick: () => open(container, path) }),
      ' / ',
    ]),
    ...(trash ? ['Trash'] : []),
  );
}

function showTools() {
  const usable = view.container !== null && !view.trash;
  $('#upload').hidden = $('#new-folder').hidden = !(usable && may('member'));
  $('#show-trash').hidden = view.container === null;
  $('#show-trash').textContent = view.trash ? 'Back to files' : 'Trash';
}

function showSelection() {
  const count = view.selected.size;
  $('#selected').textContent = count === 0 ? '' : `${count} selected`;
  $('#all').checked = count > 0 && count === view.rows.length;
  $('#zip').hidden = count === 0 || view.trash;
  $('#delete').hidden = count === 0 || view.trash || !may('member');
  $('#restore').hidden = count === 0 || !view.trash || !may('member');
  $('#purge').hidden = count === 0 || !view.trash || !may('admin');
}

/** What is selected, as the API takes it: objects by name, folders by prefix. */
function chosen() {
  const rows = view.rows.filter((row) => view.selected.has(row.name));
  const namesOf = (kind) => rows.filter((row) => row.kind === kind).map((row) => row.name);
  return { container: view.container, names: namesOf('object'), prefixes: namesOf('folder') };
}

async function job(path, body) {
  const state = $('#state');
  const { result } = await runJob(path, body, ({ done, total }) => {
    state.textContent = `${done}${total === null ? '' : ` of ${total}`} done…`;
  });
  await Promise.all([load(), loadContainers()]);
  if (result?.failed > 0) {
    const [first] = result.failures;
    throw new Error(
      `${result.failed} failed, the first one “${first.name}”: ${first.code.replaceAll('_', ' ')}.`,
    );
  }
}

async function rename(name) {
  const field = el('input', { name: 'name', value: name, required: true });
  const given = await ask(
    'Rename or move',
    [el('label', {}, 'New name, with its folders', field)],
    'Rename',
  );
  if (given === null || given.name === name) return;
  const { container } = view;
  await job('/api/files/move', {
    container,
    to_container: container,
    items: [{ name, to_name: given.name }],
  });
}

async function askName(title, text) {
  const field = el('input', { name: 'name', required: true });
  return (await ask(title, [el('label', {}, text, field)], 'Make'))?.name || null;
}

function addFile(path, file) {
  const { container, prefix } = view;
  enqueue(container, prefix + path, file, () => {
    if (view.container === container && view.prefix === prefix && !view.trash) refreshSoon();
  });
}

let refreshing = 0;

/** Once for many files that arrive together, and not under a selection that is being made. */
function refreshSoon() {
  clearTimeout(refreshing);
  refreshing = setTimeout(() => {
    loadContainers().catch(fail);
    if (view.selected.size === 0) load().catch(fail);
  }, 300);
}

async function search(text) {
  const { container, prefix } = view;
  if (container === null || text === '') return load();
  $('#state').textContent = 'Searching…';
  const mode = /[*?]/.test(text) ? 'glob' : 'substring';
  const answer = await raw('POST', '/api/files/search', { container, prefix, q: text, mode });
  const lines = (await answer.text())
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const end = lines.pop();
  if (end.error) throw new Error(end.error.message);
  show(
    lines.map((hit) => ({ kind: 'object', display: hit.name.slice(prefix.length), ...hit })),
    'Nothing found.',
  );
  const more = end.truncated ? 'There may be more behind them.' : 'That is all there is.';
  $('#state').textContent = `${lines.length} found in ${end.scanned} names. ${more}`;
  return undefined;
}

function wire() {
  act('#logout', async () => {
    await call('DELETE', '/api/session');
    location.assign('/login.html');
  });
  act('#new-container', async () => {
    const name = await askName('New container', 'Name');
    if (name === null) return;
    await call('PUT', '/api/files/container', { name });
    await loadContainers();
    open(name, '');
  });
  act('#new-folder', async () => {
    const name = await askName('New folder', 'Name');
    if (name === null) return;
    await call('PUT', '/api/files/folder', { container: view.container, name: view.prefix + name });
    await load();
  });
  act('#show-trash', () => {
    view.trash = !view.trash;
    return load();
  });
  act('#delete', () => job('/api/files/delete', { ...chosen(), mode: 'trash' }));
  act('#restore', () =>
    job('/api/files/trash/restore', { container: view.container, trash_names: [...view.selected] }),
  );
  act('#purge', async () => {
    const text = `${view.selected.size} will be gone for good.`;
    if ((await ask('Delete for good', [el('p', { textContent: text })], 'Delete')) === null) return;
    await job('/api/files/trash/purge', {
      container: view.container,
      trash_names: [...view.selected],
    });
  });
  act('#zip', async () => {
    const { ticket } = await call('POST', '/api/files/zip', chosen());
    location.assign(`/api/files/zip/${ticket}`);
  });
  act('#next', () => load({ marker: view.next }));
  act('#previous', () => load({ marker: view.previous, reverse: '1' }));
  act('#upload', async () => $('#picker').click());
  $('#picker').onchange = ({ target }) => {
    for (const file of target.files) addFile(file.name, file);
    target.value = '';
  };
  $('#all').onchange = ({ target }) => {
    view.selected = new Set(target.checked ? view.rows.map((row) => row.name) : []);
    $('#rows').replaceChildren(...view.rows.map(rowOf));
    showSelection();
  };
  $('#show-hidden').onchange = () => loadContainers().catch(fail);
  $('#search').onsubmit = (event) => {
    event.preventDefault();
    search($('#q').value.trim()).catch(fail);
  };
  acceptDrops($('#main'), () => view.container !== null && !view.trash && may('member'), addFile);
  window.onhashchange = onHash;
}

async function start() {
  session = await openSession();
  $('#cluster').textContent = session.cluster_name;
  $('#who').textContent = `${session.user} (${session.role})`;
  $('#new-container').hidden = !may('admin');
  wire();
  openEvents((state) => {
    $('#health').textContent = state === 'live' ? '● live' : '○ connection lost, trying again';
  });
  setInterval(async () => {
    const now = await call('GET', '/api/session', undefined, true).catch(() => null);
    if (now === null) return;
    const minutes = Math.floor((now.idle_expires_unix_s * 1000 - Date.now()) / 60_000);
    $('#countdown').textContent = minutes < 15 ? `session ends in ${minutes} min` : '';
  }, 60_000);
  await loadContainers();
  onHash();
}

start().catch(fail);
