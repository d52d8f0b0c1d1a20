import { call } from '../../../ui/api.js';
import { ask, el } from '../../../ui/dom.js';
import { loadContainers } from './listing.js';
import { go } from './state.js';

/** A container, with a storage policy that it keeps for its life. */
export async function newContainer() {
  const { policies } = await call('GET', '/api/files/capabilities');
  const name = el('input', { name: 'name', required: true });
  const nodes = [el('label', {}, 'Name', name)];
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
  go(String(given.name), '');
}
