import { timeAt } from '../../../ui/clock.js';
import { $, durationText, el } from '../../../ui/dom.js';
import { select } from '../../../ui/parts.js';
import { groupsOf, groupsToShow, type By, type Group as GroupOf } from './alert-order.js';
import { plainTable, type TableColumns } from './cells.js';
import { now } from './clock.js';
import { addressOf } from './place.js';
import { emptyLine, keepingFocus, stateMark } from './state.js';
import { figure } from './units.js';
import type { AlertView as Alert } from '../alerts/alert-view.js';

type Group = GroupOf<Alert>;

/** Whether the user has asked for all of them. */
let isAll = false;
let by: By = 'kind';
/** Keys of the groups whose alerts are shown one by one. */
const open = new Set<string>();

const NODES_SHOWN = 3;

const COLUMNS: TableColumns = [
  ...['Severity', 'Alert', 'Node', 'Since', 'Why it matters'].map((title) => [title] as const),
  ['', '', 'Chart'],
];

/** @param unknown whether something that is watched is not known now */
export function showAlerts(alerts: readonly Alert[], unknown: boolean) {
  const firing = alerts.filter(({ state }) => state === 'firing');
  say(summary(firing, alerts.length - firing.length));
  const host = $('#alerts');
  if (alerts.length === 0) {
    const text = unknown
      ? 'No alerts in the available data. Some metrics are unavailable; see above.'
      : 'No alerts. All monitored metrics are within their thresholds.';
    host.replaceChildren(emptyLine(stateMark(unknown ? 'unknown' : 'ok', text)));
    return;
  }
  const groups = groupsOf(alerts, by);
  const { shown, rest } = groupsToShow(groups, isAll);
  const again = () => showAlerts(alerts, unknown);
  const rows = shown.flatMap((group) => rowsOf(group, unknown, again));
  const table = plainTable('Alerts, most severe first', COLUMNS, rows, 'alerts');
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
  const choice = alerts.length > 1 ? [choiceOf(again)] : [];
  keepingFocus(host, () => host.replaceChildren(...choice, table, toggle));
}

/**
 * @param shown how many groups are
 * @param all how many alerts there are
 */
function moreText(shown: number, all: number) {
  // Pending alerts come last: alone, they are behind this button.
  return shown === 0 ? `Show ${all} pending` : `Show all ${all}`;
}

function choiceOf(again: () => void) {
  const choice = select('by', [
    ['kind', 'Type'],
    ['node', 'Node'],
  ]);
  choice.id = 'alerts-by';
  choice.value = by;
  choice.onchange = () => {
    by = choice.value === 'node' ? 'node' : 'kind';
    again();
  };
  return el('label', { className: 'alerts-by' }, 'Group by ', choice);
}

/** @returns one for the group, and one for each of its alerts once it is open */
function rowsOf(group: Group, unknown: boolean, again: () => void): HTMLTableRowElement[] {
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

function cell(label: string, ...children: (Node | string)[]) {
  const one = el('td', {}, ...children);
  one.dataset.label = label;
  return one;
}

/** @param since unix seconds */
function timeOf(since: number) {
  return el('time', {
    dateTime: new Date(since * 1000).toISOString(),
    title: timeAt(since, 'full'),
    textContent: `${timeAt(since, 'minute')}, ${durationText(now() - since)} ago`,
  });
}

/** @param group of several */
function groupRow({ key, title, state, alerts }: Group, first: Alert, onToggle: () => void) {
  const isOpen = open.has(key);
  const toggle = el('button', {
    id: `group-${key}`,
    className: 'plain group',
    textContent: title,
    onclick: onToggle,
  });
  toggle.ariaExpanded = String(isOpen);
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

function linkOf({ title, node, link }: Alert, id: string) {
  const go = el('a', { id, textContent: 'View', href: addressOf({ tab: link.tab }) });
  Object.assign(go.dataset, { tab: link.tab, panel: link.panel ?? '' });
  go.ariaLabel = `View charts for ${title}${node === null ? '' : ` on ${node}`}`;
  return go;
}

function rowOf(alert: Alert, unknown: boolean) {
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

function summary(firing: readonly Alert[], pending: number) {
  const critical = firing.filter(({ severity }) => severity === 'critical').length;
  const texts = [];
  if (firing.length > 0) texts.push(`${firing.length} firing`);
  if (critical > 0) texts.push(`${critical} critical`);
  if (pending > 0) texts.push(`${pending} pending`);
  return texts.join(', ');
}

/** Said aloud when it changes, and only then. */
function say(text: string) {
  const count = $('#alerts-count');
  if (count.textContent !== text) count.textContent = text;
}
