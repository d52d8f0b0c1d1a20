import { call, query } from '../../js/api.js';
import { $, ask, bytesText, el } from '../../js/dom.js';
import { showAcl } from './acl.js';
import { forgetDetails } from './containers.js';
import { load, loadContainers } from './listing.js';
import { attempt, containerHere, may, view } from './state.js';
import { bucketMenu } from './s3/bucket-menu.js';
import { runTask } from './tasks.js';
import { showTempUrl } from './tempurl.js';

/**
 * @typedef {import('./state.js').ContainerDetails} ContainerDetails
 * @typedef {import('../../../surfaces/files/container-life-routes.js').Capabilities} Capabilities
 */

/** @type {Readonly<Record<string, string>>} */
const ACCESS = {
  public: 'public: everybody may read it',
  shared: 'shared with others',
  private: 'private',
};
/** @type {Readonly<Record<ContainerDetails['versioning'], string>>} */
const VERSIONING = {
  stack: 'kept in the container',
  archive: 'kept in another container',
  history: 'kept in another container, deletions too',
  gateway: 'kept by S3, for S3 clients',
  none: 'not kept by the store',
};

/** What a container is like, and what can be done with it as a whole. */
export async function showContainer() {
  const name = containerHere();
  const [details, can] = await Promise.all([
    call('GET', `/api/files/container?${query({ name })}`),
    call('GET', '/api/files/capabilities'),
  ]);
  const quota = details.quota_bytes === null ? 'none' : bytesText(details.quota_bytes);
  const facts = {
    Name: name,
    Policy: details.policy ?? 'unknown',
    Objects: `${details.objects.toLocaleString()}, as counted by the store`,
    Size: bytesText(details.bytes),
    Quota: details.quota_objects === null ? quota : `${quota}, ${details.quota_objects} objects`,
    Access: ACCESS[details.access ?? ''] ?? 'unknown: owners alone see it',
    Versions: versionsText(details),
    'Keys for URLs': String(details.tempurl_keys),
  };
  const list = el('dl');
  for (const [term, text] of Object.entries(facts)) {
    list.append(
      el('dt', { textContent: term, className: 'quiet' }),
      el('dd', { textContent: text }),
    );
  }
  /** @type {Node[]} */
  const nodes = [list, el('div', { className: 'row' }, ...buttons(name, details, can))];
  if (details.s3_bucket) {
    const all = bucketMenu(name, details).map(([text, work]) => leading(text, work));
    nodes.push(el('h3', { textContent: 'S3' }), el('div', { className: 'row' }, ...all));
  }
  await ask('Container', nodes);
}

/**
 * A button that leads from this dialog to another.
 *
 * @param {string} text
 * @param {() => unknown} work
 */
function leading(text, work, className = '') {
  const onclick = () => {
    $('#dialog').close();
    attempt(work);
  };
  return el('button', { type: 'button', textContent: text, className, onclick });
}

/** @param {ContainerDetails} details */
function versionsText(details) {
  const { versioning, versioning_active: active, versions_container: place, s3 } = details;
  if (details.s3_unavailable) return 'unknown: S3 did not answer';
  if (s3)
    return active ? 'S3 versioning is on' : 'S3 versioning is suspended: former ones are kept';
  const text = VERSIONING[versioning];
  if (place !== null) return `${text} (${place})`;
  return versioning === 'stack' && !active ? 'suspended: former ones are kept' : text;
}

/**
 * @param {string} name
 * @param {ContainerDetails} details
 * @param {Capabilities} can
 */
function buttons(name, details, can) {
  /** @type {HTMLButtonElement[]} */
  const all = [];
  const button = (
    /** @type {string} */ text,
    /** @type {() => unknown} */ work,
    className = '',
  ) => {
    all.push(leading(text, work, className));
  };
  if (can.tempurl && view.prefix !== '' && may('member')) {
    button(`Share all below ${view.prefix}`, () => showTempUrl({ prefix: view.prefix }));
  }
  if (!may('admin')) return all;
  button('Who may read and write', () => showAcl(name));
  const { versioning, versioning_active: active } = details;
  const isSwitched = versioning === 'none' || versioning === 'stack' || details.s3;
  if (can.object_versioning && isSwitched) {
    button(active ? 'Suspend versions' : 'Keep versions', () => setVersions(name, !active));
  }
  if (details.tempurl_keys > 0) button('New key for URLs', () => rotate(name));
  button('Empty or delete', () => removeContainer(details), 'danger');
  return all;
}

/**
 * @param {string} name
 * @param {boolean} enabled
 */
async function setVersions(name, enabled) {
  const text = enabled
    ? 'What is overwritten or deleted from now on stays in the container, and takes room.'
    : 'What is overwritten or deleted from now on is gone. Former versions stay.';
  const title = enabled ? 'Keep versions' : 'Suspend versions';
  const work = () => call('PUT', '/api/files/versions', { name, enabled });
  if ((await ask(title, [el('p', { textContent: text })], title, work)) === null) return;
  await changed(name);
}

/** @param {string} name */
async function rotate(name) {
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
async function removeContainer({ name, objects, bytes, versioning, s3 }) {
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
