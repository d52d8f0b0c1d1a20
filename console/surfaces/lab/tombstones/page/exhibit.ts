import { timeAt } from '../../../../ui/clock.js';
import { durationText, el, shownText } from '../../../../ui/dom.js';
import { badge, card, facts, numbers, quiet, row, tableCard } from '../../page/ground.js';
import type { ExhibitView } from '../page.js';

/** One deleted object: what each disk has of it, and when it learned of the deletion. */
export function exhibitView({ exhibit, check }: ExhibitView) {
  const { copies, classes, lacking, risk } = exhibit;
  const source =
    exhibit.name_source === 'sidecar' ? 'a file beside it' : 'the extended attributes of a file';
  const evidence = classes.map(({ class: name, evidence: why }) => `${name}: ${why}`);
  const rows = [
    ...copies,
    ...lacking.map((name) => ({
      node: name.includes('/') ? (name.split('/')[0] ?? '') : '',
      device: name.split('/').at(-1) ?? '',
      role: 'primary' as const,
      files: [] as string[],
      ts: null,
      ctime_unix_s: null,
      lag_s: null,
    })),
  ].sort((a, b) => (a.ctime_unix_s ?? Infinity) - (b.ctime_unix_s ?? Infinity));
  return [
    card(
      shownText(exhibit.name ?? exhibit.hash),
      facts(
        ['Deleted', timeAt(Number.parseFloat(exhibit.ts), 'full')],
        ['Age', durationText(exhibit.age_s)],
        [
          'May be reclaimed since or from',
          timeAt(exhibit.eligible_unix_s, 'full'),
          'it goes when its suffix is hashed the next time',
        ],
        ['Partition', String(exhibit.part), `policy ${exhibit.policy_index}`],
      ),
      el('ul', {}, ...evidence.map((textContent) => el('li', { textContent }))),
      quiet(
        exhibit.name === null
          ? 'No disk says the name. The hash cannot be turned back into it.'
          : `The name is from ${source}.`,
      ),
    ),
    tableCard('Timeline of the disks', rows, [
      { title: 'Node', value: ({ node }) => node },
      { title: 'Device', value: ({ device }) => device },
      { title: 'Place', value: ({ role }) => role ?? 'unknown' },
      { title: 'Tombstone', value: ({ ts }) => ts ?? 'none' },
      {
        title: 'Here since',
        value: ({ ctime_unix_s: s }) => s,
        cell: ({ ctime_unix_s: s }) => (s === null ? '–' : timeAt(s, 'full')),
      },
      numbers('Learned after', ({ lag_s: lag }) => lag, durationText),
      { title: 'Files', value: ({ files }) => files.join(' ') },
    ]),
    riskCard(risk),
    ...(check === null ? [] : [checkCard(check)]),
  ];
}

function riskCard(risk: string | null) {
  const text =
    risk ??
    'Nothing that was read here can bring the object back. Devices that were not read, and come back after longer than reclaim_age, still can.';
  const state = risk === null ? badge('no risk seen', 'ok') : badge('may come back', 'warn');
  return card('Resurrection risk', row(state), el('p', { textContent: text }));
}

function checkCard({ text, problem }: NonNullable<ExhibitView['check']>) {
  const shown =
    text === null
      ? el('p', { textContent: problem ?? '' })
      : el('pre', { className: 'lab-code', textContent: text, tabIndex: 0 });
  return card('What swift-object-info says', shown);
}
