import { call } from '../../js/api.js';
import { ask, bytesText, el } from '../../js/dom.js';
import { forgetDetails } from './containers.js';
import { load, loadContainers } from './listing.js';
import { view } from './state.js';
import { runTask } from './tasks.js';

/** What is done with a container as a whole. */

/** @typedef {import('./state.js').ContainerDetails} ContainerDetails */

/**
 * Begins to keep versions of a container, or ends it.
 *
 * @param {string} name
 * @param {boolean} enabled
 */
export async function setVersions(name, enabled) {
  const text = enabled
    ? 'What is overwritten or deleted from now on stays in the container, and takes room.'
    : 'What is overwritten or deleted from now on is gone. Former versions stay.';
  const title = enabled ? 'Keep versions' : 'Suspend versions';
  const work = () => call('PUT', '/api/files/versions', { name, enabled });
  if ((await ask(title, [el('p', { textContent: text })], title, work)) === null) return;
  await changed(name);
}

/**
 * Makes a new key for the URLs of a container.
 *
 * @param {string} name
 */
export async function rotateKey(name) {
  const text =
    'URLs that were made with the present key work until the next rotation; those of the key before it end now.';
  const work = () => call('POST', '/api/files/tempurl/rotate', { container: name });
  await ask('New key for URLs', [el('p', { textContent: text })], 'Make a new key', work);
}

/** @param {string} name */
async function changed(name) {
  forgetDetails(name);
  view.details = null;
  await Promise.all([load(), loadContainers()]);
}

/**
 * Deletion for good, of what is in the container or of all of it; its name says that it is meant.
 *
 * @param {ContainerDetails} details
 */
export async function removeContainer({ name, objects, bytes, versioning, s3 }) {
  const hasVersions = versioning === 'stack' || s3;
  const isEmpty = objects === 0 && !hasVersions;
  const confirm = el('input', { name: 'confirm_name', required: true, autocomplete: 'off' });
  const keep = el('input', { name: 'keep', type: 'checkbox', value: '1' });
  const trash = el('input', { name: 'with_trash', type: 'checkbox', value: '1' });
  const locked = s3 ? 'Versions that Object Lock protects stay. ' : '';
  const all = hasVersions ? `All versions and delete markers go, too. ${locked}` : '';
  const text = isEmpty
    ? 'The store says that it is empty.'
    : `${objects.toLocaleString()} objects, ${bytesText(bytes)}, will be gone for good. ${all}Nothing of it goes into the trash.`;
  /** @type {Node[]} */
  const nodes = [el('p', { textContent: text })];
  if (!isEmpty) nodes.push(el('label', { className: 'check' }, keep, ' keep the container, empty'));
  nodes.push(
    el('label', { className: 'check' }, trash, ' Also delete its trash'),
    el('label', {}, `Type “${name}” to confirm`, confirm),
  );
  const check = async (/** @type {Record<string, FormDataEntryValue>} */ entered) => {
    if (entered.confirm_name !== name) throw new Error('That is not its name.');
  };
  const danger = { danger: true };
  const given = await ask('Empty or delete', nodes, 'Delete for good', check, danger);
  if (given === null) return;
  const remove = given.keep !== '1';
  const title = `${remove ? 'Delete' : 'Empty'} container ${name}`;
  const body = {
    name,
    confirm_name: given.confirm_name,
    with_trash: given.with_trash === '1',
    remove,
  };
  await runTask(title, '/api/files/container/empty', body, async () => {
    forgetDetails(name);
    await loadContainers();
    if (view.container !== name) return;
    const isThere = await call('POST', '/api/files/containers/details', { names: [name] });
    if (isThere.items.length === 0) location.hash = '';
    else await changed(name);
  });
}
