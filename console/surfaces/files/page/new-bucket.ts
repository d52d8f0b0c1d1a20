import { call } from '../../../ui/api.js';
import { ask, el } from '../../../ui/dom.js';
import { isBucketName } from './bucket-name.js';
import { loadContainers } from './listing.js';
import { quotaFields } from './quota.js';
import { box, choice, quiet } from './s3/fields.js';
import { retentionFields } from './s3/retention-fields.js';
import { go } from './state.js';

/** A bucket, with what is decided when it is made. */
export async function newBucket() {
  const can = await call('GET', '/api/files/capabilities');
  const name = el('input', {
    ...{ name: 'name', required: true, autocomplete: 'off', spellcheck: false },
  });
  const rule = quiet('3 to 63 lowercase letters, digits, hyphens and dots.');
  rule.id = 'name-rule';
  name.setAttribute('aria-describedby', rule.id);
  const hidden = notForS3(name);
  const nodes: Node[] = [el('label', {}, 'Name', name), rule, hidden.node];
  const versioning = box('Keep versions of overwritten and deleted objects', {});
  const lock = box('Object Lock: protect versions from being deleted', {});
  const retention = retentionFields(null);
  const locked = el(
    'div',
    {},
    quiet('Object Lock cannot be turned off later, and needs versions.'),
    ...retention.nodes,
  );
  const versions = el('fieldset', {}, el('legend', { textContent: 'Versions' }), versioning.node);
  if (can.s3) versions.append(lock.node, locked);
  if (can.object_versioning) nodes.push(versions);
  const quota = quotaFields({ bytes: null, objects: null });
  const more = el('details', {}, el('summary', { textContent: 'More options' }));
  const policies = can.policies.map((one) => [one, one] as const);
  const policy = choice('Storage policy (cannot be changed later)', 'policy', policies);
  if (policies.length > 1) more.append(policy.node);
  if (can.quotas) more.append(quiet('Quota: leave empty for none.'), ...quota.nodes);
  if (more.childElementCount > 1) nodes.push(more);
  const show = () => {
    const isLocked = lock.input.checked;
    if (isLocked) versioning.input.checked = true;
    versioning.input.disabled = isLocked;
    locked.hidden = !isLocked;
    // A bucket that S3 cannot see has neither.
    lock.input.disabled = hidden.isHidden();
    if (lock.input.disabled && lock.input.checked) {
      lock.input.checked = false;
      show();
    }
  };
  for (const one of [lock.input, name]) one.addEventListener('input', show);
  show();
  const given = await ask('Create bucket', nodes, 'Create', () =>
    call('PUT', '/api/files/container', {
      name: name.value,
      hidden_from_s3: hidden.isHidden(),
      versioning: versioning.input.checked,
      object_lock: lock.input.checked,
      default_retention: lock.input.checked ? retention.given() : null,
      ...(policies.length > 1 ? { policy: policy.select.value } : {}),
      ...(can.quotas ? { quota: quota.given() } : {}),
    }),
  );
  if (given === null) return;
  await loadContainers();
  go(name.value, '');
}

/** Asks for consent while S3 clients could not see a bucket of this name. */
function notForS3(name: HTMLInputElement) {
  // Without a name of its own it is not sent.
  const consent = el('input', { type: 'checkbox' });
  const node = el(
    'div',
    { hidden: true },
    el('p', { textContent: 'S3 clients cannot see a bucket with this name.' }),
    el('label', { className: 'check' }, consent, 'Create it, hidden from S3'),
  );
  const isHidden = () => name.value !== '' && !isBucketName(name.value);
  name.addEventListener('input', () => {
    node.hidden = !isHidden();
    consent.required = isHidden();
  });
  return { node, isHidden };
}
