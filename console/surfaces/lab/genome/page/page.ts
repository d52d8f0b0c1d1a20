import { call, raw } from '../../../../ui/api.js';
import { el } from '../../../../ui/dom.js';
import { fail } from '../../../../ui/shell.js';
import {
  card,
  download,
  field,
  fields,
  missingHere,
  numberInput,
  pageHead,
  row,
  select,
} from '../../page/ground.js';
import { runHead, runPage, startForm } from '../../../../ui/run-page.js';
import { frontView } from './front.js';
import type { GenomeRun } from '../genome-runs.js';

export const { mount, topics, onConnection } = runPage({
  head: pageHead,
  kind: 'lab.genome',
  listTitle: 'Searches',
  list: () => call('GET', '/lab/api/genome/runs'),
  read: (id) => call('GET', `/lab/api/genome/runs/${id}`, undefined, true),
  runOf: (run) => run,
  form: async (_, open) => {
    const missing = await missingHere();
    if (missing !== null) return missing;
    const { items } = await call('GET', '/lab/api/rings');
    const names = items.filter(({ name }) => name.startsWith('object')).map(({ name }) => name);
    return searchForm(names, open);
  },
  show: runView,
  columns: [
    { title: 'Ring', value: (row) => row.target },
    { title: 'Seed', value: (row) => row.params.options.seed, number: true },
  ],
});

function searchForm(rings: readonly string[], onStart: (id: string) => void) {
  const number = (name: string, value: number, max: string) =>
    numberInput(name, value, { min: '0', max, step: 'any' });
  const controls = {
    ring: select(
      'ring',
      rings.map((name) => [name, name] as const),
    ),
    population: number('population', 40, '100'),
    generations: number('generations', 40, '60'),
    overload: number('overload', 0, '100'),
    seed: number('seed', 1, '4294967295'),
    lower: number('lower', 0.5, '1'),
    upper: number('upper', 2, '20'),
    device: number('device', 0.4, '1'),
    server: number('server', 0.3, '1'),
    zone: number('zone', 0.2, '1'),
    pair: number('pair', 0.1, '1'),
  };
  const value = (control: HTMLInputElement) => Number(control.value);
  const content = [
    fields(
      field('Ring', controls.ring),
      field('Candidates', controls.population, '4 to 100'),
      field('Generations', controls.generations, '1 to 60'),
      field('Overload', controls.overload),
      field('Seed', controls.seed, 'the same seed gives the same candidates'),
    ),
    el(
      'details',
      {},
      el('summary', { textContent: 'Weight limits and failures' }),
      fields(
        field('Min weight', controls.lower, '× current weight'),
        field('Max weight', controls.upper, '× current weight'),
        field('Device failure', controls.device, 'relative importance'),
        field('Server failure', controls.server, 'relative importance'),
        field('Zone failure', controls.zone, 'relative importance'),
        field('Two devices fail', controls.pair, 'relative importance'),
      ),
    ),
    row(el('button', { className: 'primary', textContent: 'Search' })),
  ];
  const form = startForm(content, async () => {
    const { id } = await call('POST', '/lab/api/genome/runs', {
      ring: controls.ring.value,
      population: value(controls.population),
      generations: value(controls.generations),
      overload: value(controls.overload),
      seed: value(controls.seed),
      bounds: { lower_factor: value(controls.lower), upper_factor: value(controls.upper) },
      faults: {
        device: value(controls.device),
        server: value(controls.server),
        zone: value(controls.zone),
        pair: value(controls.pair),
      },
    });
    onStart(id);
  });
  return card('Search', form);
}

function runView(run: GenomeRun, isOver: boolean) {
  const { seed, generations } = run.params.options;
  const head = runHead(run, `${run.target}, seed ${seed}`);
  if (!isOver) return [card('Search', ...head, ...progressOf(run, generations))];
  return [
    card('Search', ...head),
    ...frontView(run, (candidate) => {
      raw('GET', `/lab/api/genome/runs/${run.id}/candidates/${candidate}/commands`)
        .then((answer) => answer.text())
        .then((text) => download(`${run.target}-weights.sh`, text, 'text/plain'))
        .catch(fail);
    }),
  ];
}

/** @param planned how many generations there will be */
function progressOf(run: GenomeRun, planned: number) {
  const { generation = 0, generations = planned, front = [] } = run.detail ?? {};
  const bar = el('progress', { max: generations, value: generation });
  bar.setAttribute('aria-label', 'Generations');
  const text = `Generation ${generation} of ${generations}: ${front.length} Pareto-optimal candidates.`;
  return [bar, el('p', { textContent: text })];
}
