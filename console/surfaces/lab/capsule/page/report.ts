import { bytesText, el, shownText } from '../../../../ui/dom.js';
import {
  badge,
  badges,
  card,
  facts,
  note,
  numbers,
  quiet,
  row,
  tableCard,
  tableOf,
} from '../../page/ground.js';
import type { Capture } from '../capture.js';
import type { ReplicaRow, Verdict } from '../replicas.js';
import type { Look, Tone } from '../../page/ground.js';

const VERDICTS: Record<Verdict, [Tone, string]> = {
  consistent: ['ok', 'consistent'],
  divergent: ['crit', 'divergent'],
  under_replicated: ['warn', 'under-replicated'],
  ghost: ['warn', 'ghost'],
  nothing: ['info', 'nothing found'],
};

/** A capture for which no server was asked has no verdict of theirs. */
export function verdictBadge({ verdict, unavailable }: Pick<Capture, 'verdict' | 'unavailable'>) {
  const [state, text] = VERDICTS[verdict];
  return unavailable === null ? badge(text, state) : badge('servers not asked', 'info');
}

const STATES: Record<ReplicaRow['state'], [Tone, string]> = {
  present: ['ok', 'there'],
  tombstone: ['info', 'deleted'],
  absent: ['', 'not there'],
  device_away: ['crit', 'device away'],
  unreachable: ['crit', 'unreachable'],
  error: ['crit', 'error'],
};

const KINDS = { plain: 'object', static: 'static large object', dynamic: 'dynamic large object' };

/** The report on one object. */
export function captureView(capture: Capture) {
  const { object, reasons, placement } = capture;
  const head = row(verdictBadge(capture), ...downloads(capture));
  return [
    card(
      shownText(`${capture.container}/${capture.name}`),
      head,
      reasons.length === 0
        ? note('All primaries agree.')
        : el('ul', {}, ...reasons.map((textContent) => el('li', { textContent }))),
      facts(
        ['For clients', object.status === 200 ? 'there' : capture.state],
        ['Kind', KINDS[object.kind]],
        ['Size', object.bytes === null ? 'unknown' : bytesText(object.bytes)],
        ['Policy', object.policy ?? 'unknown'],
        placement === null
          ? ['Partition', 'unknown']
          : ['Partition', String(placement.part), `of ring ${placement.ring}`],
      ),
    ),
    capture.unavailable === null
      ? matrix(capture.replicas)
      : card('Replicas', quiet(capture.unavailable)),
    ...(capture.differences === undefined ? [] : [importCard(capture.differences)]),
    headersCard(capture),
  ];
}

function downloads({ id, object }: Capture) {
  const link = (textContent: string, body: string) =>
    el('button', {
      textContent,
      onclick: () => {
        const href = `/lab/api/capsule/captures/${id}/archive?body=${body}`;
        el('a', { href, download: '' }).click();
      },
    });
  const without = link(object.status === 200 ? 'Without the body' : 'Download capsule', '0');
  return object.status === 200 ? [link('Download capsule', '1'), without] : [without];
}

function matrix(rows: readonly ReplicaRow[]) {
  return tableCard('Replicas', rows, [
    {
      title: 'Place',
      value: (row) => (row.index === null ? 'handoff' : `primary ${row.index}`),
    },
    { title: 'Server', value: (row) => `${row.ip}:${row.port}` },
    { title: 'Device', value: (row) => row.device },
    { title: 'Region, zone', value: (row) => `r${row.region}z${row.zone}` },
    badges('State', ({ state }) => state, STATES),
    { title: 'File', value: (row) => row.kind },
    { title: 'Timestamp', value: (row) => row.timestamp },
    { title: 'Fragment', value: (row) => row.fragment, number: true },
    numbers('Bytes', ({ bytes }) => bytes, bytesText),
    {
      title: 'ETag',
      value: (row) => row.etag,
      cell: (row) =>
        el('code', { textContent: (row.etag ?? '–').slice(0, 8), title: row.etag ?? '' }),
    },
    { title: 'ms', value: (row) => row.ms, number: true },
  ]);
}

function headersCard({ headers, system }: Capture) {
  const rows = [
    ...Object.entries(headers).map(([name, value]) => ({ name, value, of: 'client' })),
    ...Object.entries(system).map(([name, value]) => ({ name, value, of: 'server' })),
  ];
  return tableCard('Headers', rows, [
    { title: 'Name', value: (row) => row.name },
    { title: 'Value', value: (row) => row.value },
    { title: 'Seen by', value: (row) => row.of },
  ]);
}

const SAME: Record<'yes' | 'no', Look> = { yes: ['ok', 'same'], no: ['warn', 'differs'] };

/** How an object that was written differs from its capsule. */
function importCard(differences: NonNullable<Capture['differences']>) {
  const other = differences.filter(({ same }) => !same).length;
  const said =
    other === 0
      ? badge('written, as in the capsule', 'ok')
      : badge('written, and differs from the capsule', 'warn');
  return card(
    'Written from a capsule',
    row(said),
    tableOf('Capsule and store', differences, [
      { title: 'Field', value: (row) => row.field },
      { title: 'In the capsule', value: (row) => row.capsule },
      { title: 'In the store', value: (row) => row.store },
      badges('Same', ({ same }) => (same ? 'yes' : 'no'), SAME),
    ]),
  );
}
