import { bytesText, el, shownText } from '../../../../ui/dom.js';
import { badge, card, figures, table } from '../../page/ground.js';
import type { Capture } from '../capture.js';
import type { ReplicaRow, Verdict } from '../replicas.js';

const VERDICTS: Record<Verdict, ['ok' | 'warn' | 'crit' | 'info', string]> = {
  consistent: ['ok', 'consistent'],
  divergent: ['crit', 'divergent'],
  under_replicated: ['warn', 'under-replicated'],
  ghost: ['warn', 'ghost'],
  nothing: ['info', 'nothing found'],
};

/** A capture for which no server was asked has no verdict of theirs. */
export function verdictBadge({
  verdict,
  unavailable,
}: {
  readonly verdict: Verdict;
  readonly unavailable: string | null;
}) {
  const [state, text] = VERDICTS[verdict];
  return unavailable === null ? badge(text, state) : badge('servers not asked', 'info');
}

const STATES: Record<ReplicaRow['state'], ['ok' | 'warn' | 'crit' | 'info' | '', string]> = {
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
  const head = el('div', { className: 'row' }, verdictBadge(capture), ...downloads(capture));
  return [
    card(
      shownText(`${capture.container}/${capture.name}`),
      head,
      ...(reasons.length === 0
        ? [el('p', { className: 'lab-note', textContent: 'All primaries agree.' })]
        : [el('ul', {}, ...reasons.map((textContent) => el('li', { textContent })))]),
      figures([
        { label: 'For clients', value: object.status === 200 ? 'there' : capture.state },
        { label: 'Kind', value: KINDS[object.kind] },
        { label: 'Size', value: object.bytes === null ? 'unknown' : bytesText(object.bytes) },
        { label: 'Policy', value: object.policy ?? 'unknown' },
        {
          label: 'Partition',
          value: placement === null ? 'unknown' : String(placement.part),
          ...(placement === null ? {} : { hint: `of ring ${placement.ring}` }),
        },
      ]),
    ),
    capture.unavailable === null
      ? card('Replicas', matrix(capture.replicas))
      : card('Replicas', el('p', { className: 'quiet', textContent: capture.unavailable })),
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
  return table(
    'Replicas',
    [
      {
        title: 'Place',
        value: (row) => (row.index === null ? 'handoff' : `primary ${row.index}`),
      },
      { title: 'Server', value: (row) => `${row.ip}:${row.port}` },
      { title: 'Device', value: (row) => row.device },
      { title: 'Region, zone', value: (row) => `r${row.region}z${row.zone}` },
      {
        title: 'State',
        value: (row) => row.state,
        cell: (row) => badge(STATES[row.state][1], STATES[row.state][0]),
      },
      { title: 'File', value: (row) => row.kind },
      { title: 'Timestamp', value: (row) => row.timestamp },
      { title: 'Fragment', value: (row) => row.fragment, number: true },
      {
        title: 'Bytes',
        value: (row) => row.bytes,
        cell: (row) => (row.bytes === null ? '–' : bytesText(row.bytes)),
        number: true,
      },
      {
        title: 'ETag',
        value: (row) => row.etag,
        cell: (row) =>
          el('code', { textContent: (row.etag ?? '–').slice(0, 8), title: row.etag ?? '' }),
      },
      { title: 'ms', value: (row) => row.ms, number: true },
    ],
    rows,
  );
}

function headersCard({ headers, system }: Capture) {
  const rows = [
    ...Object.entries(headers).map(([name, value]) => ({ name, value, of: 'client' })),
    ...Object.entries(system).map(([name, value]) => ({ name, value, of: 'server' })),
  ];
  return card(
    'Headers',
    table(
      'Headers',
      [
        { title: 'Name', value: (row) => row.name },
        { title: 'Value', value: (row) => row.value },
        { title: 'Seen by', value: (row) => row.of },
      ],
      rows,
    ),
  );
}

/** How an object that was written differs from its capsule. */
function importCard(differences: NonNullable<Capture['differences']>) {
  const other = differences.filter(({ same }) => !same).length;
  const said =
    other === 0
      ? badge('written, as in the capsule', 'ok')
      : badge('written, and differs from the capsule', 'warn');
  return card(
    'Written from a capsule',
    el('div', { className: 'row' }, said),
    table(
      'Capsule and store',
      [
        { title: 'Field', value: (row) => row.field },
        { title: 'In the capsule', value: (row) => row.capsule },
        { title: 'In the store', value: (row) => row.store },
        {
          title: 'Same',
          value: (row) => (row.same ? 'yes' : 'no'),
          cell: (row) => badge(row.same ? 'same' : 'differs', row.same ? 'ok' : 'warn'),
        },
      ],
      differences,
    ),
  );
}
