import { timeAt } from '../../../ui/clock.js';
import { call } from '../../../ui/api.js';
import { confirmed, el } from '../../../ui/dom.js';
import { card, table } from '../../../ui/parts.js';
import { operators } from './control.js';
import * as views from './views.js';
import { LOOKS } from './run-nodes.js';
import type { DeployHistory } from '../answers.js';

type Row = DeployHistory['runs'][number];

/** The history of runs, and the way back. */
export class HistoryPanel {
  element = el('div', { className: 'deploy-panel' });
  #ways;

  constructor(ways: views.Ways) {
    this.#ways = ways;
  }

  open() {
    return views.show(this.element, async () => {
      const [{ runs }, people] = await Promise.all([
        call('GET', '/deploy/api/history'),
        operators(),
      ]);
      if (runs.length === 0) {
        return [
          views.emptyState(
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
        views.timeColumn('Started', 'created_unix_s'),
        views.badgeColumn('State', 'state', ({ state }) => [state, LOOKS[state] ?? '']),
        { title: 'By', value: (row) => people[row.id] ?? row.actor },
        { title: 'Nodes', value: (row) => row.nodes, number: true },
        {
          title: 'Specification',
          value: (row) => row.spec_etag,
          cell: (row) => views.hash(row.spec_etag),
        },
        { title: 'Message', value: (row) => row.message },
        {
          title: 'Actions',
          value: (row) => row.id,
          cell: (row) => this.#actions(row, current),
        },
      ],
      runs,
    );
  }

  #actions(row: Row, current: string) {
    const id = views.shortHash(row.id.replace('run-', ''));
    const name = `${timeAt(row.created_unix_s, 'full')}, ${id}`;
    const way = (text: string, work: () => unknown) =>
      views.wayButton({ text, work, label: `${text}: ${name}` });
    const log = way('View log', () => this.#ways.onRun(row.id));
    const diff = way('View changes', () => this.#ways.onPlan(row.plan_id));
    const back = way('Roll back', () => this.#back(row));
    back.disabled = row.spec_etag === current;
    return el('span', { className: 'row' }, log, diff, back);
  }

  async #back(row: Row) {
    const text =
      "This creates a new plan from that run's specification. Nothing changes until you apply the plan.";
    if (await confirmed('Roll back', text, 'Create plan'))
      this.#ways.onPlanWish({ spec_etag: row.spec_etag });
  }
}
