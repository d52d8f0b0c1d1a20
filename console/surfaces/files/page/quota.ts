import { call, query } from '../../../ui/api.js';
import { ask } from '../../../ui/dom.js';
import { choice, field, quiet } from './s3/fields.js';
import type { Bounds } from '../quota-routes.js';

const UNITS: readonly (readonly [bytes: string, unit: string])[] = [
  [String(1024 ** 4), 'TiB'],
  [String(1024 ** 3), 'GiB'],
  [String(1024 ** 2), 'MiB'],
  ['1', 'bytes'],
];

/** The fields of a quota; an empty one is no bound. */
export function quotaFields({ bytes, objects }: Bounds) {
  // The largest unit that says it in a whole number.
  const unit =
    bytes === null || bytes === 0
      ? String(1024 ** 3)
      : (UNITS.find(([size]) => bytes % Number(size) === 0)?.[0] ?? '1');
  const amount = bytes === null ? '' : String(bytes / Number(unit));
  const size = field('Max size', { name: 'size', type: 'number', min: '0', step: 'any' });
  size.input.value = amount;
  const units = choice('Unit', 'unit', UNITS, unit);
  const count = field('Max objects', { name: 'objects', type: 'number', min: '0', step: '1' });
  count.input.value = objects === null ? '' : String(objects);
  const given = (): Bounds => ({
    bytes:
      size.input.value === ''
        ? null
        : Math.round(Number(size.input.value) * Number(units.select.value)),
    objects: count.input.value === '' ? null : Number(count.input.value),
  });
  return { nodes: [size.node, units.node, count.node], given };
}

export async function showQuota({ name }: { name: string }) {
  const details = await call('GET', `/api/files/container?${query({ name })}`);
  const was = { bytes: details.quota_bytes, objects: details.quota_objects };
  const fields = quotaFields(was);
  const text =
    'Uploads that exceed the quota are rejected. Existing objects are kept. Leave empty for no quota.';
  const save = () => call('PUT', '/api/files/quota', { name, ...fields.given(), was });
  const again = () => showQuota({ name });
  await ask(`Quota for ${name}`, [quiet(text), ...fields.nodes], 'Save', save, { again });
}
