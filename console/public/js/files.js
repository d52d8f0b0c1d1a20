import { call } from './api.js';
import { markContainer } from './containers.js';
import { $, ask, el } from './dom.js';
import { acceptDrops } from './drop.js';
import { askName, job } from './files/actions.js';
import { load, loadContainers, redraw } from './files/listing.js';
import { search } from './files/search.js';
import { chosen } from './files/selection.js';
import { act, fail, go, may, readPlace, setRole, view } from './files/state.js';
import { addFile } from './files/uploads.js';
import { openShell } from './shell.js';

function onHash() {
  readPlace();
  markContainer(view.container ?? '');
  load().catch(fail);
}

function wire() {
  act('#new-container', async () => {
    const name = await askName('New container', 'Name');
    if (name === null) return;
    await call('PUT', '/api/files/container', { name });
    await loadContainers();
    go(name, '');
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
    redraw();
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
  setRole((await openShell('files')).role);
  $('#new-container').hidden = !may('admin');
  wire();
  await loadContainers();
  onHash();
}

start().catch(fail);
