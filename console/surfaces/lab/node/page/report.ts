import { durationText } from '../../../../ui/dom.js';
import { timeElement } from '../../../../ui/times.js';
import { facts, numberText, tableCard, TAKERS } from '../../page/ground.js';
import type { DrillReport } from '../drill.js';
import type { DrillView } from '../drills.js';

export function reportFigures({
  probes,
  probes_ok: ok,
  ready_s: ready,
  handoff_copies_max: handoffs,
  samples,
  report,
}: DrillReport) {
  const last = samples.at(-1)?.disks ?? null;
  const unknown = 'unknown';
  return facts(
    [
      'Writes and reads',
      probes === 0 ? unknown : `${ok} of ${probes}`,
      probes === 0 ? 'none attempted' : 'succeeded for the client',
    ],
    [
      'Handoff replicas',
      handoffs === null ? unknown : numberText(handoffs),
      handoffs === null
        ? 'requires node_root'
        : `peak; ${last === null ? unknown : numberText(last.handoff_copies)} now`,
    ],
    [
      'Pending updates',
      last === null ? unknown : numberText(last.async_pending),
      last === null ? 'requires node_root' : 'at the last sample',
    ],
    [
      'Restarted by',
      report === null ? 'not yet' : TAKERS[report.by],
      report === null ? '' : `${report.outcomes.length} services`,
    ],
    [
      'Recovery time',
      ready === null
        ? report === null
          ? 'not yet'
          : unknown
        : durationText(Math.max(1, Math.round(ready))),
      'until all servers responded',
    ],
  );
}

export function journalCard(journal: DrillView['journal']) {
  return tableCard('Event log', journal, [
    {
      title: 'Time',
      value: (row) => new Date(1000 * row.unix_s).toISOString(),
      cell: (row) => timeElement(1000 * row.unix_s),
    },
    { title: 'State', value: (row) => row.state },
    { title: 'By', value: (row) => TAKERS[row.by] },
    {
      title: 'Actions taken',
      value: (row) => row.outcomes.map(({ text }) => text).join('; ') || null,
    },
  ]);
}
