import { call, query } from '../../../../ui/api.js';
import { bytesText, el, shownText } from '../../../../ui/dom.js';
import {
  badge,
  card,
  facts,
  field,
  fill,
  input,
  note,
  numbers,
  setViewState,
  stack,
  tableOf,
  viewState,
} from '../../page/ground.js';
import type { NodeHead } from '../../ground/node-reader.js';
import type { LookupDevice } from '../lookup.js';
import type { LookupView } from '../page.js';
import type { Column, Tone } from '../../page/ground.js';
import type { RingContext } from './page.js';

const STATES: Record<NodeHead['state'], [Tone, string]> = {
  present: ['ok', 'there'],
  tombstone: ['info', 'deleted (tombstone)'],
  absent: ['warn', 'not found'],
  device_away: ['crit', 'device unmounted'],
  unreachable: ['crit', 'server not responding'],
  error: ['crit', 'error'],
};

/** A form, and below it where the thing lies. */
export function lookupPanel({ ring }: RingContext) {
  const depth = { account: 1, container: 2 }[ring.name] ?? 3;
  const [account = '', container = '', object = ''] = splitPlace(viewState().place ?? '');
  const fields = [
    field(
      'Account',
      input('account', { required: true, value: account, placeholder: 'AUTH_test' }),
    ),
    field('Container', input('container', { required: true, value: container })),
    field('Object', input('object', { required: true, value: object })),
  ].slice(0, depth);
  const isLive = viewState().live === '1';
  const live = el('input', { type: 'checkbox', name: 'live', checked: isLive });
  const result = stack();
  const form = el(
    'form',
    { className: 'lab-form' },
    ...fields,
    el('label', { className: 'check' }, live, 'Query the servers'),
    el('button', { className: 'primary', textContent: 'Look up' }),
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const given = Object.fromEntries(new FormData(form));
    const place = [given.account, given.container, given.object].filter(
      (part) => typeof part === 'string',
    );
    setViewState({
      ...viewState(),
      place: place.map((part) => encodeURIComponent(part)).join('/'),
      live: live.checked ? '1' : '',
    });
    const asked = query({ ...given, live: live.checked ? 1 : 0 });
    void fill(result, async () => {
      const found = await call('GET', `/lab/api/rings/${ring.name}/lookup?${asked}`);
      return shown(found as LookupView);
    });
  });
  if (account !== '') form.dataset.sendAtOnce = '';
  return [card('Look up placement', form), result];
}

function splitPlace(place: string) {
  return place.split('/').map((part) => {
    try {
      return decodeURIComponent(part);
    } catch {
      return '';
    }
  });
}

function shown(found: LookupView) {
  const rows = [...found.primaries, ...found.handoffs];
  const { live } = found;
  const columns: Column<LookupDevice>[] = [
    {
      title: 'Role',
      value: (row) => (row.index === null ? 'handoff' : `primary ${row.index}`),
      cell: (row) =>
        row.index === null ? badge('handoff') : badge(`primary ${row.index}`, 'info'),
    },
    { title: 'Region', value: (row) => row.region, number: true },
    { title: 'Zone', value: (row) => row.zone, number: true },
    { title: 'Server', value: (row) => `${row.ip}:${row.port}` },
    { title: 'Device', value: (row) => row.device },
    { title: 'Path', value: (row) => row.path, cell: (row) => code(row.path) },
    { title: 'Command', value: (row) => row.curl, cell: (row) => code(row.curl) },
  ];
  if (live !== null) {
    const answer = (row: LookupDevice) => live[String(row.id)];
    columns.splice(
      5,
      0,
      {
        title: 'Response',
        value: (row) => answer(row)?.state ?? null,
        cell: (row) => stateCell(answer(row)),
      },
      { title: 'Timestamp', value: (row) => answer(row)?.timestamp ?? null },
      numbers('Size', (row) => answer(row)?.bytes ?? null, bytesText),
      { title: 'ETag', value: (row) => answer(row)?.etag ?? null },
    );
  }
  return [
    card(
      'Placement',
      facts(['Hash', found.hash], ['Partition', String(found.part)]),
      ...checkNodes(found.check),
    ),
    card('Devices in lookup order', tableOf('Placement', rows, columns)),
  ];
}

function checkNodes(check: LookupView['check']) {
  if (check === null) return [];
  const difference = note(check.difference ?? '');
  if (check.agrees === null)
    return [badge('swift-get-nodes returned no result', 'warn'), difference];
  if (check.agrees) return [badge('matches swift-get-nodes', 'ok')];
  return [badge('differs from swift-get-nodes', 'crit'), difference];
}

function stateCell(head: NodeHead | undefined) {
  if (head === undefined) return '–';
  const [state, text] = STATES[head.state];
  return badge(head.state === 'error' ? `${text} ${head.status}` : text, state);
}

function code(text: string) {
  return el('code', { className: 'lab-code', textContent: shownText(text) });
}
