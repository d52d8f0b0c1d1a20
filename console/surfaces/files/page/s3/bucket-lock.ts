import { call, query } from '../../../../ui/api.js';
import { ask } from '../../../../ui/dom.js';
import { may } from '../state.js';
import { typedName } from '../../../../ui/typed-name.js';
import { factList, quiet } from './fields.js';
import { retentionFields } from './retention-fields.js';
import type { BucketLock } from '../../s3/bucket-lock.js';

/** Object Lock of a bucket: whether it is on, and the retention that new versions begin with. */
export async function showBucketLock(name: string) {
  const lock = await call('GET', `/api/files/lock?${query({ name })}`);
  const given = lock.default_retention;
  const state = factList(lockTexts(lock));
  if (!may('admin')) {
    await ask('Object Lock', [state, quiet('Only admins can change this.')]);
    return;
  }
  const retention = retentionFields(given);
  const typed = typedName(name);
  const show = () => typed.need(!lock.enabled || retention.mode.value === 'COMPLIANCE');
  retention.mode.addEventListener('change', show);
  show();
  const about = lock.enabled
    ? 'Changes apply only to new object versions.'
    : 'Object Lock prevents versions from being deleted. Once enabled, it cannot be disabled, and versioning cannot be suspended.';
  const nodes = [state, quiet(about), ...retention.nodes, typed.node];
  const save = () =>
    call('PUT', '/api/files/lock', {
      name,
      was: { enabled: lock.enabled, default_retention: given },
      default_retention: retention.given(),
      ...typed.given(),
    });
  // A change that cannot be undone is red.
  const options = { danger: !lock.enabled, again: () => showBucketLock(name) };
  await ask('Object Lock', nodes, lock.enabled ? 'Save' : 'Enable Object Lock', save, options);
}

export function lockTexts({
  enabled,
  default_retention: given,
}: BucketLock): Record<string, string> {
  const unit = given?.count === 1 ? given.unit.replace(/s$/, '') : given?.unit;
  const period =
    given === null ? 'None' : `${given.mode.toLowerCase()}, ${given.count} ${unit ?? ''}`;
  return { 'Object Lock': enabled ? 'On' : 'Off', 'Default retention': period };
}
