import { durationText } from '../../../../ui/dom.js';
import { timeElement } from '../../../../ui/times.js';
import { figures, numberText, tableCard, TAKERS } from '../../page/ground.js';
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
  return figures([
    {
      label: 'Writes and reads',
      value: probes === 0 ? unknown : `${ok} of ${probes}`,
      hint: probes === 0 ? 'none attempted' : 'succeeded for the client',
    },
    {
      label: 'Handoff replicas',
      value: handoffs === null ? unknown : numberText(handoffs),
      hint:
        handoffs === null
          ? 'requires node_root'
          : `peak; ${last === null ? unknown : numberText(last.handoff_copies)} now`,
    },
    {
      label: 'Pending updates',
      value: last === null ? unknown : numberText(last.async_pending),
      hint: last === null ? 'requires node_root' : 'at the last sample',
    },
    {
      label: 'Restarted by',
      value: report === null ? 'not yet' : TAKERS[report.by],
      hint: report === null ? '' : `${report.outcomes.length} services`,
    },
    {
      label: 'Recovery time',
      value:
        ready === null
          ? report === null
            ? 'not yet'
            : unknown
          : durationText(Math.max(1, Math.round(ready))),
      hint: 'until all servers responded',
    },
  ]);
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
