import { timeAt } from '../../../ui/clock.js';
import { call } from '../../../ui/api.js';
import { confirmed, el } from '../../../ui/dom.js';
import { badge, card, table } from '../../../ui/parts.js';
import { timeElement } from '../../../ui/times.js';
import { emptyState, operators, shortHash, show, wayButton } from './control.js';
import type { DeployHistory } from '../answers.js';

type Row = DeployHistory['runs'][number];

const LOOKS: Record<Row['state'], 'ok' | 'warn' | 'crit' | 'info'> = {
  running: 'info',
  succeeded: 'ok',
  failed: 'crit',
  cancelled: 'warn',
  partial: 'crit',
};

/** The history of runs, and the way back. */
export class HistoryPanel {
  element = el('div', { className: 'deploy-panel' });
  #ways;

  /**
   * @param ways called when a run or a plan is to be shown, and when an earlier specification is
   *   planned
   */
  constructor(ways: {
    onRun: (id: string) => void;
    onPlan: (id: string) => void;
    onBack: (wish: { spec_etag: string }) => void;
  }) {
    this.#ways = ways;
  }

  open() {
    return show(this.element, async () => {
      const [{ runs }, people] = await Promise.all([
        call('GET', '/deploy/api/history'),
        operators(),
      ]);
      if (runs.length === 0) {
        return [
          emptyState(
            'history',
            'No plan has been applied yet',
            'Each run is listed here with its plan and specification.',
          ),
        ];
      }
      // A run that did not succeed has left something: then there is a way back to what is in force, too.
      const [last] = runs;
      const current = last?.state === 'succeeded' ? last.spec_etag : '';
      return [card('Runs, newest first', this.#table(runs, current, people))];
    });
  }

  /**
   * @param current entity tag of the specification that all nodes have; empty for none
   * @param people who began runs, by their ids
   */
  #table(runs: readonly Row[], current: string, people: Readonly<Record<string, string>>) {
    return table(
      'Runs',
      [
        {
          title: 'Started',
          value: (row) => new Date(1000 * row.created_unix_s).toISOString(),
          cell: (row) => timeElement(1000 * row.created_unix_s),
        },
        {
          title: 'State',
          value: (row) => row.state,
          cell: (row) => badge(row.state, LOOKS[row.state]),
        },
        { title: 'By', value: (row) => people[row.id] ?? row.actor },
        { title: 'Nodes', value: (row) => row.nodes, number: true },
        {
          title: 'Specification',
          value: (row) => row.spec_etag,
          cell: (row) =>
            el('code', { textContent: shortHash(row.spec_etag), title: row.spec_etag }),
        },
        { title: 'Message', value: (row) => row.message },
        {
          title: 'Actions',
          value: (row) => row.id,
          cell: (row) => {
            const log = wayButton({ text: 'View log', work: () => this.#ways.onRun(row.id) });
            const diff = wayButton({
              text: 'View changes',
              work: () => this.#ways.onPlan(row.plan_id),
            });
            const back = wayButton({ text: 'Roll back', work: () => this.#back(row) });
            back.disabled = row.spec_etag === current;
            const name = timeAt(row.created_unix_s, 'full');
            for (const one of [log, diff, back]) {
              one.setAttribute(
                'aria-label',
                `${one.textContent}: ${name}, ${shortHash(row.id.replace('run-', ''))}`,
              );
            }
            return el('span', { className: 'row' }, log, diff, back);
          },
        },
      ],
      runs,
    );
  }

  async #back(row: Row) {
    const text =
      "This creates a new plan from that run's specification. Nothing changes until you apply the plan.";
    if (await confirmed('Roll back', text, 'Create plan'))
      this.#ways.onBack({ spec_etag: row.spec_etag });
  }
}
