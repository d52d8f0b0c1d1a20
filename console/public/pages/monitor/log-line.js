import { el, shownText } from '../../js/dom.js';
import { stateMark } from './state.js';
import { timeAt } from './units.js';

/** @typedef {import('../../../surfaces/monitor/logs/logs.js').LogLineView} LogLine */

/** @type {Record<string, string>} */
const LEVELS = { fatal: 'crit', error: 'crit', warn: 'warn', info: 'info' };

/** What stands in columns of its own, or says nothing to a reader. */
const TOLD = new Set([
  'level',
  'time',
  'msg',
  'message',
  'pid',
  'hostname',
  'process',
  'worker',
  'v',
]);

/**
 * @param {string} line
 * @returns {Record<string, unknown> | null} the fields of a line that is a JSON object, else null
 */
function fieldsOf(line) {
  if (!line.startsWith('{')) return null;
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

/**
 * @param {string} line
 * @param {Record<string, unknown> | null} fields
 */
function shortText(line, fields) {
  if (fields === null) return line;
  const rest = Object.entries(fields)
    .filter(([key, value]) => !TOLD.has(key) && value !== null && value !== '')
    .map(([key, value]) => `${key}=${typeof value === 'object' ? JSON.stringify(value) : value}`);
  return [fields.msg ?? fields.message ?? '', ...rest].filter((text) => text !== '').join(' ');
}

/**
 * Which line it is, as far as that can be told: lines have no ids.
 *
 * @param {LogLine} line
 */
export const keyOf = ({ unix_s: time, service, node, worker, line }) =>
  JSON.stringify([time, service, node, worker, line]);

/**
 * @param {LogLine} entry
 * @param {(id: string) => void} onId told the id of the request that was chosen
 */
export function logLine(entry, onId) {
  const { unix_s: time, service, node, worker, level, trans_id: id, line } = entry;
  const fields = fieldsOf(line);
  const stamp = el('time', {
    dateTime: new Date(time * 1000).toISOString(),
    title: timeAt(time, 'full'),
    textContent: `${timeAt(time, 'second')}.${String(Math.floor((time % 1) * 1000)).padStart(3, '0')}`,
  });
  const where = [service, worker, node].filter((text) => text !== null);
  const summary = el(
    'summary',
    {},
    stamp,
    stateMark(LEVELS[level ?? ''] ?? 'unknown', level ?? 'no level'),
    el('span', { className: 'where', textContent: where.join(' ') }),
    el('span', { className: 'text', textContent: shownText(shortText(line, fields)) }),
  );
  const whole = fields === null ? line : JSON.stringify(fields, null, 2);
  const details = el('details', {}, summary, el('pre', { tabIndex: 0, textContent: whole }));
  const row = el('li', {}, details);
  if (id !== null) {
    const button = el('button', {
      className: 'small id',
      textContent: id,
      onclick: () => onId(id),
    });
    button.title = 'Show all lines of this request';
    button.setAttribute('aria-label', `Show all lines of request ${id}`);
    row.append(button);
  }
  return row;
}
