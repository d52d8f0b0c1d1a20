import { timeAt } from '../../../ui/clock.js';
import { barChart } from '../../../ui/charts/bars.js';
import { ChartFigure } from '../../../ui/charts/figure.js';
import { lineChart } from '../../../ui/charts/lines.js';
import { el } from '../../../ui/dom.js';
import { card, field, numberText, select } from '../../../ui/parts.js';
import type { BenchmarkRow as ResultRow } from '../results.js';
import type { BenchmarkRunRow as RunRow } from '../runs.js';

/** The name of a row of results. */
export function nameOf({ op, target }: ResultRow) {
  return target === '' || target === 'ringway' || target === 'target' ? op : `${op} (${target})`;
}

/** @param row of the same in another run */
function keyOf({ op, target, concurrency }: ResultRow) {
  return `${op} ${target} ${concurrency}`;
}

/**
 * Charts of two runs beside each other, and of all runs of a profile.
 *
 * @param runs with results, the newest first
 */
export function comparison(runs: readonly RunRow[]) {
  const label = (run: RunRow) => `${run.params.title}, ${timeAt(run.started_unix_s, 'full')}`;
  const choices = runs.map((run) => [run.id, label(run)] as const);
  const [now, before] = [select('run', choices), select('before', choices)];
  before.value = runs[1]?.id ?? '';
  const place = el('div', { className: 'lab-columns' });
  let drawn: ChartFigure[] = [];
  const draw = () => {
    for (const figure of drawn) figure.destroy();
    const find = (id: string) => runs.find((run) => run.id === id);
    const [run, other] = [find(now.value), find(before.value)];
    if (run === undefined || other === undefined) return;
    drawn = [
      new ChartFigure(
        'Operations per second',
        sideBySide(run, other, (row) => row.ops_per_s, '/s'),
      ),
      new ChartFigure(
        'p99',
        sideBySide(run, other, (row) => row.p99_ms, ' ms'),
      ),
      new ChartFigure(
        `${run.params.title}: operations per second by run`,
        course(runs, run.params.profile),
      ),
    ];
    place.replaceChildren(...drawn.map(({ element }) => element));
  };
  now.addEventListener('change', draw);
  before.addEventListener('change', draw);
  draw();
  return el(
    'div',
    { className: 'lab-page' },
    card(
      'Compare',
      el('div', { className: 'lab-form' }, field('Run', now), field('Compare with', before)),
    ),
    place,
  );
}

function sideBySide(
  run: RunRow,
  other: RunRow,
  figure: (row: ResultRow) => number | null,
  unit: string,
) {
  const former = new Map(other.rows.map((row) => [keyOf(row), row]));
  return barChart({
    columns: ['Operation', `Value${unit}`],
    format: (value) => `${numberText(value, 1)}${unit}`,
    items: run.rows.flatMap((row) => {
      const beside = former.get(keyOf(row));
      const name = `${nameOf(row)} c=${row.concurrency}`;
      return [
        { name, value: figure(row), tone: 0 },
        {
          name: `${name}, before`,
          value: beside === undefined ? null : figure(beside),
          tone: 'quiet',
        },
      ];
    }),
  });
}

/** @param runs the newest first */
function course(runs: readonly RunRow[], profile: string) {
  const same = runs.filter((run) => run.params.profile === profile).toReversed();
  const keys = [...new Set(same.flatMap(({ rows }) => rows.map(keyOf)))].slice(0, 8);
  return lineChart({
    x: { title: 'Run', format: (at) => (Number.isInteger(at) ? String(at) : '') },
    y: { title: 'Operations per second', format: (value) => numberText(value, 0) },
    series: keys.map((key) => ({
      name: key,
      points: same.map(({ rows }, at) => ({
        x: at + 1,
        y: rows.find((row) => keyOf(row) === key)?.ops_per_s ?? null,
      })),
    })),
  });
}
