import { timeAt } from '../../../ui/clock.js';
import { el, shownText } from '../../../ui/dom.js';
import { iconButton } from '../../../ui/icons.js';
import { stateMark } from './state.js';
import type { LogLineView as LogLine } from '../logs/logs.js';

const LEVELS: Record<string, string> = { fatal: 'crit', error: 'crit', warn: 'warn', info: 'info' };

/** Fields that have columns of their own, or say nothing to a reader. */
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
  'request_id',
  'trans_id',
]);

/** @returns the fields of a line that is a JSON object, else null */
function fieldsOf(line: string): Record<string, unknown> | null {
  if (!line.startsWith('{')) return null;
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return null;
  }
}

/** A request that a line tells of; what it does not say is an empty text. */
interface LoggedRequest {
  method: string;
  path: string;
  status: string;
  ms: string;
}

/**
 * The access line of a Swift proxy: client, peer, time, request line, status, referrer, agent, token,
 * bytes in and out, ETag, transaction, headers, seconds (Swift's middleware/proxy_logging.py).
 */
const PROXY_LINE =
  /\S+ \S+ \d\d\/\w{3}\/\d{4}\/\d\d\/\d\d\/\d\d (?<method>[A-Z]+) (?<path>\S+) HTTP\/\S+ (?<status>\d{3})(?: \S+){8} (?<seconds>\d+\.\d+)/;
/**
 * The line of a storage server: client, time, request line, status, bytes, referrer, transaction,
 * agent, seconds (Swift's get_log_line in common/utils).
 */
const SERVER_LINE =
  /\[[^\]]+\] "(?<method>[A-Z]+) (?<path>[^"\s]+)[^"]*" (?<status>\d{3}) \S+ "[^"]*" "[^"]*" "[^"]*" (?<seconds>\d+\.\d+)/;

/** Columns of a request say these. */
const OF_REQUEST = new Set(['method', 'status', 'total_ms', 'bucket', 'key', 'path']);
/** The message of access lines. */
const REQUEST = 'request';

/** @returns null for a line that tells of no request */
export function requestOf(
  line: string,
  fields: Record<string, unknown> | null,
): LoggedRequest | null {
  if (fields !== null) {
    const { method, status, bucket, key, path, total_ms: ms } = fields;
    if (typeof method !== 'string' || typeof status !== 'number') return null;
    const names = [bucket, key].filter((name) => typeof name === 'string');
    const shown = typeof path === 'string' ? path : `/${names.join('/')}`;
    return {
      method,
      path: shown,
      status: String(status),
      ms: typeof ms === 'number' ? millis(ms) : '',
    };
  }
  const found = (PROXY_LINE.exec(line) ?? SERVER_LINE.exec(line))?.groups;
  if (found === undefined) return null;
  const { method = '', path = '', status = '', seconds = '' } = found;
  return { method, path, status, ms: millis(Number(seconds) * 1000) };
}

function millis(ms: number) {
  return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
}

/** @param isRequest whether columns of their own show what is told of a request */
function shortText(line: string, fields: Record<string, unknown> | null, isRequest: boolean) {
  if (fields === null) return line;
  const rest = Object.entries(fields)
    .filter(([key, value]) => !TOLD.has(key) && value !== null && value !== '')
    .filter(([key]) => !isRequest || !OF_REQUEST.has(key))
    .map(([key, value]) => `${key}=${plainText(value)}`);
  const message = fields.msg ?? fields.message ?? '';
  const told = isRequest && message === REQUEST ? '' : message;
  return [plainText(told), ...rest].filter((text) => text !== '').join(' ');
}

/** A value of a line of JSON, as it is read. */
function plainText(value: unknown) {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Which line it is, as far as that can be told: lines have no ids. */
export const keyOf = ({ unix_s: time, service, node, worker, line }: LogLine) =>
  JSON.stringify([time, service, node, worker, line]);

/** @param onId told the id of the request that was chosen */
export function logLine(entry: LogLine, onId: (id: string) => void) {
  const { unix_s: time, service, node, worker, level, trans_id: id, line } = entry;
  const fields = fieldsOf(line);
  const stamp = el('time', {
    dateTime: new Date(time * 1000).toISOString(),
    title: timeAt(time, 'full'),
    textContent: `${timeAt(time, 'second')}.${String(Math.floor((time % 1) * 1000)).padStart(3, '0')}`,
  });
  // There is one process of most kinds, which has no number.
  const where = [service, worker === '0' ? null : worker, node].filter((text) => text !== null);
  const request = requestOf(line, fields);
  const text = shownText(shortText(line, fields, request !== null));
  const summary = el(
    'summary',
    { className: request === null ? '' : 'request' },
    stamp,
    stateMark(LEVELS[level ?? ''] ?? 'unknown', level ?? 'no level'),
    el('span', { className: 'where', textContent: where.join(' ') }),
    ...(request === null ? [] : cellsOf(request)),
    el('span', { className: 'text', textContent: text }),
  );
  const whole = fields === null ? line : JSON.stringify(fields, null, 2);
  const details = el('details', {}, summary, el('pre', { tabIndex: 0, textContent: whole }));
  const row = el('li', {}, details);
  row.dataset.time = String(time);
  row.dataset.level = level ?? '';
  if (id !== null) {
    const button = iconButton('list', `Show all log lines for request ${id}`, () => onId(id));
    row.append(button);
  }
  return row;
}

function cellsOf({ method, path, status, ms }: LoggedRequest) {
  const kind = status >= '500' ? 'crit' : status >= '400' ? 'warn' : 'ok';
  return [
    el('span', { className: 'method', textContent: method }),
    el('span', { className: 'path', textContent: shownText(path), title: path }),
    stateMark(kind, status),
    el('span', { className: 'ms', textContent: ms }),
  ];
}
