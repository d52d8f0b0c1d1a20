import { call } from '../../../../ui/api.js';
import { el } from '../../../../ui/dom.js';
import {
  card,
  field,
  fields,
  input,
  note,
  numberInput,
  pageHead,
  row,
  select,
} from '../../page/ground.js';
import { runHead, runPage, startForm } from '../../../../ui/run-page.js';
import { findingTable, matrixTable, summaryOf } from './findings.js';
import type { ShadowRunsView as RunsView } from '../page.js';
import type { ShadowWholeRun as Run } from '../shadow-runs.js';

const OPERATORS = [
  ['header', 'Headers'],
  ['path', 'Paths'],
  ['query', 'Query strings'],
  ['method', 'Methods'],
  ['body', 'Bodies'],
  ['length', 'Lengths and encodings'],
  ['step', 'Request order'],
] as const;

export const { mount, topics, onConnection } = runPage({
  head: pageHead,
  kind: 'lab.shadow',
  listTitle: 'Runs',
  list: () => call('GET', '/lab/api/shadow/runs', undefined, true),
  read: (id) => call('GET', `/lab/api/shadow/runs/${id}`, undefined, true),
  runOf: (run) => run,
  form: caseForm,
  show: runView,
  columns: [
    { title: 'Mode', value: (row) => row.params.mode },
    { title: 'Seed', number: true, value: (row) => row.params.seed },
    { title: 'Cases', number: true, value: (row) => row.params.cases },
  ],
});

function caseForm({ modes, peer }: RunsView, onStart: (id: string) => void) {
  const names = {
    single: 'This cluster only',
    dual: `This cluster and ${peer} (Swift)`,
    s3: `Gateway and ${peer} (S3)`,
  };
  const open = modes.filter(({ needs }) => needs === null);
  const mode = select(
    'mode',
    open.map((one) => [one.mode, names[one.mode]] as const),
  );
  const best = open.at(-1)?.mode;
  if (best !== undefined) mode.value = best;
  const seed = numberInput('seed', 1, { min: '0', max: '4294967295' });
  const cases = numberInput('cases', 100, { min: '1', max: '5000' });
  const boxes = OPERATORS.map(([name, text]) => {
    const box = input(name, { type: 'checkbox', checked: true });
    return { name, box, label: el('label', { className: 'check' }, box, text) };
  });
  const missing = modes.flatMap((one) =>
    one.needs === null ? [] : [`${names[one.mode]}: requires ${one.needs}.`],
  );
  const content = [
    fields(
      field('Compare', mode),
      field('Seed', seed, 'the same seed sends the same requests'),
      field('Cases', cases, '1 to 5000'),
    ),
    el(
      'fieldset',
      {},
      el('legend', { textContent: 'Mutations' }),
      row(...boxes.map(({ label }) => label)),
    ),
    row(el('button', { className: 'primary', textContent: 'Start', disabled: open.length === 0 })),
    ...(missing.length === 0 ? [] : [note(missing.join(' '))]),
  ];
  const form = startForm(content, async () => {
    const { id } = await call('POST', '/lab/api/shadow/runs', {
      mode: mode.value,
      seed: Number(seed.value),
      cases: Number(cases.value),
      operators: boxes.filter(({ box }) => box.checked).map(({ name }) => name),
    });
    onStart(id);
  });
  return card('Compare', form);
}

function runView(run: Run) {
  const { params } = run;
  const sides = params.b === null ? params.a : `${params.a} and ${params.b}`;
  const head = runHead(run, `${sides}, seed ${params.seed}`);
  const view = run.result ?? run.detail;
  if (view === null) return [card('Run', ...head)];
  // Runs of a former release have no such word.
  const problems = view.problem ? [el('p', { className: 'error', textContent: view.problem })] : [];
  return [
    card('Run', ...head, ...problems, summaryOf(view, params.cases)),
    findingTable(view, params),
    matrixTable(view),
  ];
}
