import { el } from '../../../../ui/dom.js';
import { choice, field } from './fields.js';
import type { DefaultRetention } from '../../s3/bucket-lock.js';

/** The modes of a retention, and what each means. */
export const LOCK_MODES = [
  ['', 'None'],
  ['GOVERNANCE', 'Governance: admins can bypass it'],
  ['COMPLIANCE', 'Compliance: no one can shorten or remove it'],
] as const;

/** The fields of the retention that new versions of a bucket begin with. */
export function retentionFields(given: DefaultRetention | null) {
  const title = 'Default retention for new versions';
  const mode = choice(title, 'mode', LOCK_MODES, given?.mode ?? '');
  const count = field('Period', {
    ...{ type: 'number', min: '1', max: '36500', required: true },
    value: String(given?.count ?? 30),
  });
  const units = ['days', 'years'].map((one) => [one, one] as const);
  const unit = choice('Unit', 'unit', units, given?.unit);
  const period = el('div', { className: 'pair' }, count.node, unit.node);
  const show = () => {
    period.hidden = mode.select.value === '';
    count.input.disabled = period.hidden;
  };
  mode.select.addEventListener('change', show);
  show();
  return {
    nodes: [mode.node, period],
    mode: mode.select,
    given: () =>
      mode.select.value === ''
        ? null
        : { mode: mode.select.value, unit: unit.select.value, count: Number(count.input.value) },
  };
}
