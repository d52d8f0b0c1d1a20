import { $, el } from '../../js/dom.js';
import { groupsOf, groupsToShow } from './alert-order.js';
import { now } from './clock.js';
import { addressOf } from './place.js';
import { stateMark } from './state.js';
import { duration, figure, timeAt } from './units.js';

/**
 * @typedef {import('../../../surfaces/monitor/alerts/alert-view.js').AlertView} Alert
 * @typedef {import('./alert-order.js').Group<Alert>} Group
 */

/** Whether the user has asked for all of them. */
let isAll = false;
/** @type {import('./alert-order.js').By} */
let by = 'kind';
/**
 * Keys of the groups whose alerts are shown one by one.
 *
 * @type {Set<string>}
 */
const open = new Set();

const NODES_SHOWN = 3;

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
      ? 'No alerts in the available data. Some metrics are unavailable; see above.'
      : 'No alerts. All monitored metrics are within their thresholds.';
    host.replaceChildren(
      el('p', { className: 'empty' }, stateMark(unknown ? 'unknown' : 'ok', text)),
    );
    return;
  }
  const active = document.activeElement;
  const focused = host.contains(active) ? (active?.id ?? '') : '';
  const groups = groupsOf(alerts, by);
  const { shown, rest } = groupsToShow(groups, isAll);
  const again = () => showAlerts(alerts, unknown);
  const head = COLUMNS.map((text) => el('th', { scope: 'col', textContent: text }));
  head.at(-1)?.append(el('span', { className: 'sr', textContent: 'Chart' }));
  const table = el(
    'table',
    { className: 'alerts' },
    el('caption', { className: 'sr', textContent: 'Alerts, most severe first' }),
    el('thead', {}, el('tr', {}, ...head)),
    el('tbody', {}, ...shown.flatMap((group) => rowsOf(group, unknown, again))),
  );
  const toggle = el('button', {
    id: 'all-alerts',
    className: 'plain',
    textContent: isAll ? 'Show fewer' : moreText(shown.length, alerts.length),
    onclick: () => {
      isAll = !isAll;
      again();
    },
  });
  // Pressed with the keyboard, it stays where it was.
  toggle.hidden = rest === 0 && !isAll;
  table.hidden = shown.length === 0;
  // With one alert there is nothing to group.
  host.replaceChildren(...(alerts.length > 1 ? [choiceOf(again)] : []), table, toggle);
  if (focused !== '') document.getElementById(focused)?.focus({ preventScroll: true });
}

/**
 * @param {number} shown how many groups are
 * @param {number} all how many alerts there are
 */
function moreText(shown, all) {
  // What is pending comes last: alone, it is behind this button.
  return shown === 0 ? `Show ${all} pending` : `Show all ${all}`;
}

/** @param {() => void} again */
function choiceOf(again) {
  const choice = el(
    'select',
    { id: 'alerts-by' },
    el('option', { value: 'kind', textContent: 'Type', selected: by === 'kind' }),
    el('option', { value: 'node', textContent: 'Node', selected: by === 'node' }),
  );
  choice.onchange = () => {
    by = choice.value === 'node' ? 'node' : 'kind';
    again();
  };
  return el('label', { className: 'alerts-by' }, 'Group by ', choice);
}

/**
 * @param {Group} group
 * @param {boolean} unknown
 * @param {() => void} again
 * @returns {HTMLTableRowElement[]} one for the group, and one for each of its alerts once it is open
 */
function rowsOf(group, unknown, again) {
  const { key, alerts } = group;
  const [first] = alerts;
  if (first === undefined) return [];
  if (alerts.length === 1) return [rowOf(first, unknown)];
  const isOpen = open.has(key);
  const head = groupRow(group, first, () => {
    if (!open.delete(key)) open.add(key);
    again();
  });
  if (!isOpen) return [head];
  const members = alerts.map((alert) => rowOf(alert, unknown));
  for (const row of members) row.className = 'member';
  return [head, ...members];
}

/**
 * @param {string} label
 * @param {...(Node | string)} children
 */
function cell(label, ...children) {
  const one = el('td', {}, ...children);
  one.dataset.label = label;
  return one;
}

/** @param {number} since unix seconds */
function timeOf(since) {
  return el('time', {
    dateTime: new Date(since * 1000).toISOString(),
    title: timeAt(since, 'full'),
    textContent: `${timeAt(since, 'minute')}, ${duration(now() - since)} ago`,
  });
}

/**
 * @param {Group} group of several
 * @param {Alert} first
 * @param {() => void} onToggle
 */
function groupRow({ key, title, state, alerts }, first, onToggle) {
  const isOpen = open.has(key);
  const toggle = el('button', {
    id: `group-${key}`,
    className: 'plain group',
    textContent: title,
    onclick: onToggle,
  });
  toggle.setAttribute('aria-expanded', String(isOpen));
  const nodes = [...new Set(alerts.flatMap(({ node }) => node ?? []))];
  const more = nodes.length - NODES_SHOWN;
  const listed = `${nodes.slice(0, NODES_SHOWN).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  const kinds = [...new Set(alerts.map(({ kind }) => kind))];
  const about = by === 'node' ? kinds.join(', ') : first.why;
  const count = `${alerts.length} alerts${state === 'pending' ? ', pending' : ''}`;
  const row = el(
    'tr',
    { className: 'group' },
    cell('Severity', stateMark(first.severity)),
    cell('Alert', toggle, el('div', { className: 'quiet', textContent: count })),
    cell('Node', listed === '' ? '–' : listed),
    cell('Since', timeOf(Math.min(...alerts.map(({ since_unix_s: since }) => since)))),
    cell('Why', about),
    cell('', by === 'kind' ? linkOf(first, `group-link-${key}`) : ''),
  );
  row.dataset.state = state;
  return row;
}

/**
 * @param {Alert} alert
 * @param {string} id
 */
function linkOf({ title, node, link }, id) {
  const go = el('a', { id, textContent: 'View', href: addressOf({ tab: link.tab }) });
  Object.assign(go.dataset, { tab: link.tab, panel: link.panel ?? '' });
  const label = node === null ? `View charts for ${title}` : `View charts for ${title} on ${node}`;
  go.setAttribute('aria-label', label);
  return go;
}

/**
 * @param {Alert} alert
 * @param {boolean} unknown
 */
function rowOf(alert, unknown) {
  const { id, severity, state, title, node, since_unix_s: since, why, origin } = alert;
  const name = el('strong', { textContent: title });
  const value = alert.value === null ? '' : figure(alert.value, alert.unit ?? 'count');
  const details = [
    state === 'pending' ? 'pending' : '',
    value === '' ? '' : `${unknown ? 'last' : 'now'} ${value}`,
    origin === 'prometheus' ? 'from Prometheus' : '',
  ].filter((text) => text !== '');
  const row = el(
    'tr',
    {},
    cell('Severity', stateMark(severity)),
    cell('Alert', name, el('div', { className: 'quiet', textContent: details.join(' · ') })),
    cell('Node', node ?? '–'),
    cell('Since', timeOf(since)),
    cell('Why', why),
    cell('', linkOf(alert, `alert-${id}`)),
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
