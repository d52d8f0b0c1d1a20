import { el } from '../../../js/dom.js';
import { badge, card, numberText, percentText, table } from '../ground.js';

/**
 * @typedef {import('../../../../surfaces/lab/genome/genome-runs.js').GenomeRun} GenomeRun
 * @typedef {import('../../../../surfaces/lab/genome/search.js').Candidate} Candidate
 * @typedef {import('../../../../surfaces/lab/genome/search.js').CandidateMetrics} CandidateMetrics
 */

/** @type {readonly (readonly [title: string, value: (metrics: CandidateMetrics) => number, shown: (metrics: CandidateMetrics) => string])[]} */
const OBJECTIVES = [
  ['Moved', ({ moved_pct: pct }) => pct, ({ moved_pct: pct }) => `${numberText(pct)} %`],
  [
    'Availability under faults',
    ({ availability }) => availability,
    ({ availability }) => percentText(availability, 3),
  ],
  ['Capacity wasted', ({ waste_pct: pct }) => pct, ({ waste_pct: pct }) => `${numberText(pct)} %`],
  [
    'Most that two devices share',
    ({ shared_pct: pct }) => pct,
    ({ shared_pct: pct }) => `${numberText(pct)} %`,
  ],
];

/**
 * The candidates of a search, and what the chosen one changes.
 *
 * @param {GenomeRun} run
 * @param {(candidate: number) => void} onCommands
 * @returns {readonly Node[]}
 */
export function frontView({ result }, onCommands) {
  if (result === null) return [];
  const detail = el('div', { className: 'lab-page' });
  const choose = (/** @type {Candidate} */ candidate) => {
    detail.replaceChildren(weightsCard(result.baseline, candidate, onCommands));
  };
  const rows = [{ ...result.baseline, id: -1, is_knee: false }, ...result.front];
  const knee = result.front.find(({ is_knee: isKnee }) => isKnee);
  if (knee !== undefined) choose(knee);
  return [
    card(
      `${result.front.length} candidates that no other beats in everything`,
      table(
        'Candidates',
        [
          {
            title: 'Candidate',
            value: (row) => (row.id === -1 ? 'as it is' : String(row.id)),
            cell: (row) => nameCell(row, choose),
          },
          ...OBJECTIVES.map(([title, value, shown]) => ({
            title,
            value: (/** @type {Candidate} */ row) => value(row.metrics),
            cell: (/** @type {Candidate} */ row) => shown(row.metrics),
            number: true,
          })),
          { title: 'Replicas moved', value: (row) => row.metrics.moved_parts, number: true },
        ],
        rows,
      ),
      el('p', {
        className: 'lab-note',
        textContent: `${numberText(result.evaluations)} sets of weights were tried with 2^${result.searched_part_power} partitions, and the candidates judged again with all of them. Seed ${result.seed}.`,
      }),
    ),
    detail,
  ];
}

/**
 * @param {Candidate} row
 * @param {(candidate: Candidate) => void} choose
 */
function nameCell(row, choose) {
  if (row.id === -1) return badge('as it is');
  const button = el('button', {
    className: 'plain',
    textContent: `Candidate ${row.id}`,
    onclick: () => choose(row),
  });
  return el(
    'span',
    { className: 'row' },
    button,
    ...(row.is_knee ? [badge('best compromise', 'ok')] : []),
  );
}

/**
 * @param {Omit<Candidate, 'id' | 'is_knee'>} baseline
 * @param {Candidate} candidate
 * @param {(candidate: number) => void} onCommands
 */
function weightsCard(baseline, candidate, onCommands) {
  const rows = Object.entries(candidate.weights).map(([id, weight]) => ({
    id,
    before: baseline.weights[id] ?? 0,
    weight,
    partsBefore: baseline.parts[id] ?? 0,
    parts: candidate.parts[id] ?? 0,
  }));
  const commands = el('button', {
    textContent: 'Download as commands',
    onclick: () => onCommands(candidate.id),
  });
  return card(
    `Weights of candidate ${candidate.id}`,
    el('div', { className: 'row' }, commands),
    table(
      `Weights of candidate ${candidate.id}`,
      [
        { title: 'Device', value: (row) => row.id, number: true },
        { title: 'Weight now', value: (row) => row.before, number: true },
        { title: 'Weight', value: (row) => row.weight, number: true },
        {
          title: 'Change',
          value: (row) => row.weight / row.before - 1,
          cell: (row) => percentText(row.weight / row.before - 1),
          number: true,
        },
        { title: 'Partitions now', value: (row) => row.partsBefore, number: true },
        { title: 'Partitions', value: (row) => row.parts, number: true },
      ],
      rows,
    ),
  );
}
