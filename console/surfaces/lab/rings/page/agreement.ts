import { timeElement } from '../../../../ui/times.js';
import { el } from '../../../../ui/dom.js';
import { badge, card, table } from '../../page/ground.js';
import type { AgreementView } from '../agreement.js';

/** Whether the servers have the rings that are shown here. */
export function agreementCard({ items, servers, left_out: leftOut, at_unix_s: at }: AgreementView) {
  const answered = items.some(({ match, differ }) => match + differ > 0);
  const source = answered
    ? badge('live', 'ok')
    : badge('unavailable: no server responds to /recon/ringmd5', 'warn');
  const queried =
    leftOut === 0
      ? `${servers} servers queried. Last checked `
      : `${servers} servers queried, ${leftOut} skipped. Last checked `;
  return card(
    'Ring consistency across servers',
    el(
      'p',
      { className: 'row' },
      source,
      el('span', { className: 'quiet' }, queried, timeElement(1000 * at)),
    ),
    table(
      'Ring consistency across servers',
      [
        { title: 'Ring', value: (row) => row.name },
        {
          title: 'State',
          value: (row) => stateOf(row)[1],
          cell: (row) => badge(stateOf(row)[1], stateOf(row)[0]),
        },
        { title: 'Matching', value: (row) => row.match, number: true },
        { title: 'Mismatched', value: (row) => row.differ, number: true },
        { title: 'Unknown', value: (row) => row.unknown, number: true },
        { title: 'Mismatched servers', value: (row) => row.differing.join(' ') },
      ],
      items,
    ),
  );
}

function stateOf({
  match,
  differ,
  unknown,
}: AgreementView['items'][number]): ['ok' | 'warn' | 'crit' | '', string] {
  if (differ > 0) return ['crit', 'mismatch'];
  if (match === 0) return ['', 'unknown'];
  return unknown > 0 ? ['warn', 'some not responding'] : ['ok', 'all match'];
}
