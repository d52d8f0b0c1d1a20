import { timeAt } from '../../../../ui/clock.js';
import { call, query } from '../../../../ui/api.js';
import { el } from '../../../../ui/dom.js';
import {
  card,
  field,
  fill,
  keepInUrl,
  numbers,
  numberText,
  select,
  setViewState,
  stack,
  tableOf,
  viewState,
} from '../../page/ground.js';
import { bytesField } from './bytes.js';
import { changeReport } from './changes.js';
import type { RingComparison } from '../ring-changes.js';
import type { RingContext } from './page.js';

/** Partitions that lie elsewhere than in another ring, such as that before the last change. */
export function comparePanel({ ring, rings }: RingContext) {
  const others = [
    ...rings.former.filter((name) => name.endsWith(`.${ring.name}`)).map(formerChoice),
    ...rings.items
      .filter((item) => 'md5' in item && item.name !== ring.name && item.parts === ring.parts)
      .map(({ name }) => [name, `ring ${name}`] as const),
  ];
  if (others.length === 0) {
    const text =
      'Nothing to compare with. There is no previous ring in the backups directory and no other ring with the same number of partitions.';
    return [el('div', { className: 'empty-state' }, el('p', { textContent: text }))];
  }
  const other = select('with', others);
  const bytes = bytesField(ring.name);
  const result = stack();
  const form = el(
    'form',
    { className: 'lab-form' },
    field(`Compare ${ring.name} with`, other),
    bytes.node,
    el('button', { className: 'primary', textContent: 'Compare' }),
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    setViewState({ ...viewState(), with: other.value });
    void fill(result, async () => {
      const asked = query({ with: other.value });
      const answer = await call('GET', `/lab/api/rings/${ring.name}/compare?${asked}`);
      const found = answer as RingComparison;
      const rows = found.parts_by_moved.map((parts, moved) => ({ parts, moved }));
      return [
        ...changeReport(found, bytes.value()),
        card(
          'Partitions by number of moved replicas',
          tableOf('Replicas moved', rows, [
            { title: 'Replicas moved', value: (row) => row.moved, number: true },
            numbers('Partitions', (row) => row.parts, numberText),
          ]),
        ),
      ];
    });
  });
  if (keepInUrl(form)) form.dataset.sendAtOnce = '';
  return [card('Compare with another ring', form), result];
}

/** @param name such as `1700000000.object` */
function formerChoice(name: string): readonly [string, string] {
  return [name, `before the change at ${timeAt(Number.parseInt(name, 10), 'full')}`];
}
