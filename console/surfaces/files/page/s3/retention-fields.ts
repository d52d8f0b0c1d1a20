import { el } from '../../../../ui/dom.js';
import { choice, field } from './fields.js';
import type { DefaultRetention } from '../../s3/bucket-lock.js';

/** The fields of the retention that new versions of a bucket begin with. */
export function retentionFields(given: DefaultRetention | null) {
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
        : {
            mode: mode.select.value,
            unit: unit.select.value,
            count: Number(count.input.value),
          },
  };
}
