import { setImmediate as nextTurn } from 'node:timers/promises';
import { HIDDEN_ADDRESS } from '../addresses.js';
import { LINES_MAX, type LogEntry, type LogPage, type LogQuery } from './log-store.js';
import { HIDDEN_SECRET } from './redact.js';

/** A search among lines as they are shown. */
export interface LineSearch extends Omit<LogQuery, 'query'> {
  /** @param contains - what lines of the log store must have in them; undefined for any */
  readonly query: (contains: string | undefined) => string;
  /** The text that a shown line must contain; empty for any. */
  readonly contains: string;
}

export interface FoundLines<Line> {
  /** The newest first. */
  readonly lines: readonly Line[];
  /** Whether there are older ones, or not all could be looked at. */
  readonly hasMore: boolean;
  readonly completeFromS: number | null;
  readonly seenToS: number;
}

/** The limit of pages of 5000 lines: one search must not keep the log store busy for ever. */
const PAGES_MAX = 10;
/** No further page behind so long: with the last one, that is less than a page in a browser waits. */
const PAGING_MS = 10_000;
/** The number of lines that are prepared in less than a few milliseconds. */
const LINES_A_TURN = 100;

/**
 * Looks for lines by their text as it is shown: who looks for a part of a secret or of an address
 * that is hidden finds nothing, whether it is in the log or not. The log store looks first, by the
 * same text, since most lines have nothing to hide; what it finds besides only takes time.
 *
 * @param show - a line without what is to be hidden
 * @param nowMs - of a clock that never goes back
 * @throws SourceError
 */
export async function visibleLines<Line extends { readonly line: string }>(
  range: (query: LogQuery) => Promise<LogPage>,
  show: (entry: LogEntry) => Line,
  { query: queryOf, contains, fromS, toS, limit: shown }: LineSearch,
  nowMs: () => number = () => performance.now(),
): Promise<FoundLines<Line>> {
  const query = queryOf(contains === '' || isOfHidden(contains) ? undefined : contains);
  // One more than is shown says whether there are more.
  const wanted = Math.min(shown + 1, LINES_MAX);
  let found: { readonly unixS: number; readonly line: Line }[] = [];
  let [completeFromS, seenToS]: [number | null, number | undefined] = [null, undefined];
  let endS = toS;
  let limit = wanted;
  let isWhole = false;
  const untilMs = nowMs() + PAGING_MS;
  for (let pages = 0; pages < PAGES_MAX; pages++) {
    const page = await range({ query, fromS, toS: endS, limit });
    completeFromS = page.completeFromS;
    seenToS ??= Math.min(toS, page.nowS ?? toS);
    for (const [index, entry] of page.entries.entries()) {
      if (index % LINES_A_TURN === 0) await nextTurn();
      const line = show(entry);
      if (line.line.includes(contains)) found.push({ unixS: entry.unixS, line });
    }
    isWhole = page.entries.length < limit;
    if (isWhole || found.length >= wanted || nowMs() > untilMs) break;
    // The page may have only a part of its last millisecond: that is asked for again, whole.
    const oldestS = page.entries.at(-1)?.unixS ?? fromS;
    const nextS = (Math.round(oldestS * 1000) + 1) / 1000;
    if (nextS >= endS && limit === LINES_MAX) break;
    found = found.filter(({ unixS }) => unixS !== oldestS);
    endS = nextS;
    limit = LINES_MAX;
  }
  return {
    lines: found.slice(0, shown).map(({ line }) => line),
    hasMore: !isWhole || found.length >= wanted,
    completeFromS,
    seenToS: seenToS ?? toS,
  };
}

/** Whether a text can be found where a shown line has something else than the log. */
function isOfHidden(text: string): boolean {
  return [HIDDEN_SECRET, HIDDEN_ADDRESS].some((hidden) => {
    if (hidden.includes(text) || text.includes(hidden)) return true;
    return Array.from(hidden, (_, index) => index + 1).some(
      (length) => text.endsWith(hidden.slice(0, length)) || text.startsWith(hidden.slice(-length)),
    );
  });
}
