import { call } from '../../../js/api.js';
import { barChart } from '../../../js/charts/bars.js';
import { ChartFigure } from '../../../js/charts/figure.js';
import { $, bytesText, el } from '../../../js/dom.js';
import {
  badge,
  card,
  field,
  fill,
  input,
  numberText,
  pageHead,
  percentText,
  select,
  table,
} from '../ground.js';

/**
 * @typedef {import('../../../../surfaces/lab/policies/page.js').PolicyView} PolicyView
 * @typedef {import('../../../../surfaces/lab/policies/page.js').ComparisonView} ComparisonView
 * @typedef {import('../../../../surfaces/lab/policies/page.js').ComparedPolicy} PolicyRow
 */

const CANDIDATES_MAX = 6;

/** Policies of the cluster beside others that are only thought of. */
export async function mount() {
  const main = $('#main');
  main.classList.add('lab-page');
  const chooser = el('div');
  const result = el('div', { className: 'lab-page' });
  main.append(
    pageHead('Policy compare', 'What storage policies cost, and what they survive.'),
    chooser,
    result,
  );
  await fill(chooser, async () => {
    const { items } = await call('GET', '/lab/api/policies');
    const form = chooserForm(items, result);
    form.dataset.sendAtOnce = '';
    return [card('Compare', form)];
  });
}

/**
 * @param {readonly PolicyView[]} policies
 * @param {HTMLElement} result
 */
function chooserForm(policies, result) {
  const boxes = policies.map((policy, place) => {
    const box = el('input', {
      type: 'checkbox',
      checked: policy.ring !== null && place < CANDIDATES_MAX - 2,
      disabled: policy.ring === null,
    });
    const label = el('label', { className: 'check' }, box, `${policy.name} (${kindText(policy)})`);
    if (policy.is_default) label.append(badge('default', 'info'));
    if (policy.is_deprecated) label.append(badge('deprecated', 'warn'));
    if (policy.problem !== null) label.append(badge(policy.problem, 'crit'));
    return { policy, box, label };
  });
  const thought = [thoughtOf('replication', 4, 2, 3), thoughtOf('erasure_coding', 8, 4, 3)];
  const afr = input('afr', { type: 'number', step: 'any', min: '0.01', max: '100', value: '2' });
  const mttr = input('mttr', { type: 'number', step: 'any', min: '0.1', max: '8766', value: '24' });
  const sizes = input('sizes', { value: '1024 65536 1048576 16777216 1073741824' });
  const objects = input('n', { type: 'number', min: '1', max: '50', value: '10' });
  const bytes = input('bytes', { type: 'number', min: '0', max: '8388608', value: '65536' });
  const measure = el('button', { type: 'button', textContent: 'Compare and measure' });
  let isMeasured = false;
  // Enter in a field compares, and writes nothing.
  measure.onclick = () => {
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
      el('legend', { textContent: 'Policies of the cluster' }),
      ...boxes.map(({ label }) => label),
    ),
    el(
      'fieldset',
      {},
      el('legend', { textContent: 'Policies that are only thought of' }),
      ...thought.map(({ node }) => node),
    ),
    el(
      'div',
      { className: 'lab-form' },
      field('Disks that fail in a year (%)', afr),
      field('Hours until a lost copy is whole again', mttr),
      field('Sizes of objects (bytes)', sizes, 'up to twelve, with blanks between them'),
    ),
    el(
      'details',
      {},
      el('summary', { textContent: 'Measure the policies of the cluster' }),
      el(
        'div',
        { className: 'lab-form' },
        field('Objects', objects, '1 to 50 of each policy'),
        field('Bytes of each', bytes, 'at most 8 MiB'),
        measure,
      ),
      el('p', {
        className: 'lab-note',
        textContent:
          'Objects are written and read again, one after the other, in a container of each policy that is deleted afterwards.',
      }),
    ),
    el('div', { className: 'row' }, el('button', { className: 'primary', textContent: 'Compare' })),
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
      return shown(await call('POST', '/lab/api/policies/compare', body));
    });
  });
  return form;
}

/**
 * One line of the form for a policy that does not exist.
 *
 * @param {'replication' | 'erasure_coding'} kind
 * @param {number} dataFragments
 * @param {number} parityFragments
 * @param {number} copies
 */
function thoughtOf(kind, dataFragments, parityFragments, copies) {
  const use = el('input', { type: 'checkbox', checked: true });
  const type = select('type', [
    ['replication', 'copies'],
    ['erasure_coding', 'erasure code'],
  ]);
  type.value = kind;
  const number = (/** @type {string} */ label, /** @type {number} */ value) => {
    const made = input('', { type: 'number', min: '1', max: '64', value: String(value) });
    made.setAttribute('aria-label', label);
    return made;
  };
  const [k, m, replicas] = [
    number('Data fragments', dataFragments),
    number('Parity fragments', parityFragments),
    number('Copies', copies),
  ];
  const code = el('span', { className: 'row' }, k, '+', m);
  type.setAttribute('aria-label', 'Kind');
  const show = () => {
    replicas.hidden = type.value !== 'replication';
    code.hidden = type.value === 'replication';
  };
  type.addEventListener('change', show);
  show();
  const node = el('label', { className: 'check' }, use, type, replicas, code);
  /** @returns {readonly object[]} */
  const candidate = () => {
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

/** @param {PolicyView} policy */
function kindText({ type, k, m, ring }) {
  if (type === 'erasure_coding') return `erasure code ${k}+${m}`;
  return ring === null ? 'replication' : `${numberText(ring.replicas)} copies`;
}

/** @type {readonly (readonly [label: string, value: (row: PolicyRow) => string, hint?: string])[]} */
const LINES = [
  ['Stored for each byte', (row) => `${numberText(row.overhead_ratio)}×`, 'large objects'],
  ['Files of an object', (row) => numberText(row.replicas)],
  ['Needed to write', (row) => String(row.write_quorum), 'before a PUT is acknowledged'],
  ['Needed to read', (row) => String(row.read_need)],
  [
    'Losses survived',
    (row) => String(row.survives_losses),
    'whichever copies or fragments they are',
  ],
  ['Devices needed', (row) => String(row.min_devices)],
  ['Most in one zone', (row) => optional(row.max_replicas_per_zone)],
  ['A zone away: readable', (row) => yesNo(row.zone_loss?.readable)],
  ['A zone away: writable', (row) => yesNo(row.zone_loss?.writable), 'by primaries alone'],
  ['Loss in a year, one partition', (row) => row.loss_prob_year.toExponential(2), 'model'],
  [
    'Loss in a year, all partitions',
    (row) => row.cluster_loss_prob_year.toExponential(2),
    'model, upper bound',
  ],
  ['Nines', (row) => numberText(row.nines), 'model, one partition'],
  ['Bytes sent for a PUT', (row) => bytesText(row.put.wire_bytes), 'of the largest size'],
  ['Object servers of a PUT', (row) => String(row.put.backend_puts)],
  ['Updates of the container', (row) => String(row.put.container_updates)],
  ['Connections of a GET', (row) => String(row.get.backend_conns)],
  ['Read to repair a byte', (row) => `${row.repair_read_amp}×`],
];

/** @type {typeof LINES} */
const MEASURED_LINES = [
  ['PUT, p50', (row) => msText(row, row.measured?.put_p50_ms), 'measured'],
  ['PUT, p95', (row) => msText(row, row.measured?.put_p95_ms), 'measured'],
  ['GET, p50', (row) => msText(row, row.measured?.get_p50_ms), 'measured'],
  ['GET, p95', (row) => msText(row, row.measured?.get_p95_ms), 'measured'],
  ['Failed requests', (row) => (row.measured === null ? '–' : String(row.measured.errors))],
];

/**
 * @param {PolicyRow} row
 * @param {number | null | undefined} ms
 */
function msText({ index, measure_problem: problem }, ms) {
  if (index === null) return 'not in the cluster';
  return ms === null || ms === undefined ? (problem ?? 'unknown') : `${numberText(ms)} ms`;
}

/** @param {ComparisonView} view */
function shown({ rows, assumptions }) {
  const isMeasured = rows.some((row) => row.measured !== null || row.measure_problem !== null);
  const lines = [...LINES, ...(isMeasured ? MEASURED_LINES : [])].map(([label, value, hint]) => ({
    label,
    hint,
    values: rows.map(value),
  }));
  const columns = rows.map((row, place) => ({
    title: row.index === null ? `${row.name} (not in the cluster)` : row.name,
    value: (/** @type {{ readonly values: readonly string[] }} */ line) =>
      line.values[place] ?? null,
    number: true,
  }));
  const sizes = (rows[0]?.overhead_by_size ?? []).map(({ bytes }, place) => ({ bytes, place }));
  const inexact = rows.filter(({ is_exact: isExact }) => !isExact).map(({ name }) => name);
  const bars = (/** @type {string} */ title, /** @type {(row: PolicyRow) => number} */ value) =>
    new ChartFigure(
      title,
      barChart({ items: rows.map((row) => ({ name: row.name, value: value(row) })) }),
    ).element;
  return [
    el(
      'div',
      { className: 'lab-columns' },
      bars('Stored for each byte', (row) => row.overhead_ratio),
      bars('Nines of durability (model)', (row) => row.nines),
    ),
    card(
      'Side by side',
      table(
        'Policies',
        [
          {
            title: 'Measure',
            value: (line) => line.label,
            cell: (line) =>
              el(
                'span',
                {},
                line.label,
                ...(line.hint === undefined
                  ? []
                  : [el('span', { className: 'quiet', textContent: ` (${line.hint})` })]),
              ),
          },
          ...columns,
        ],
        lines,
      ),
      el('p', {
        className: 'lab-note',
        textContent: `Durability is a model: disks fail independently of each other, ${assumptions.afr_pct} % of them in a year, and a copy is whole again after ${assumptions.mttr_h} h. It leaves out errors that nobody has found yet, and people.`,
      }),
    ),
    card(
      'Bytes on disk by size of the object',
      table(
        'Overhead by size',
        [
          { title: 'Object', value: (row) => row.bytes, cell: (row) => bytesText(row.bytes) },
          ...rows.map((row) => ({
            title: row.name,
            value: (/** @type {{ readonly place: number }} */ size) =>
              row.overhead_by_size[size.place]?.stored_bytes ?? null,
            cell: (/** @type {{ readonly place: number }} */ size) =>
              storedText(row.overhead_by_size[size.place]),
            number: true,
          })),
        ],
        sizes,
      ),
      ...(inexact.length === 0
        ? []
        : [
            el('p', {
              className: 'lab-note',
              textContent: `About ${inexact.join(', ')}: the word size of the code is not known, so that sizes may be some bytes too small.`,
            }),
          ]),
    ),
  ];
}

/** @param {PolicyRow['overhead_by_size'][number] | undefined} size */
function storedText(size) {
  if (size === undefined) return '–';
  const stored = bytesText(size.stored_bytes);
  return size.ratio === null ? stored : `${stored} (${percentText(size.ratio, 0)})`;
}

/** @param {number | null} value */
function optional(value) {
  return value === null ? 'unknown' : String(value);
}

/** @param {boolean | undefined} value */
function yesNo(value) {
  if (value === undefined) return 'unknown';
  return value ? 'yes' : 'no';
}
