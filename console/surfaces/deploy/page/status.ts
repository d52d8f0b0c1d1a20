import { call } from '../../../ui/api.js';
import { el, shownText } from '../../../ui/dom.js';
import { badge, card, figures, table } from '../../../ui/parts.js';
import { timeElement } from '../../../ui/times.js';
import { emptyState, shortHash, show, wayButton } from './control.js';
import type { DeployStatus as Status } from '../answers.js';

type NodeStatus = Status['nodes'][number];

const LOOKS: Record<NodeStatus['state'], readonly ['ok' | 'warn' | 'crit', string]> = {
  in_sync: ['ok', 'in sync'],
  drift: ['crit', 'drift'],
  unknown: ['warn', 'unknown'],
};

/** Whether nodes have what was installed. */
export class StatusPanel {
  element = el('div', { className: 'deploy-panel' });
  #ways;

  /** @param ways called when a run or a ramp is to be shown, and when drift is to be repaired */
  constructor(ways: {
    onRun: (id: string) => void;
    onRamp: (id: string) => void;
    onRepair: () => void;
  }) {
    this.#ways = ways;
  }

  open() {
    return show(this.element, async () => {
      const status = await call('GET', '/deploy/api/status');
      const refresh = wayButton({ text: 'Check again', work: () => this.open() });
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
    return [wayButton({ text: 'Plan repair', work: () => this.#ways.onRepair(), primary: true })];
  }

  #ramp({ ramp_id: ramp }: Status) {
    if (ramp === null || ramp === undefined) return [];
    return [
      el(
        'div',
        { className: 'card deploy-bar' },
        badge('ramp', 'info'),
        el('span', { textContent: 'A ramp is in progress.' }),
        el('span', { className: 'grow' }),
        wayButton({ text: 'View ramp', work: () => this.#ways.onRamp(ramp) }),
      ),
    ];
  }

  #lock({ lock }: Status) {
    if (lock === null) return [];
    const look = wayButton({ text: 'View run', work: () => this.#ways.onRun(lock.run_id) });
    return [
      el(
        'div',
        { className: 'card deploy-bar' },
        badge('running', 'info'),
        el(
          'span',
          {},
          `A run by ${shownText(lock.holder)} is in progress, started `,
          timeElement(1000 * lock.since_unix_s),
          '.',
        ),
        el('span', { className: 'grow' }),
        look,
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
    { label: 'Saved specification', value: shortHash(spec) },
  ]);
}

function nodes({ nodes: all }: Status) {
  if (all.length === 0) {
    return [
      emptyState(
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
          {
            title: 'State',
            value: (row) => row.state,
            cell: (row) => badge(LOOKS[row.state][1], LOOKS[row.state][0]),
          },
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
        el('span', {
          className: 'quiet',
          textContent:
            is === null ? 'missing' : `found ${is.slice(0, 8)}, expected ${wanted.slice(0, 8)}`,
        }),
      ),
    ),
  );
}
