import { call, query } from '../../../ui/api.js';
import { durationText, el, shownText } from '../../../ui/dom.js';
import { badge, card, figures, numberText, percentText } from '../../../ui/parts.js';
import { timeElement } from '../../../ui/times.js';
import { HOUR_S, lastHour, type LastHour } from './last-hour.js';
import type { Overview } from '../../monitor/answers.js';

/** The last hour of the service, and what is wrong with it: for operators. */

/** Measures come late, and the last ones are still to come. */
const WHOLE_S = 0.95 * HOUR_S;
const ALERTS_SHOWN = 5;

type Alert = Overview['alerts'][number];

/** Requests and errors of the last hour. */
export function hourCard() {
  const body = el('div', {}, both('…'));
  const link = el('a', { href: '/monitor', textContent: 'Open Monitor' });
  void showHour(body);
  return card('Last hour', body, el('p', { className: 'note' }, link));
}

const both = (value: string) =>
  figures(['Requests', 'Server errors'].map((label) => ({ label, value })));

async function showHour(body: HTMLElement) {
  const to = Math.floor(Date.now() / 1000);
  const read = (panel: string) => {
    const parameters = query({ panel, from: to - HOUR_S, to });
    return call('GET', `/api/monitor/series?${parameters}`, undefined, true);
  };
  try {
    const [rates, shares] = await Promise.all([read('requests'), read('error_ratio')]);
    const pointsOf = ({ series }: typeof rates) => series[0]?.points ?? [];
    const hour = lastHour(pointsOf(rates), pointsOf(shares), rates.step_s);
    if (hour === null) showUnknown(body, rates.missing[0] ?? 'no data in this time range');
    else body.replaceChildren(hourFigures(hour));
  } catch {
    showUnknown(body, 'the Monitor is not responding');
  }
}

function hourFigures({ requests, errors, measuredS }: LastHour) {
  const hint = measuredS < WHOLE_S ? { hint: `measured for ${durationText(measuredS)}` } : {};
  const share = errors === null || requests === 0 ? 0 : errors / requests;
  return figures([
    { label: 'Requests', value: countText(requests), ...hint },
    {
      label: 'Server errors',
      value: errors === null ? 'unknown' : countText(errors),
      ...(errors === null || errors === 0 ? hint : { hint: percentText(share, 2) }),
    },
  ]);
}

/** A count that was made from rates: a fraction of one is one. */
function countText(count: number) {
  return numberText(count > 0 ? Math.max(1, Math.round(count)) : 0);
}

function showUnknown(body: HTMLElement, reason: string) {
  const text = `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`;
  const note = el('p', { className: 'quiet note', textContent: shownText(text) });
  body.replaceChildren(both('unknown'), note);
}

/** The card of the alerts; `show` is told what the Monitor says. */
export function alertsCard() {
  const loading = el('p', { className: 'quiet', textContent: 'Loading…' });
  const body = el('div', { ariaLive: 'polite' }, loading);
  let shown = '';
  const show = ({ alerts, sources }: Overview) => {
    const firing = alerts.filter(({ state }) => state === 'firing');
    const isPart = sources.some(({ state }) => state === 'down' || state === 'starting');
    const key = JSON.stringify([firing.map(({ id }) => id), isPart]);
    // Said aloud when it changes, and only then.
    if (key === shown) return;
    shown = key;
    body.replaceChildren(...alertNodes(firing, isPart));
  };
  return { element: card('Alerts', body), show };
}

function alertNodes(firing: readonly Alert[], isPart: boolean): Node[] {
  if (firing.length === 0) {
    const text = isPart ? 'No alerts in the available data' : 'No alerts';
    return [badge(text, isPart ? 'warn' : 'ok')];
  }
  const lines = firing.slice(0, ALERTS_SHOWN).map((alert) => el('li', {}, ...lineOf(alert)));
  const rest = firing.length - lines.length;
  const more =
    rest === 0 ? [] : [el('a', { href: '/monitor', textContent: `${rest} more in Monitor` })];
  return [el('ul', { className: 'alert-list' }, ...lines), ...more];
}

function lineOf({ severity, title, node, since_unix_s: since, link }: Alert): Node[] {
  const look = { critical: 'crit', warning: 'warn', info: 'info' } as const;
  const place = query({ tab: link.tab });
  return [
    badge(severity, look[severity]),
    el('a', { href: `/monitor#${place}`, textContent: shownText(title) }),
    el(
      'span',
      { className: 'quiet' },
      ...(node === null ? [] : [`${node}, `]),
      timeElement(since * 1000),
    ),
  ];
}
