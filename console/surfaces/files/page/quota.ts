import { call, query } from '../../../ui/api.js';
import { ask } from '../../../ui/dom.js';
import { choice, field, quiet } from './s3/fields.js';

const UNITS: readonly (readonly [bytes: string, unit: string])[] = [
  [String(1024 ** 4), 'TiB'],
  [String(1024 ** 3), 'GiB'],
  [String(1024 ** 2), 'MiB'],
  ['1', 'bytes'],
];

/** Changes what a container may hold; an empty field is no bound. */
export async function showQuota({ name }: { name: string }) {
  const details = await call('GET', `/api/files/container?${query({ name })}`);
  const { quota_bytes: bytes, quota_objects: objects } = details;
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
  const nodes = [
    quiet(
      'Uploads that exceed the quota are rejected. Existing objects are kept. Leave empty for no quota.',
    ),
    size.node,
    units.node,
    count.node,
  ];
  const save = (given: Record<string, FormDataEntryValue>) =>
    call('PUT', '/api/files/quota', {
      name,
      bytes: given.size === '' ? null : Math.round(Number(given.size) * Number(given.unit)),
      objects: given.objects === '' ? null : Number(given.objects),
      was: { bytes, objects },
    });
  const again = () => showQuota({ name });
  await ask(`Quota for ${name}`, nodes, 'Save', save, { again });
}
