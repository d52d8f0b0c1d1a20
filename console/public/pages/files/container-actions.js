import { call } from '../../js/api.js';
import { ask, bytesText, el } from '../../js/dom.js';
import { forgetDetails } from './containers.js';
import { load, loadContainers } from './listing.js';
import { view } from './state.js';
import { runTask } from './tasks.js';
import { askTyped } from '../../js/typed-name.js';

/** What is done with a container as a whole. */

/** @typedef {import('./state.js').ContainerDetails} ContainerDetails */

/**
 * Begins to keep versions of a container, or ends it.
 *
 * @param {string} name
 * @param {boolean} enabled
 * @param {boolean} s3 whether S3 keeps them: it has no trash
 */
export async function setVersions(name, enabled, s3) {
  const text = enabled
    ? 'From now on, overwritten and deleted objects are kept as versions, and take up space.'
    : `From now on, overwritten objects are lost; ${s3 ? 'deleting adds a delete marker' : 'deleted ones go to the trash'}. Versions that exist are kept.`;
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
    'URLs signed with the current key work until the next new key. URLs signed with the key before it stop working now.';
  const work = () => call('POST', '/api/files/tempurl/rotate', { container: name });
  await ask('New TempURL key', [el('p', { textContent: text })], 'Create new key', work);
}

/**
 * Ends all TempURLs of a container.
 *
 * @param {string} name
 */
export async function removeKeys(name) {
  const text = 'All TempURLs that a key of this container signed stop working now.';
  const work = () => call('POST', '/api/files/tempurl/remove', { container: name });
  const nodes = [el('p', { textContent: text })];
  await ask('Remove the TempURL key', nodes, 'Remove', work, { danger: true });
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
  const keep = el('input', { name: 'keep', type: 'checkbox', value: '1' });
  const trash = el('input', { name: 'with_trash', type: 'checkbox', value: '1' });
  const locked = s3 ? ', but for those that Object Lock protects' : '';
  const all = hasVersions ? `So will all versions and delete markers${locked}. ` : '';
  const text = isEmpty
    ? 'The container is empty.'
    : `${objects.toLocaleString()} ${objects === 1 ? 'object' : 'objects'} (${bytesText(bytes)}) will be permanently deleted. ${all}Nothing goes to the trash.`;
  /** @type {Node[]} */
  const nodes = [el('p', { textContent: text })];
  if (!isEmpty) nodes.push(el('label', { className: 'check' }, keep, ' Keep the container, empty'));
  nodes.push(el('label', { className: 'check' }, trash, ' Also delete its trash'));
  const given = await askTyped(`Empty or delete “${name}”`, nodes, name);
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
