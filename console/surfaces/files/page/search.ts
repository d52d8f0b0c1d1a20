import { ApiFailure, raw } from '../../../ui/api.js';
import { $, el, messageOf, shownText } from '../../../ui/dom.js';
import { load, showFound, showFrame } from './listing.js';
import { pageOf, showPlace } from './place.js';
import { attempt, folder, stopSearch, view, type Find } from './state.js';
import type { SearchHit } from '../search-thread.js';
import type { SearchEnd, SearchFailure } from '../search.js';

/** The store has no search: the console reads listings within limits, and says how far it came. */

/**
 * Found by now: the `hits`, the number of those that are `gone` from the table, and of the names
 * that were `scanned`.
 */
interface Found {
  hits: readonly SearchHit[];
  gone: number;
  scanned: number;
}

const MIB = 1024 * 1024;
/** The number of rows that the console finds at a time; beyond it the last ones stay. */
const ROWS_KEPT_MAX = 1000;
const NOTHING_YET: Found = { hits: [], gone: 0, scanned: 0 };

export function wireSearch() {
  $('#search').onsubmit = (event) => {
    event.preventDefault();
    showPlace({ find: given(), ...pageOf({}), object: null }, 'push');
    attempt(() => begin(asked()));
  };
  $('#search-clear').onclick = () => {
    $('#search').reset();
    $('#search-more').open = false;
    attempt(() => load());
  };
}

/** Searches as the address says, in the place that is shown. */
export async function findAgain(find: Find) {
  await showFrame();
  const form = $('#search');
  for (const [key, value] of Object.entries(find)) {
    const field = form.elements.namedItem(key) as HTMLInputElement | HTMLSelectElement;
    if (key !== 'mode' || value !== '') field.value = value;
  }
  $('#search-more').open = [find.min_mib, find.max_mib, find.since, find.until].some(Boolean);
  await begin(asked());
}

const given = () => Object.fromEntries(new FormData($('#search'))) as Find;

/** The search, as the API takes it. */
function asked() {
  const { q: text, mode, min_mib: min, max_mib: max, since, until } = given();
  const q = text.trim();
  return {
    ...{ container: view.container, prefix: folder(), q: q === '' ? '*' : q },
    mode: q === '' || (mode === 'substring' && /[*?]/.test(q)) ? 'glob' : mode,
    ...(min !== '' && { bytes_min: Math.round(Number(min) * MIB) }),
    ...(max !== '' && { bytes_max: Math.round(Number(max) * MIB) }),
    ...(since !== '' && { since }),
    ...(until !== '' && { until }),
  };
}

type Wanted = ReturnType<typeof asked>;

/**
 * @param body it stays so when it goes on, whatever the form says by then
 * @param marker where a search that reached its limit goes on
 * @param before what it had found until then
 */
async function begin(body: Wanted, marker?: string, before: Found = NOTHING_YET) {
  stopSearch();
  const control = new AbortController();
  view.search = control;
  $('#search-clear').hidden = false;
  tell(
    () => marker === undefined && showFound([], 'Searching…'),
    'Searching… ',
    el('button', { textContent: 'Stop', onclick: () => control.abort() }),
  );
  const hits = [...before.hits];
  let end = null as SearchEnd | null;
  try {
    for await (const line of linesOf(
      await raw('POST', '/api/files/search', { ...body, marker }, false, control.signal),
    )) {
      if ('error' in line) throw new Error(line.error.message);
      if ('scanned' in line) end = line;
      else hits.push(line);
    }
  } catch (error) {
    if (!control.signal.aborted) {
      if (view.search === control) showFailure(error, () => begin(body, marker, before));
      return;
    }
  }
  // Another search, or another place, has taken the table.
  if (view.search !== control) return;
  view.search = null;
  const kept = hits.slice(-ROWS_KEPT_MAX);
  const found = {
    hits: kept,
    gone: before.gone + hits.length - kept.length,
    scanned: before.scanned + (end?.scanned ?? 0),
  };
  const goOn = () => begin(body, end?.next_marker ?? undefined, found);
  tell(() => showRows(kept, body.prefix), ...endOf(found, end, goOn));
}

function showRows(hits: readonly SearchHit[], start: string) {
  showFound(
    hits.map((hit) => ({ kind: 'object', ...hit, display: hit.name.slice(start.length) })),
    '',
  );
  $('#as-of').textContent = '';
}

/** Earlier results stay; a search that the API refuses as invalid is not offered again. */
function showFailure(error: unknown, again: () => unknown) {
  view.search = null;
  const text = el('span', { className: 'error', textContent: messageOf(error) });
  const isInvalid = error instanceof ApiFailure && error.status === 400;
  tell(() => undefined, text, ...(isInvalid ? [] : [' ', button('Try again', again)]));
}

/** @param end null where it was stopped */
function endOf({ hits, gone, scanned }: Found, end: SearchEnd | null, goOn: () => unknown) {
  const found = (hits.length + gone).toLocaleString();
  const matches = `${found} ${found === '1' ? 'match' : 'matches'} in ${scanned.toLocaleString()} names.`;
  const shown = gone === 0 ? '' : ` Showing the last ${hits.length.toLocaleString()}.`;
  if (end === null) return [`Search stopped. ${matches}${shown}`];
  if (!end.truncated) return [`Search complete. ${matches}${shown}`];
  return [
    `Search stopped at “${shownText(end.next_marker ?? '')}”. ${matches}${shown} `,
    button('Continue search', goOn),
  ];
}

function button(text: string, work: () => unknown) {
  return el('button', { textContent: text, onclick: () => attempt(work) });
}

/**
 * Says how far the search is. If the focus is in a part that goes away, it moves to the rest, and
 * not to the top of the page.
 *
 * @param work shows the rows that go with it
 */
function tell(work: () => unknown, ...nodes: (Node | string)[]) {
  const state = $('#state');
  const hadFocus = state.contains(document.activeElement);
  work();
  state.replaceChildren(...nodes);
  if (!hadFocus) return;
  const objects = $('#objects');
  if (!objects.hidden) objects.focus({ preventScroll: true });
  else (state.querySelector('button') ?? $('#q')).focus();
}

/** Lines of JSON, as they come. */
async function* linesOf(answer: Response): AsyncGenerator<SearchHit | SearchEnd | SearchFailure> {
  const body = answer.body as ReadableStream<BufferSource>;
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { value, done } = await reader.read();
    const lines = (rest + (value ?? '')).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line !== '') yield JSON.parse(line);
    if (done) return;
  }
}
