import { call } from '../../../../ui/api.js';
import { el } from '../../../../ui/dom.js';
import {
  badge,
  card,
  field,
  fields,
  fill,
  input,
  keepInUrl,
  missingHere,
  note,
  numberInput,
  numberText,
  openPage,
  row,
  select,
  stack,
} from '../../page/ground.js';
import { comparisonReport } from './report.js';
import type { PolicyView } from '../page.js';

const CANDIDATES_MAX = 6;

/** Policies of the cluster beside hypothetical ones. */
export async function mount() {
  const chooser = el('div');
  const result = stack();
  openPage(chooser, result);
  await fill(chooser, async () => {
    const missing = await missingHere();
    if (missing !== null) return [missing];
    const { items } = await call('GET', '/lab/api/policies');
    const form = chooserForm(items, result);
    form.dataset.sendAtOnce = '';
    return [card('Compare', form)];
  });
}

function chooserForm(policies: readonly PolicyView[], result: HTMLElement) {
  const boxes = policies.map((policy, place) => {
    const box = el('input', {
      type: 'checkbox',
      name: `policy-${policy.index}`,
      checked: policy.ring !== null && place < CANDIDATES_MAX - 2,
      disabled: policy.ring === null,
    });
    const label = el('label', { className: 'check' }, box, `${policy.name} (${kindText(policy)})`);
    if (policy.is_default) label.append(badge('default', 'info'));
    if (policy.is_deprecated) label.append(badge('deprecated', 'warn'));
    if (policy.problem !== null) label.append(badge(policy.problem, 'crit'));
    return { policy, box, label };
  });
  const thought = [
    hypothetical('a', 'replication', 4, 2, 2),
    hypothetical('b', 'erasure_coding', 8, 4, 3),
  ];
  const afr = numberInput('afr', 2, { step: 'any', min: '0.01', max: '100' });
  const mttr = numberInput('mttr', 24, { step: 'any', min: '0.1', max: '8766' });
  const disk = numberInput('disk', 10, { step: 'any', min: '0.1', max: '1000' });
  const network = numberInput('net', 100, { step: 'any', min: '1', max: '100000' });
  const sizes = input('sizes', { value: '1024 65536 1048576 16777216 1073741824' });
  const objects = numberInput('n', 10, { min: '1', max: '50' });
  const bytes = numberInput('bytes', 65_536, { min: '0', max: '8388608' });
  const measure = el('button', { type: 'button', textContent: 'Compare and measure' });
  let isMeasured = false;
  /** Ends the measurement that goes on. */
  let ending: AbortController | null = null;
  // Enter in a field compares, and writes nothing.
  measure.onclick = () => {
    if (ending !== null) {
      ending.abort();
      return;
    }
    if (!form.reportValidity()) return;
    isMeasured = true;
    form.requestSubmit();
  };
  const form = el(
    'form',
    { className: 'lab-page' },
    el(
      'fieldset',
      {},
      el('legend', { textContent: 'Cluster policies' }),
      ...boxes.map(({ label }) => label),
    ),
    el(
      'fieldset',
      {},
      el('legend', { textContent: 'Hypothetical policies' }),
      ...thought.map(({ node }) => node),
    ),
    fields(
      field('Annual disk failure rate (%)', afr),
      field('Hours to restore a lost replica', mttr),
      field('Disk size (TB)', disk),
      field('Repair read throughput (MB/s)', network),
      field('Object sizes (bytes)', sizes, 'up to 12, separated by spaces'),
    ),
    el(
      'details',
      {},
      el('summary', { textContent: 'Measure cluster policies' }),
      fields(
        field('Objects', objects, '1 to 50 per policy'),
        field('Object size (bytes)', bytes, 'up to 8 MiB'),
        measure,
      ),
      note(
        'Objects are written and read back one at a time in a temporary container for each policy. The measurement stops after two minutes or when you leave the page.',
      ),
    ),
    row(el('button', { className: 'primary', textContent: 'Compare' })),
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const wanted = isMeasured;
    isMeasured = false;
    void fill(result, async () => {
      const candidates = [
        ...boxes.filter(({ box }) => box.checked).map(({ policy }) => ({ index: policy.index })),
        ...thought.flatMap(({ candidate }) => candidate()),
      ];
      const assumptions = {
        afr_pct: Number(afr.value),
        mttr_h: Number(mttr.value),
        object_bytes: sizes.value
          .split(/[\s,]+/)
          .filter(Boolean)
          .map(Number),
      };
      const pulse = wanted
        ? { measure: { n: Number(objects.value), bytes: Number(bytes.value) } }
        : {};
      const body = { candidates, assumptions, ...pulse };
      ending = wanted ? new AbortController() : null;
      if (wanted) measure.textContent = 'Stop measuring';
      try {
        const path = '/lab/api/policies/compare';
        const view = await call('POST', path, body, false, ending?.signal);
        const repair = { diskTb: Number(disk.value), networkMb: Number(network.value) };
        return comparisonReport(view, repair);
      } catch (error) {
        if (ending?.signal.aborted !== true) throw error;
        throw new Error('The measurement was stopped.', { cause: error });
      } finally {
        ending = null;
        measure.textContent = 'Compare and measure';
      }
    });
  });
  keepInUrl(form);
  return form;
}

/**
 * One line of the form for a policy that does not exist.
 *
 * @param id of its fields in the URL
 */
function hypothetical(
  id: string,
  kind: 'replication' | 'erasure_coding',
  dataFragments: number,
  parityFragments: number,
  copies: number,
) {
  const use = el('input', { type: 'checkbox', name: id, checked: true });
  const type = select(`${id}-type`, [
    ['replication', 'copies'],
    ['erasure_coding', 'erasure coding'],
  ]);
  type.value = kind;
  const number = (name: string, label: string, value: number) => {
    const made = numberInput(`${id}-${name}`, value, { min: '1', max: '64' });
    made.setAttribute('aria-label', label);
    return made;
  };
  const [k, m, replicas] = [
    number('k', 'Data fragments', dataFragments),
    number('m', 'Parity fragments', parityFragments),
    number('copies', 'Replicas', copies),
  ];
  const code = el('span', { className: 'row' }, k, '+', m);
  type.setAttribute('aria-label', 'Type');
  const show = () => {
    replicas.hidden = type.value !== 'replication';
    code.hidden = type.value === 'replication';
  };
  type.addEventListener('change', show);
  show();
  const node = el('label', { className: 'check' }, use, type, replicas, code);
  const candidate = (): readonly object[] => {
    if (!use.checked) return [];
    if (type.value === 'replication') {
      const count = Number(replicas.value);
      return [{ name: `${count} copies`, type: 'replication', replicas: count }];
    }
    const name = `${k.value}+${m.value}`;
    return [{ name, type: 'erasure_coding', k: Number(k.value), m: Number(m.value) }];
  };
  return { node, candidate };
}

function kindText({ type, k, m, ring }: PolicyView) {
  if (type === 'erasure_coding') return `erasure coding ${k}+${m}`;
  return ring === null ? 'replication' : `${numberText(ring.replicas)} replicas`;
}
