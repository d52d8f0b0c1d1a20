import { call } from '../../../ui/api.js';
import { el, shownText } from '../../../ui/dom.js';
import { badge, card, figures, table } from '../../../ui/parts.js';
import { timeElement } from '../../../ui/times.js';
import * as views from './views.js';
import type { DeployStatus as Status } from '../answers.js';

type NodeStatus = Status['nodes'][number];

const BADGES: Record<NodeStatus['state'], readonly [text: string, look: views.Look]> = {
  in_sync: ['in sync', 'ok'],
  drift: ['drift', 'crit'],
  unknown: ['unknown', 'warn'],
};

/** Whether nodes have what was installed. */
export class StatusPanel {
  element = el('div', { className: 'deploy-panel' });
  #ways;

  constructor(ways: views.Ways) {
    this.#ways = ways;
  }

  open() {
    return views.show(this.element, async () => {
      const status = await call('GET', '/deploy/api/status');
      const refresh = views.wayButton({ text: 'Check again', work: () => this.open() });
      return [
        card(
          'Summary',
          summary(status),
          el('div', { className: 'row end' }, ...this.#repair(status), refresh),
        ),
        ...this.#lock(status),
        ...this.#ramp(status),
        ...nodes(status),
      ];
    });
  }

  #repair({ nodes: all }: Status) {
    if (!all.some(({ state }) => state === 'drift')) return [];
    const work = () => this.#ways.onPlanWish({ repair: true });
    return [views.wayButton({ text: 'Plan repair', work, primary: true })];
  }

  #ramp({ ramp_id: ramp }: Status) {
    if (ramp === null || ramp === undefined) return [];
    return [
      views.bar(
        badge('ramp', 'info'),
        el('span', { textContent: 'A ramp is in progress.' }),
        views.gap(),
        views.wayButton({ text: 'View ramp', work: () => this.#ways.onRamp(ramp) }),
      ),
    ];
  }

  #lock({ lock }: Status) {
    if (lock === null) return [];
    const since = timeElement(1000 * lock.since_unix_s);
    const text = `A run by ${shownText(lock.holder)} is in progress, started `;
    return [
      views.bar(
        badge('running', 'info'),
        el('span', {}, text, since, '.'),
        views.gap(),
        views.wayButton({ text: 'View run', work: () => this.#ways.onRun(lock.run_id) }),
      ),
    ];
  }
}

function summary({ cluster, spec_etag: spec, nodes: all }: Status) {
  const by = (state: string) => String(all.filter((one) => one.state === state).length);
  return figures([
    { label: 'Cluster', value: cluster === null ? 'none yet' : shownText(cluster) },
    { label: 'Nodes in sync', value: `${by('in_sync')} of ${all.length}` },
    { label: 'Nodes with drift', value: by('drift') },
    { label: 'Unknown', value: by('unknown') },
    { label: 'Saved specification', value: views.shortHash(spec) },
  ]);
}

function nodes({ nodes: all }: Status) {
  if (all.length === 0) {
    return [
      views.emptyState(
        'shield-check',
        'Nothing deployed yet',
        'After a plan is applied, this page compares the files on each node with what was installed.',
      ),
    ];
  }
  return [
    card(
      'Nodes',
      table(
        'Nodes',
        [
          { title: 'Node', value: (row) => row.node },
          views.badgeColumn('State', 'state', ({ state }: NodeStatus) => BADGES[state]),
          {
            title: 'Drifted files',
            value: (row) => row.files.map(({ path }) => path).join(' '),
            cell: filesCell,
          },
          {
            title: 'Last checked',
            value: (row) => row.checked_unix_s,
            cell: (row) => timeElement(1000 * row.checked_unix_s),
          },
        ],
        all,
      ),
    ),
  ];
}

function filesCell({ state, why = '', files }: NodeStatus) {
  if (state === 'unknown') return el('span', { textContent: shownText(why) });
  if (files.length === 0) return 'none';
  return el(
    'ul',
    { className: 'deploy-drift' },
    ...files.map(({ path, is, should_be: wanted }) =>
      el(
        'li',
        {},
        el('code', { textContent: shownText(path) }),
        views.quiet(
          is === null ? 'missing' : `found ${is.slice(0, 8)}, expected ${wanted.slice(0, 8)}`,
        ),
      ),
    ),
  );
}
