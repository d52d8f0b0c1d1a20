import { call } from '../../../../ui/api.js';
import { ChartFigure } from '../../../../ui/charts/figure.js';
import { el } from '../../../../ui/dom.js';
import { fail } from '../../../../ui/shell.js';
import { card, field, input, pageHead } from '../../page/ground.js';
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
  const number = (name: string, value: string, min: string, max: string) =>
    input(name, { type: 'number', min, max, value });
  const controls = {
    count: number('count', '8', '1', '50'),
    first_s: number('first_s', '5', '2', '3600'),
    step_s: number('step_s', '5', '0', '600'),
    bytes: number('bytes', '1024', '0', '1048576'),
    watch_s: number('watch_s', '3600', '10', '21600'),
    expirer_s: number('expirer_s', '720', '10', '21600'),
  };
  const content = [
    el(
      'div',
      { className: 'lab-form' },
      field('Objects', controls.count, '1 to 50'),
      field('First expiry', controls.first_s, 'seconds from now'),
      field('Interval between expiries', controls.step_s, 'seconds'),
      field('Object size (bytes)', controls.bytes),
      field('Watch for', controls.watch_s, 'seconds after the last expiry'),
      field('Expirer overdue after', controls.expirer_s, 'seconds'),
    ),
    el(
      'div',
      { className: 'row' },
      el('button', { className: 'primary', textContent: 'Start observation' }),
    ),
  ];
  const form = startForm(content, async () => {
    const values = Object.entries(controls).map(([name, { value }]) => [name, Number(value)]);
    const { id } = await call('POST', '/lab/api/expired/runs', Object.fromEntries(values));
    onStart(id);
  });
  return card('Expiring test objects', form);
}

/** Made once, and drawn anew for each look. */
let lanes: ChartFigure | undefined;

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
  const chart = lanesOf(view);
  if (lanes === undefined) lanes = new ChartFigure('Object timeline', chart);
  else lanes.show(chart);
  return [
    card('Run', ...head, summaryOf(view)),
    findings(view),
    lanes.element,
    objectTable(run, view, isOver),
  ];
}
