import { ChartFigure } from '../../../../ui/charts/figure.js';
import { parallelCoordinates } from '../../../../ui/charts/parallel.js';
import { scatterChart } from '../../../../ui/charts/scatter.js';
import { el } from '../../../../ui/dom.js';
import { call } from '../../../../ui/api.js';
import { fail } from '../../../../ui/shell.js';
import {
  badge,
  card,
  field,
  fields,
  note,
  numbers,
  numberText,
  percentText,
  plainButton,
  row,
  select,
  setViewState,
  stack,
  tableOf,
  viewState,
} from '../../page/ground.js';
import { handedOver } from '../../rings/page/to-deploy.js';
import { weightsText } from '../../rings/page/what-if.js';
import type { GenomeRun } from '../genome-runs.js';
import type { Candidate, CandidateMetrics } from '../search.js';
import type { RingReport } from '../../rings/ring-report.js';

const OBJECTIVES: readonly (readonly [
  title: string,
  value: (metrics: CandidateMetrics) => number,
  digits: number,
])[] = [
  ['Moved (%)', ({ moved_pct: pct }) => pct, 2],
  ['Availability (%)', ({ availability }) => 100 * availability, 3],
  ['Wasted capacity (%)', ({ waste_pct: pct }) => pct, 2],
  ['Largest overlap of two devices (%)', ({ shared_pct: pct }) => pct, 2],
];

/** The candidates of a search, and what the chosen one changes. */
export function frontView(
  { result, params }: GenomeRun,
  onCommands: (candidate: number) => void,
): readonly Node[] {
  if (result === null) return [];
  const detail = stack();
  const rows = [{ ...result.baseline, id: -1, is_knee: false }, ...result.front];
  const { nodes, pick } = charts(rows);
  const show = (candidate: Candidate) => {
    pick(candidate.id);
    detail.replaceChildren(
      weightsCard(result.baseline, candidate, onCommands, ways(params, result.baseline, candidate)),
    );
  };
  const choose = (candidate: Candidate) => {
    setViewState({ ...viewState(), candidate: String(candidate.id) });
    show(candidate);
  };
  const wanted = viewState().candidate;
  const first =
    result.front.find(({ id }) => String(id) === wanted) ??
    result.front.find(({ is_knee: isKnee }) => isKnee);
  if (first !== undefined) show(first);
  return [
    ...nodes,
    card(
      `Best trade-offs: ${result.front.length} candidates`,
      tableOf('Candidates', rows, [
        {
          title: 'Candidate',
          value: (row) => (row.id === -1 ? 'current' : String(row.id)),
          cell: (row) => nameCell(row, choose),
        },
        ...OBJECTIVES.map(([title, value, digits]) =>
          numbers(
            title,
            ({ metrics }: Candidate) => value(metrics),
            (figure) => numberText(figure, digits),
          ),
        ),
        { title: 'Replicas moved', value: (row) => row.metrics.moved_parts, number: true },
      ]),
      note(
        `${numberText(result.evaluations)} sets of weights were evaluated with 2^${result.searched_part_power} partitions. The candidates were then re-evaluated with all partitions. Seed: ${result.seed}.`,
      ),
    ),
    detail,
  ];
}

/**
 * Two pictures of the same candidates: by two measures that can be chosen, and by all of them.
 *
 * @param rows the current weights have the id -1
 */
function charts(rows: readonly Candidate[]) {
  const choices = OBJECTIVES.map(([title], place) => [String(place), title] as const);
  const [across, up] = [select('across', choices), select('up', choices)];
  const isPlace = (text: string) => choices.some(([place]) => place === text);
  const { across: givenAcross = '', up: givenUp = '' } = viewState();
  across.value = isPlace(givenAcross) ? givenAcross : '0';
  up.value = isPlace(givenUp) ? givenUp : '1';
  let picked = rows.find(({ is_knee: isKnee }) => isKnee)?.id ?? -1;
  const nameOf = ({ id, is_knee: isKnee }: Candidate) =>
    id === -1 ? 'current' : isKnee ? `${id} (best compromise)` : String(id);
  const axis = (place: string) => {
    const [title = '', value = () => 0] = OBJECTIVES[Number(place)] ?? [];
    return { title, value, format: (figure: number) => numberText(figure, 3) };
  };
  const scatter = () => {
    const [x, y] = [axis(across.value), axis(up.value)];
    return scatterChart({
      points: rows.map((row) => ({
        name: nameOf(row),
        x: x.value(row.metrics),
        y: y.value(row.metrics),
        series: row.id === -1 ? 1 : 0,
        marked: row.id === picked || row.id === -1,
      })),
      x,
      y,
      series: ['candidates', 'current'],
    });
  };
  const parallel = () =>
    parallelCoordinates({
      axes: OBJECTIVES.map(([name]) => ({ name, format: (value) => numberText(value, 3) })),
      lines: rows.map((row) => ({
        name: nameOf(row),
        values: OBJECTIVES.map(([, value]) => value(row.metrics)),
        picked: row.id === picked,
      })),
    });
  const figures = {
    scatter: new ChartFigure('Candidates by two metrics', scatter()),
    parallel: new ChartFigure('Candidates by all metrics', parallel()),
  };
  const draw = () => {
    figures.scatter.show(scatter());
    figures.parallel.show(parallel());
  };
  for (const control of [across, up])
    control.addEventListener('change', () => {
      setViewState({ ...viewState(), across: across.value, up: up.value });
      draw();
    });
  const pick = (id: number) => {
    picked = id;
    draw();
  };
  const controls = fields(field('X axis', across), field('Y axis', up));
  return { nodes: [controls, figures.scatter.element, figures.parallel.element], pick };
}

function nameCell(candidate: Candidate, choose: (candidate: Candidate) => void) {
  const { id, is_knee: isKnee } = candidate;
  if (id === -1) return badge('current');
  const button = plainButton(`Candidate ${id}`, () => choose(candidate));
  return isKnee ? row(button, badge('best compromise', 'ok')) : button;
}

/** Where the weights of a candidate can be taken to. */
function ways(
  { ring, options }: GenomeRun['params'],
  baseline: Omit<Candidate, 'id' | 'is_knee'>,
  candidate: Candidate,
): readonly Node[] {
  const changes = Object.entries(candidate.weights)
    .filter(([id, weight]) => weight !== baseline.weights[id])
    .map(([id, weight]) => ({ kind: 'set_weight', id: Number(id), weight }) as const);
  const state = new URLSearchParams({ ring, tab: 'whatif', weights: weightsText(changes) });
  const tryIt = el('a', { href: `/lab/rings?${state}`, textContent: 'Simulate in RingScope' });
  const send = el('button', {
    textContent: 'Send to Deploy',
    onclick: () => {
      call('GET', `/lab/api/rings/${ring}`)
        .then((answer) => {
          const report = answer as RingReport;
          const { devices, part_power, replicas } = report;
          const { overload } = options;
          return handedOver({ ring, devices, part_power, replicas, changes, overload });
        })
        .catch(fail);
    },
  });
  return [send, tryIt];
}

/** @param more buttons */
function weightsCard(
  baseline: Omit<Candidate, 'id' | 'is_knee'>,
  candidate: Candidate,
  onCommands: (candidate: number) => void,
  more: readonly Node[],
) {
  const rows = Object.entries(candidate.weights).map(([id, weight]) => ({
    id,
    before: baseline.weights[id] ?? 0,
    weight,
    partsBefore: baseline.parts[id] ?? 0,
    parts: candidate.parts[id] ?? 0,
  }));
  const commands = el('button', {
    textContent: 'Download commands',
    onclick: () => onCommands(candidate.id),
  });
  return card(
    `Weights of candidate ${candidate.id}`,
    row(commands, ...more),
    tableOf(`Weights of candidate ${candidate.id}`, rows, [
      { title: 'Device', value: (row) => row.id, number: true },
      { title: 'Current weight', value: (row) => row.before, number: true },
      { title: 'New weight', value: (row) => row.weight, number: true },
      numbers('Change', (row) => row.weight / row.before - 1, percentText),
      { title: 'Current partitions', value: (row) => row.partsBefore, number: true },
      { title: 'Partitions', value: (row) => row.parts, number: true },
    ]),
  );
}
