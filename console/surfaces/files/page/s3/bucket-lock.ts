import { call, query } from '../../../../ui/api.js';
import { ask, el } from '../../../../ui/dom.js';
import { may } from '../state.js';
import { typedName } from '../../../../ui/typed-name.js';
import { choice, factList, field, quiet } from './fields.js';
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
  const mode = choice(
    'Default retention for new versions',
    'mode',
    [
      ['', 'None'],
      ['GOVERNANCE', 'Governance: admins can bypass it'],
      ['COMPLIANCE', 'Compliance: no one can shorten or remove it'],
    ],
    given?.mode ?? '',
  );
  const count = field('Period', {
    ...{ type: 'number', min: '1', max: '36500', required: true },
    value: String(given?.count ?? 30),
  });
  const unit = choice(
    'Unit',
    'unit',
    [
      ['days', 'days'],
      ['years', 'years'],
    ],
    given?.unit ?? 'days',
  );
  const period = el('div', { className: 'pair' }, count.node, unit.node);
  const typed = typedName(name);
  const show = () => {
    period.hidden = mode.select.value === '';
    count.input.disabled = period.hidden;
    typed.need(!lock.enabled || mode.select.value === 'COMPLIANCE');
  };
  mode.select.addEventListener('change', show);
  show();
  const about = lock.enabled
    ? 'Changes apply only to new object versions.'
    : 'Object Lock prevents versions from being deleted. Once enabled, it cannot be disabled, and versioning cannot be suspended.';
  const nodes = [state, quiet(about), mode.node, period, typed.node];
  const save = () =>
    call('PUT', '/api/files/lock', {
      name,
      was: { enabled: lock.enabled, default_retention: given },
      default_retention:
        mode.select.value === ''
          ? null
          : {
              mode: mode.select.value,
              unit: unit.select.value,
              count: Number(count.input.value),
            },
      ...typed.given(),
    });
  // What cannot be undone is red.
  const options = { danger: !lock.enabled, again: () => showBucketLock(name) };
  await ask('Object Lock', nodes, lock.enabled ? 'Save' : 'Enable Object Lock', save, options);
}

/** @returns facts of it */
export function lockTexts({
  enabled,
  default_retention: given,
}: BucketLock): Record<string, string> {
  const unit = given?.count === 1 ? given.unit.replace(/s$/, '') : given?.unit;
  const period =
    given === null ? 'None' : `${given.mode.toLowerCase()}, ${given.count} ${unit ?? ''}`;
  return { 'Object Lock': enabled ? 'On' : 'Off', 'Default retention': period };
}
