import { call } from '../../../ui/api.js';
import { ask, el } from '../../../ui/dom.js';
import { isBucketName } from './bucket-name.js';
import { loadContainers } from './listing.js';
import { go } from './state.js';

/** A container, with a storage policy that it keeps for its life. */
export async function newContainer() {
  const { policies } = await call('GET', '/api/files/capabilities');
  const name = el('input', { name: 'name', required: true });
  const nodes = [el('label', {}, 'Name', name), notForS3(name)];
  if (policies.length > 1) {
    const policy = el('select', { name: 'policy' });
    for (const one of policies) policy.append(el('option', { value: one, textContent: one }));
    nodes.push(el('label', {}, 'Storage policy (cannot be changed later)', policy));
  }
  const given = await ask('Create container', nodes, 'Create', (entered) =>
    call('PUT', '/api/files/container', entered),
  );
  if (given === null) return;
  await loadContainers();
  go(given.name ?? '', '');
}

/** Asks for consent while S3 clients could not see a container of this name. */
function notForS3(name: HTMLInputElement) {
  // Without a name of its own it is not sent.
  const consent = el('input', { type: 'checkbox' });
  const box = el(
    'div',
    { hidden: true },
    el('p', {
      textContent:
        'S3 clients cannot see a container with this name. Names of buckets have 3 to 63 lowercase letters, digits, hyphens and dots.',
    }),
    el('label', { className: 'check' }, consent, 'Create it, hidden from S3'),
  );
  name.addEventListener('input', () => {
    const isBucket = name.value === '' || isBucketName(name.value);
    box.hidden = isBucket;
    consent.required = !isBucket;
  });
  return box;
}
