import { $, el } from '../../js/dom.js';
import { alertsToShow } from './alert-order.js';
import { now } from './clock.js';
import { addressOf } from './place.js';
import { stateMark } from './state.js';
import { duration, figure, timeAt } from './units.js';

/** @typedef {import('../../../surfaces/monitor/alerts/alert-view.js').AlertView} Alert */

/** Whether the user has asked for all of them. */
let isAll = false;

const COLUMNS = ['Severity', 'Alert', 'Node', 'Since', 'Why it matters', ''];

/**
 * @param {readonly Alert[]} alerts
 * @param {boolean} unknown whether something that is watched is not known now
 */
export function showAlerts(alerts, unknown) {
  const firing = alerts.filter(({ state }) => state === 'firing');
  say(summary(firing, alerts.length - firing.length));
  const host = $('#alerts');
  if (alerts.length === 0) {
    const text = unknown
      ? 'No alerts in what is known. Some figures are unknown: see above.'
      : 'No alerts: everything that is watched is within its limits.';
    host.replaceChildren(
      el('p', { className: 'empty' }, stateMark(unknown ? 'unknown' : 'ok', text)),
    );
    return;
  }
  const active = document.activeElement;
  const focused = host.contains(active) ? (active?.id ?? '') : '';
  const { shown, rest } = alertsToShow(alerts, isAll);
  const head = COLUMNS.map((text) => el('th', { scope: 'col', textContent: text }));
  head.at(-1)?.append(el('span', { className: 'sr', textContent: 'Chart' }));
  const table = el(
    'table',
    { className: 'alerts' },
    el('caption', { className: 'sr', textContent: 'Alerts, the most severe first' }),
    el('thead', {}, el('tr', {}, ...head)),
    el('tbody', {}, ...shown.map((alert) => rowOf(alert, unknown))),
  );
  const toggle = el('button', {
    id: 'all-alerts',
    className: 'plain',
    textContent: isAll ? 'Show fewer' : `Show all ${alerts.length}`,
    onclick: () => {
      isAll = !isAll;
      showAlerts(alerts, unknown);
    },
  });
  // Pressed with the keyboard, it stays where it was.
  toggle.hidden = rest === 0 && !isAll;
  table.hidden = shown.length === 0;
  host.replaceChildren(table, toggle);
  if (focused !== '') document.getElementById(focused)?.focus({ preventScroll: true });
}

/**
 * @param {Alert} alert
 * @param {boolean} unknown
 */
function rowOf(alert, unknown) {
  const { id, severity, state, title, node, since_unix_s: since, why, link, origin } = alert;
  /**
   * @param {string} label
   * @param {...(Node | string)} children
   */
  const cell = (label, ...children) => {
    const one = el('td', {}, ...children);
    one.dataset.label = label;
    return one;
  };
  const name = el('strong', { textContent: title });
  const value = alert.value === null ? '' : figure(alert.value, alert.unit ?? 'count');
  const details = [
    state === 'pending' ? 'pending' : '',
    value === '' ? '' : `${unknown ? 'last' : 'now'} ${value}`,
    origin === 'prometheus' ? 'from Prometheus' : '',
  ].filter((text) => text !== '');
  const time = el('time', {
    dateTime: new Date(since * 1000).toISOString(),
    title: timeAt(since, 'full'),
    textContent: `${timeAt(since, 'minute')}, ${duration(now() - since)} ago`,
  });
  const go = el('a', {
    id: `alert-${id}`,
    textContent: 'Show',
    href: addressOf({ tab: link.tab }),
  });
  Object.assign(go.dataset, { tab: link.tab, panel: link.panel ?? '' });
  go.setAttribute('aria-label', `Show charts for: ${title}${node === null ? '' : `, ${node}`}`);
  const row = el(
    'tr',
    {},
    cell('Severity', stateMark(severity)),
    cell('Alert', name, el('div', { className: 'quiet', textContent: details.join(' · ') })),
    cell('Node', node ?? '–'),
    cell('Since', time),
    cell('Why', why),
    cell('', go),
  );
  row.dataset.state = state;
  return row;
}

/**
 * @param {readonly Alert[]} firing
 * @param {number} pending
 */
function summary(firing, pending) {
  const critical = firing.filter(({ severity }) => severity === 'critical').length;
  const texts = [];
  if (firing.length > 0) texts.push(`${firing.length} firing`);
  if (critical > 0) texts.push(`${critical} critical`);
  if (pending > 0) texts.push(`${pending} pending`);
  return texts.join(', ');
}

/**
 * Said aloud when it changes, and only then.
 *
 * @param {string} text
 */
function say(text) {
  const count = $('#alerts-count');
  if (count.textContent !== text) count.textContent = text;
}
