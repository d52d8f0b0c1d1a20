import { barChart } from '../../../../ui/charts/bars.js';
import { durationText, el } from '../../../../ui/dom.js';
import { badge, numbers, plainButton, quiet, tableCard, tableOf } from '../../page/ground.js';
import type { Exhibit, TombstoneClass } from '../classify.js';
import type { Tone } from '../../page/ground.js';

/** The findings of a scan, in numbers and rows. */

export const CLASSES: Record<TombstoneClass, [Tone, string]> = {
  normal: ['ok', 'as expected'],
  phantom: ['info', 'no object was there before (heuristic)'],
  expired: ['info', 'written by the expirer'],
  split: ['crit', 'missing on a primary, or older data remains'],
  handoff: ['warn', 'on a non-primary device'],
  overdue: ['warn', 'older than reclaim_age, not yet reclaimed'],
  gateway: ['info', 'written by Ringway, such as under a delete marker'],
  reconciler: ['info', 'written by the container reconciler'],
};

export function ageChart(ages: readonly number[], edges: readonly number[], reclaim: number) {
  // The first bar with what the line of reclaim_age is above.
  const line = edges.findIndex((edge) => edge > reclaim);
  const age = durationText(reclaim);
  return barChart({
    line: line === -1 ? edges.length : line,
    legend: [
      { text: `younger than reclaim_age (${age})`, tone: 0 },
      { text: 'older than reclaim_age (below the line)', tone: 'warn' },
    ],
    items: ages.map((value, index) => {
      const edge = edges[index];
      const name =
        edge === undefined ? `over ${ageText(edges.at(-1) ?? 0)}` : `up to ${ageText(edge)}`;
      // Those behind the line may be reclaimed.
      const isBehind = edge === undefined || edge > reclaim;
      return isBehind
        ? { name, value, tone: 'warn' as const, note: 'reclaimable' }
        : { name, value };
    }),
    columns: ['Age', 'Deleted objects'],
  });
}

function ageText(seconds: number) {
  return seconds < 86_400 ? `${seconds / 3600} h` : `${seconds / 86_400} d`;
}

export function classCard(classes: Readonly<Record<TombstoneClass, number>>) {
  const rows = Object.entries(classes) as [TombstoneClass, number][];
  return tableCard('Classes', rows, [
    {
      title: 'Class',
      value: ([name]) => name,
      cell: ([name, count]) => badge(name, count === 0 ? '' : CLASSES[name][0]),
    },
    { title: 'Objects', value: ([, count]) => count, number: true },
    { title: 'Meaning', value: ([name]) => CLASSES[name][1] },
  ]);
}

export function exhibitTable(items: readonly Exhibit[], onOpen: (hash: string) => void) {
  if (items.length === 0) return quiet('No deleted objects in this class.');
  return tableOf('Exhibits', items, [
    {
      title: 'Object',
      value: (row) => row.name ?? row.hash,
      cell: (row) => plainButton(row.name ?? row.hash, () => onOpen(row.hash)),
    },
    {
      title: 'Classes',
      value: (row) => row.classes.map(({ class: one }) => one).join(' '),
      cell: (row) =>
        el(
          'span',
          { className: 'row' },
          ...row.classes.map(({ class: one }) => badge(one, CLASSES[one][0])),
        ),
    },
    { title: 'Timestamp', value: (row) => row.ts },
    numbers('Age', (row) => row.age_s, durationText),
    {
      title: 'Replicas',
      value: (row) => row.copies.filter(({ ts }) => ts !== null).length,
      number: true,
    },
    { title: 'Policy', value: (row) => row.policy_index, number: true },
    { title: 'Partition', value: (row) => row.part, number: true },
  ]);
}
