import { isatty } from 'node:tty';

/** Keys that the line says in its own words, or that a reader at a terminal has no use for. */
const SAID = new Set(['level', 'time', 'process', 'pid', 'worker', 'msg', 'err']);

/** A log that goes to a terminal has lines to read instead of JSON. */
export function logsToTerminal(): boolean {
  return isatty(2);
}

/**
 * A line of the log for a terminal: time, level, who, message, and what else it says.
 *
 * @param json one line as pino writes it
 * @returns with its line feed; `undefined` for what the level `info` says of ordinary work
 */
export function terminalLine(json: string): string | undefined {
  const entry = JSON.parse(json) as Readonly<Record<string, unknown>>;
  if (entry.level === 'info') return undefined;
  const worker = entry.worker === undefined || entry.worker === 0 ? '' : ` ${textOf(entry.worker)}`;
  const rest = Object.entries(entry)
    .filter(([key]) => !SAID.has(key))
    .map(([key, value]) => ` ${key}=${textOf(value)}`)
    .join('');
  const error = (entry.err as { readonly message?: string } | undefined)?.message;
  const because = error === undefined ? '' : `: ${error}`;
  const time = textOf(entry.time).slice(11, 19);
  const who = `${textOf(entry.process)}${worker}`;
  return `${time} ${textOf(entry.level)} ${who}: ${textOf(entry.msg)}${because}${rest}\n`;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
