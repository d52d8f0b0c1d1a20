import { barChart } from '../../../../ui/charts/bars.js';
import { ChartFigure } from '../../../../ui/charts/figure.js';
import { bytesText, durationText, el } from '../../../../ui/dom.js';
import { card, note, numberText, percentText, table } from '../../page/ground.js';
import type { ComparedPolicy as PolicyRow, ComparisonView } from '../page.js';

const LINES: readonly (readonly [
  label: string,
  value: (row: PolicyRow) => string,
  hint?: string,
])[] = [
  ['Storage overhead', (row) => `${numberText(row.overhead_ratio)}×`, 'large objects'],
  ['Replicas or fragments', (row) => numberText(row.replicas)],
  ['Write quorum', (row) => String(row.write_quorum), 'before a PUT is acknowledged'],
  ['Required to read', (row) => String(row.read_need)],
  ['Losses tolerated', (row) => String(row.survives_losses), 'any replicas or fragments'],
  ['Min devices', (row) => String(row.min_devices)],
  ['Max per zone', (row) => optional(row.max_replicas_per_zone)],
  ['Readable after losing a zone', (row) => yesNo(row.zone_loss?.readable)],
  ['Writable after losing a zone', (row) => yesNo(row.zone_loss?.writable), 'primaries only'],
  ['Max per server', (row) => optional(row.max_replicas_per_server)],
  ['Readable after losing a server', (row) => yesNo(row.server_loss?.readable)],
  ['Writable after losing a server', (row) => yesNo(row.server_loss?.writable), 'primaries only'],
  ['Mean time to data loss', (row) => yearsText(row.mttdl_h), 'model, one partition'],
  ['Annual loss probability, one partition', (row) => row.loss_prob_year.toExponential(2), 'model'],
  [
    'Annual loss probability, all partitions',
    (row) => row.cluster_loss_prob_year.toExponential(2),
    'model, upper bound',
  ],
  ['Durability (nines)', (row) => numberText(row.nines), 'model, one partition'],
  ['Bytes sent per PUT', (row) => bytesText(row.put.wire_bytes), 'for the largest object size'],
  ['Object servers per PUT', (row) => String(row.put.backend_puts)],
  ['Container updates', (row) => String(row.put.container_updates)],
  ['Connections per GET', (row) => String(row.get.backend_conns)],
  ['Repair read amplification', (row) => `${row.repair_read_amp}×`],
];

const MEASURED_LINES: typeof LINES = [
  ['Objects measured', (row) => measuredText(row)],
  ['PUT, p50', (row) => msText(row, row.measured?.put_p50_ms), 'measured'],
  ['PUT, p95', (row) => msText(row, row.measured?.put_p95_ms), 'measured'],
  ['GET, p50', (row) => msText(row, row.measured?.get_p50_ms), 'measured'],
  ['GET, p95', (row) => msText(row, row.measured?.get_p95_ms), 'measured'],
  ['Failed requests', (row) => (row.measured === null ? '–' : String(row.measured.errors))],
];

function msText({ index, measure_problem: problem }: PolicyRow, ms: number | null | undefined) {
  if (index === null) return 'not in the cluster';
  return ms === null || ms === undefined ? (problem ?? 'unknown') : `${numberText(ms)} ms`;
}

function measuredText({ measured, measure_problem: problem }: PolicyRow) {
  if (measured === null) return '–';
  return problem === null ? String(measured.n) : `${measured.n}. ${problem}`;
}

/**
 * Policies side by side.
 *
 * @param repair a disk in TB, and MB that are read in a second
 */
export function comparisonReport(
  { rows, assumptions }: ComparisonView,
  { diskTb, networkMb }: { diskTb: number; networkMb: number },
) {
  const isMeasured = rows.some((row) => row.measured !== null || row.measure_problem !== null);
  const repair: typeof LINES = [
    [
      `Time to rebuild a ${numberText(diskTb)} TB disk`,
      (row) => durationText((diskTb * 1e6 * row.repair_read_amp) / networkMb),
      `at ${numberText(networkMb)} MB/s`,
    ],
  ];
  const lines = [...LINES, ...repair, ...(isMeasured ? MEASURED_LINES : [])].map(
    ([label, value, hint]) => ({ label, hint, values: rows.map(value) }),
  );
  const columns = rows.map((row, place) => ({
    title: row.index === null ? `${row.name} (not in the cluster)` : row.name,
    value: (line: { readonly values: readonly string[] }) => line.values[place] ?? null,
    number: true,
  }));
  const sizes = (rows[0]?.overhead_by_size ?? []).map(({ bytes }, place) => ({ bytes, place }));
  const inexact = rows.filter(({ is_exact: isExact }) => !isExact).map(({ name }) => name);
  const bars = (title: string, value: (row: PolicyRow) => number) =>
    new ChartFigure(
      title,
      barChart({ items: rows.map((row) => ({ name: row.name, value: value(row) })) }),
    ).element;
  return [
    el(
      'div',
      { className: 'lab-columns' },
      bars('Storage overhead', (row) => row.overhead_ratio),
      bars('Durability in nines (model)', (row) => row.nines),
    ),
    card(
      'Comparison',
      wholeTable(
        'Policies',
        [
          {
            title: 'Metric',
            value: (line) => line.label,
            cell: (line) =>
              el(
                'span',
                {},
                line.label,
                ...(line.hint === undefined
                  ? []
                  : [el('span', { className: 'quiet', textContent: ` (${line.hint})` })]),
              ),
          },
          ...columns,
        ],
        lines,
      ),
      note(
        `Durability is modeled: ${assumptions.afr_pct}% of disks fail per year, independently of each other, and a lost replica is restored after ${assumptions.mttr_h} h. Latent disk errors and operator mistakes are not included.`,
      ),
    ),
    card(
      'Disk usage by object size',
      table(
        'Storage overhead by object size',
        [
          { title: 'Object', value: (row) => row.bytes, cell: (row) => bytesText(row.bytes) },
          ...rows.map((row) => ({
            title: row.name,
            value: (size: { readonly place: number }) =>
              row.overhead_by_size[size.place]?.stored_bytes ?? null,
            cell: (size: { readonly place: number }) =>
              storedText(row.overhead_by_size[size.place]),
            number: true,
          })),
        ],
        sizes,
      ),
      ...(inexact.length === 0
        ? []
        : [
            note(
              `Sizes for ${inexact.join(', ')} are approximate: the code's word size is unknown, so they may be a few bytes too small.`,
            ),
          ]),
    ),
  ];
}

function storedText(size: PolicyRow['overhead_by_size'][number] | undefined) {
  if (size === undefined) return '–';
  const stored = bytesText(size.stored_bytes);
  return size.ratio === null ? stored : `${stored} (${percentText(size.ratio, 0)})`;
}

function optional(value: number | null) {
  return value === null ? 'unknown' : String(value);
}

function yearsText(hours: number) {
  const years = hours / 8766;
  return years < 1e6 ? `${numberText(years, 0)} years` : `${years.toExponential(2)} years`;
}

function yesNo(value: boolean | undefined) {
  if (value === undefined) return 'unknown';
  return value ? 'yes' : 'no';
}

/** A table that is shown without a scroll bar of its own. */
function wholeTable<Row>(...given: Parameters<typeof table<Row>>) {
  const made = table(...given);
  made.classList.add('whole');
  return made;
}
