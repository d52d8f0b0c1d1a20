import { USER_AGENT } from '../../../swift/upstream.js';

/** Names of labels in a log store, by what they mean. */
export interface LogLabelNames {
  readonly service: string;
  readonly node: string;
  readonly level: string;
  readonly worker: string;
}

/** The search of a user; no part of it is LogQL. */
export interface LogWish {
  readonly services: readonly string[];
  /** The nodes by the store's names. */
  readonly nodes: readonly string[];
  readonly level?: LogLevel | undefined;
  readonly contains?: string | undefined;
  /** Leaves out what the console itself asked for. */
  readonly hideOwn?: boolean | undefined;
}

/** The levels from the most severe on, each with the names that programs use for it. */
const LEVELS = {
  error: ['fatal', 'emerg', 'alert', 'crit', 'critical', 'error', 'err'],
  warn: ['warn', 'warning', 'notice'],
  info: ['info', 'information'],
  debug: ['debug'],
  trace: ['trace'],
} as const;

export type LogLevel = keyof typeof LEVELS;

export const LOG_LEVELS = Object.keys(LEVELS) as [LogLevel, ...LogLevel[]];

/**
 * LogQL for a wish. What is wished for becomes literals alone: whatever stands in it, the selector
 * and the filter stay what they are.
 */
export function logQuery(wish: LogWish, names: LogLabelNames): string {
  const matchers = [
    // Loki wants one matcher at least that empty labels do not fit.
    wish.services.length === 0
      ? `${names.service}=~".+"`
      : `${names.service}=~${oneOf(wish.services)}`,
    ...(wish.nodes.length === 0 ? [] : [`${names.node}=~${oneOf(wish.nodes)}`]),
    ...(wish.level === undefined ? [] : [`${names.level}=~${levelsFrom(wish.level)}`]),
  ];
  const { contains = '' } = wish;
  const filter = contains === '' ? '' : ` |= ${literal(contains)}`;
  const own = wish.hideOwn === true ? ` != ${literal(USER_AGENT)}` : '';
  return `{${matchers.join(', ')}}${own}${filter}`;
}

/**
 * LogQL for how many lines of each level there are, in steps.
 * @param stepS - whole seconds
 */
export function volumeQuery(wish: LogWish, names: LogLabelNames, stepS: number): string {
  return `sum by (${names.level}) (count_over_time(${logQuery(wish, names)}[${stepS}s]))`;
}

/** A text as LogQL quotes it: Go's escapes include JSON's, for text that is well-formed. */
export function literal(text: string): string {
  return JSON.stringify(text.replace(/\p{Surrogate}/gu, '\uFFFD'));
}

/** The level that a program's own name for it means; `other` for what is none. */
export function levelOf(name = ''): LogLevel | 'other' {
  const wanted = name.toLowerCase();
  return LOG_LEVELS.find((level) => LEVELS[level].some((one) => one === wanted)) ?? 'other';
}

function oneOf(texts: readonly string[]): string {
  return literal(texts.map((text) => text.replace(/[\\^$.|?*+()[\]{}]/g, '\\$&')).join('|'));
}

function levelsFrom(level: LogLevel): string {
  const wanted = LOG_LEVELS.slice(0, LOG_LEVELS.indexOf(level) + 1);
  return literal(`(?i)${wanted.flatMap((one) => LEVELS[one]).join('|')}`);
}
