import { timeElement } from '../../../../ui/times.js';
import { el } from '../../../../ui/dom.js';
import { badge, badges, card, row, tableOf } from '../../page/ground.js';
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
    row(source, el('span', { className: 'quiet' }, queried, timeElement(1000 * at))),
    tableOf('Ring consistency across servers', items, [
      { title: 'Ring', value: ({ name }) => name },
      badges('State', stateOf, STATES),
      { title: 'Matching', value: ({ match }) => match, number: true },
      { title: 'Mismatched', value: ({ differ }) => differ, number: true },
      { title: 'Unknown', value: ({ unknown }) => unknown, number: true },
      { title: 'Mismatched servers', value: ({ differing }) => differing.join(' ') },
    ]),
  );
}

const STATES = {
  mismatch: 'crit',
  unknown: '',
  'some not responding': 'warn',
  'all match': 'ok',
} as const;

function stateOf({ match, differ, unknown }: AgreementView['items'][number]) {
  if (differ > 0) return 'mismatch';
  if (match === 0) return 'unknown';
  return unknown > 0 ? 'some not responding' : 'all match';
}
