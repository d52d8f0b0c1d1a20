import { call } from '../../../ui/api.js';
import { ask, bytesText, countText, el } from '../../../ui/dom.js';
import { forgetDetails } from './bucket-list.js';
import { load, loadContainers } from './listing.js';
import { box } from './s3/fields.js';
import { view } from './state.js';
import { runTask } from './tasks.js';
import { askTyped } from '../../../ui/typed-name.js';
import type { ContainerDetails } from '../container-details.js';

/** Actions on a container as a whole. */

/** Begins to keep versions of a container, or ends it. */
export async function setVersions(
  { name, s3 }: Pick<ContainerDetails, 'name' | 's3'>,
  enabled: boolean,
) {
  const suspended = s3
    ? 'New versions will not be created. Deleting an object will add a delete marker. Existing versions are kept.'
    : 'Overwritten objects will be permanently lost, and deleted objects will go to the trash. Existing versions are kept.';
  const text = enabled
    ? 'Overwritten and deleted objects will be kept as versions, which take up space.'
    : suspended;
  const title = enabled ? 'Enable versioning' : 'Suspend versioning';
  const work = () => call('PUT', '/api/files/versions', { name, enabled });
  if ((await ask(title, [el('p', { textContent: text })], title, work)) === null) return;
  await changed(name);
}

export async function rotateKey(name: string) {
  const text =
    'URLs signed with the current key keep working until the next rotation. URLs signed with the previous key stop working immediately.';
  const work = () => call('POST', '/api/files/tempurl/rotate', { container: name });
  await ask('Create TempURL key', [el('p', { textContent: text })], 'Create new key', work);
}

/** Ends all TempURLs of a container. */
export async function removeKeys(name: string) {
  const text = "All TempURLs signed with this bucket's keys stop working immediately.";
  const work = () => call('POST', '/api/files/tempurl/remove', { container: name });
  const nodes = [el('p', { textContent: text })];
  await ask('Remove TempURL key', nodes, 'Remove', work, { danger: true });
}

async function changed(name: string) {
  forgetDetails(name);
  view.details = null;
  await Promise.all([load(), loadContainers()]);
}

/**
 * Deletion for good, of what is in the container or of all of it; its name says that it is meant.
 */
export async function removeContainer({ name, objects, bytes, versioning, s3 }: ContainerDetails) {
  const hasVersions = versioning === 'stack' || s3;
  const isEmpty = objects === 0 && !hasVersions;
  const all = `${countText(objects, 'object')} (${bytesText(bytes)})`;
  const locked = s3 ? ', except versions protected by Object Lock' : '';
  const text = isEmpty
    ? 'The bucket is empty.'
    : hasVersions
      ? `${all} will be permanently deleted with all versions and delete markers${locked}. Nothing is moved to the trash.`
      : `${all} will be permanently deleted. Nothing is moved to the trash.`;
  const nodes: Node[] = [el('p', { textContent: text })];
  if (!isEmpty) nodes.push(box('Keep the empty bucket', { name: 'keep' }).node);
  nodes.push(box('Also delete its trash', { name: 'with_trash' }).node);
  const given = await askTyped(`Empty or delete “${name}”`, nodes, name);
  if (given === null) return;
  const remove = given.keep !== '1';
  const title = `${remove ? 'Delete' : 'Empty'} bucket ${name}`;
  const { confirm_name } = given;
  const body = { name, confirm_name, with_trash: given.with_trash === '1', remove };
  await runTask(title, '/api/files/container/empty', body, async () => {
    forgetDetails(name);
    await loadContainers();
    if (view.container !== name) return;
    const isThere = await call('POST', '/api/files/containers/details', { names: [name] });
    if (isThere.items.length === 0) location.hash = '';
    else await changed(name);
  });
}
