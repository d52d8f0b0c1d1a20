import { call } from '../../../../ui/api.js';
import { el } from '../../../../ui/dom.js';
import { fail } from '../../../../ui/shell.js';
import { Charts } from '../../page/charts.js';
import { card, field, fields, numberInput, pageHead, row } from '../../page/ground.js';
import { runHead, runPage, startForm } from '../../../../ui/run-page.js';
import { findings, lanesOf, objectTable, summaryOf } from './view.js';
import type { ExpiredRun } from '../expired-runs.js';

export const { mount, topics, onConnection } = runPage({
  head: pageHead,
  kind: 'lab.expired',
  listTitle: 'Runs',
  list: () => call('GET', '/lab/api/expired/runs', undefined, true),
  read: (id) => call('GET', `/lab/api/expired/runs/${id}`, undefined, true),
  runOf: (run) => run,
  form: (_, open) => objectForm(open),
  show: runView,
  columns: [{ title: 'Container', value: (row) => row.target }],
});

function objectForm(onStart: (id: string) => void) {
  const controls = {
    count: numberInput('count', 8, { min: '1', max: '50' }),
    first_s: numberInput('first_s', 5, { min: '2', max: '3600' }),
    step_s: numberInput('step_s', 5, { min: '0', max: '600' }),
    bytes: numberInput('bytes', 1024, { min: '0', max: '1048576' }),
    watch_s: numberInput('watch_s', 3600, { min: '10', max: '21600' }),
    expirer_s: numberInput('expirer_s', 720, { min: '10', max: '21600' }),
  };
  const content = [
    fields(
      field('Objects', controls.count, '1 to 50'),
      field('First expiry', controls.first_s, 'seconds from now'),
      field('Interval between expiries', controls.step_s, 'seconds'),
      field('Object size (bytes)', controls.bytes),
      field('Watch for', controls.watch_s, 'seconds after the last expiry'),
      field('Expirer overdue after', controls.expirer_s, 'seconds'),
    ),
    row(el('button', { className: 'primary', textContent: 'Start observation' })),
  ];
  const form = startForm(content, async () => {
    const values = Object.entries(controls).map(([name, { value }]) => [name, Number(value)]);
    const { id } = await call('POST', '/lab/api/expired/runs', Object.fromEntries(values));
    onStart(id);
  });
  return card('Expiring test objects', form);
}

const charts = new Charts();

function runView(run: ExpiredRun, isOver: boolean) {
  const end = el('button', { textContent: 'Stop and keep results' });
  end.onclick = () => {
    end.disabled = true;
    call('POST', `/lab/api/expired/runs/${run.id}/finish`, {}).catch(fail);
  };
  const head = runHead(run, run.target, end);
  const view = run.result ?? run.detail;
  if (view === null) {
    const text = 'The run was stopped before it collected any data.';
    return [card('Run', ...head, ...(isOver ? [el('p', { textContent: text })] : []))];
  }
  return [
    card('Run', ...head, summaryOf(view)),
    findings(view),
    charts.draw('Object timeline', lanesOf(view)),
    objectTable(run, view, isOver),
  ];
}
