import { call } from '../../../../ui/api.js';
import { el } from '../../../../ui/dom.js';
import {
  card,
  field,
  fields,
  fill,
  input,
  keepInUrl,
  note,
  numberInput,
  setViewState,
  stack,
  viewState,
} from '../../page/ground.js';
import { bytesField } from './bytes.js';
import { changeReport } from './changes.js';
import { sendToDeploy } from './to-deploy.js';
import { simulatedCard } from './simulated.js';
import type { WhatIfChange } from '../ring-changes.js';
import type { DeviceRow } from '../ring-report.js';
import type { RingContext } from './page.js';

/** The fields of the URL that are a change to try. */
export const WHAT_IF_FIELDS = [
  ...['weights', 'overload', 'seed', 'stored'],
  ...['region', 'zone', 'ip', 'port', 'device', 'weight'],
];

/** Weights to try; an empty field takes the device out. Nothing is written anywhere. */
export async function whatIfPanel({ ring, report }: RingContext) {
  const { devices, part_power: power, replicas } = await report();
  const given = givenWeights(viewState().weights ?? '');
  const weights = devices.map((device) => ({
    device,
    control: weightInput(device, given.get(device.id)),
  }));
  const bytes = bytesField(ring.name);
  const rows = weights.map(({ device, control }) =>
    el(
      'tr',
      {},
      el('td', { className: 'number', textContent: String(device.id) }),
      el('td', { textContent: `${device.ip}:${device.port}/${device.device}` }),
      el('td', { className: 'number', textContent: String(device.zone) }),
      el('td', { className: 'number', textContent: String(device.parts) }),
      el('td', {}, control),
    ),
  );
  const head = ['Id', 'Device', 'Zone', 'Partitions', 'Weight'].map((textContent, place) =>
    el('th', { scope: 'col', textContent, className: place === 1 || place === 4 ? '' : 'number' }),
  );
  const added = newDeviceFields(devices[0]);
  const overload = numberInput('overload', 0, { min: '0', max: '100', step: 'any' });
  const seed = numberInput('seed', 1, { min: '0', max: '4294967295', step: '1' });
  const result = stack();
  const form = el(
    'form',
    { className: 'lab-page' },
    el(
      'div',
      { className: 'table-scroll', tabIndex: 0 },
      el('table', {}, el('thead', {}, el('tr', {}, ...head)), el('tbody', {}, ...rows)),
    ),
    el('details', {}, el('summary', { textContent: 'Add device' }), added.node),
    fields(
      field('Overload', overload, '0.1 = up to 10% more partitions than by weight'),
      field('Seed', seed, 'the same seed gives the same result'),
      bytes.node,
      el('button', { className: 'primary', textContent: 'Simulate' }),
    ),
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void fill(result, async () => {
      const changes = [...weightChanges(weights), ...added.changes()];
      setViewState({ ...viewState(), weights: weightsText(changes) });
      const body = { changes, overload: Number(overload.value), seed: Number(seed.value) };
      const tried = await call('POST', `/lab/api/rings/${ring.name}/whatif`, body);
      const wanted = { ring: ring.name, part_power: power, replicas, devices, ...body };
      return [
        ...changeReport(tried, bytes.value()),
        simulatedCard(tried.moved, () =>
          call('POST', `/lab/api/rings/${ring.name}/simulation`, body),
        ),
        sendToDeploy(wanted),
      ];
    });
  });
  const isKept = keepInUrl(form);
  if (given.size > 0 || isKept) form.dataset.sendAtOnce = '';
  const remark = note(
    'Set weights, or clear a field to remove the device. Any partition can move, as after swift-ring-builder pretend_min_part_hours_passed. No ring file is written.',
  );
  return [card('Simulate a change', form, remark), result];
}

/** Weights by the ids of devices, as the URL has them: `3:300,4:` takes device 4 out. */
function givenWeights(text: string): Map<number, string> {
  const pairs = text.split(',').flatMap((one) => {
    const [, id, weight = ''] = /^(\d{1,5}):([\d.]*)$/.exec(one) ?? [];
    return id === undefined ? [] : [[Number(id), weight] as const];
  });
  return new Map(pairs);
}

export function weightsText(changes: readonly WhatIfChange[]) {
  return changes
    .flatMap((change) => {
      if (change.kind === 'add') return [];
      return [`${change.id}:${change.kind === 'remove' ? '' : change.weight}`];
    })
    .join(',');
}

/** @param tried what it is to be; empty takes the device out */
function weightInput({ id, weight }: DeviceRow, tried = String(weight)) {
  // Without a name: the URL has the weights in one field.
  const made = input('', { type: 'number', min: '0', step: 'any', value: tried });
  made.setAttribute('aria-label', `Weight of device ${id}`);
  return made;
}

function weightChanges(
  weights: readonly { device: DeviceRow; control: HTMLInputElement }[],
): WhatIfChange[] {
  return weights.flatMap(({ device: { id, weight: present }, control }): WhatIfChange[] => {
    if (control.value === '') return [{ kind: 'remove', id }];
    const weight = Number(control.value);
    return weight === present ? [] : [{ kind: 'set_weight', id, weight }];
  });
}

function newDeviceFields(like: DeviceRow | undefined) {
  const region = numberInput('region', like?.region ?? 1, {});
  const zone = numberInput('zone', like?.zone ?? 1, {});
  const ip = input('ip', { placeholder: '10.0.0.9' });
  const port = numberInput('port', like?.port ?? 6200, {});
  const device = input('device', { placeholder: 'sdb1' });
  const weight = numberInput('weight', like?.weight ?? 100, { step: 'any' });
  const node = fields(
    field('Region', region),
    field('Zone', zone),
    field('Address', ip, 'leave empty to add no device'),
    field('Port', port),
    field('Device', device),
    field('Weight', weight),
  );
  const changes = (): WhatIfChange[] => {
    if (ip.value === '') return [];
    return [
      {
        kind: 'add',
        region: Number(region.value),
        zone: Number(zone.value),
        ip: ip.value,
        port: Number(port.value),
        device: device.value,
        weight: Number(weight.value),
      },
    ];
  };
  return { node, changes };
}
