import { wildcards } from './wildcards.js';
import type { LogEntry } from './log-tail.js';

/** Whether an entry is asked for. */
export type LogFilter = (entry: LogEntry) => boolean;

/** The part of LogQL that is not understood. */
export class LogQueryError extends Error {
  override readonly name = 'LogQueryError';
}

const QUOTED = String.raw`"(?:[^"\\]|\\.)*"|` + '`[^`]*`';
const MATCHER = new RegExp(
  String.raw`^\s*([A-Za-z_]\w*)\s*(=~|!~|!=|=)\s*(${QUOTED})\s*(,|(?=\}))`,
);
const LINE_FILTER = new RegExp(String.raw`^\s*(\|=|!=|\|~|!~)\s*(${QUOTED})`);
const QUERY_MAX = 4096;

/**
 * The part of LogQL that selects lines: a selector of labels, and filters of lines behind it, such
 * as `{process="listener", level=~"warn|error"} |= "tx9f" != "probe"`. Regular expressions are
 * limited to what {@link wildcards} knows, so that no query can keep the supervisor busy.
 * @throws LogQueryError
 */
export function parseLogQuery(query: string): LogFilter {
  if (query.length > QUERY_MAX) throw new LogQueryError('the query is too long');
  let rest = query.trim();
  if (!rest.startsWith('{'))
    throw new LogQueryError('expected a selector, such as {process="listener"}');
  rest = rest.slice(1);
  const filters: LogFilter[] = [];
  while (!rest.trimStart().startsWith('}')) {
    const [whole, name, operator, value] = take(MATCHER, rest);
    filters.push(labelFilter(name, operator, unquoted(value)));
    rest = rest.slice(whole.length);
  }
  rest = rest.trimStart().slice(1);
  while (rest.trim() !== '') {
    const [whole, operator, value] = take(LINE_FILTER, rest);
    filters.push(lineFilter(operator, unquoted(value)));
    rest = rest.slice(whole.length);
  }
  return (entry) => filters.every((filter) => filter(entry));
}

function take(pattern: RegExp, text: string): [whole: string, ...groups: [string, string, string]] {
  const match = pattern.exec(text);
  if (match === null) throw new LogQueryError(`not understood: ${text.trim().slice(0, 80)}`);
  const [whole, first = '', second = '', third = ''] = match;
  return [whole, first, second, third];
}

function labelFilter(name: string, operator: string, value: string): LogFilter {
  const labelOf = ({ labels }: LogEntry): string =>
    Object.hasOwn(labels, name) ? labels[name as keyof typeof labels] : '';
  const matches = operator.endsWith('~') ? pattern(value, true) : (text: string) => text === value;
  const wanted = operator.startsWith('=');
  return (entry) => matches(labelOf(entry)) === wanted;
}

function lineFilter(operator: string, value: string): LogFilter {
  const matches = operator.endsWith('~')
    ? pattern(value, false)
    : (text: string) => text.includes(value);
  const wanted = operator.startsWith('|');
  return ({ line }) => matches(line) === wanted;
}

function pattern(text: string, isWhole: boolean): (text: string) => boolean {
  const matches = wildcards(text, isWhole);
  if (matches !== undefined) return matches;
  throw new LogQueryError(`of regular expressions only | .* and .+ are understood: ${text}`);
}

function unquoted(value: string): string {
  if (value.startsWith('`')) return value.slice(1, -1);
  try {
    return JSON.parse(value) as string;
  } catch {
    throw new LogQueryError(`not a text: ${value}`);
  }
}
