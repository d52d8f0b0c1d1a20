import { raw } from '../api.js';
import { $, el } from '../dom.js';
import { load, showFound } from './listing.js';
import { attempt, folder, view } from './state.js';

/** The store has no search: the console reads listings within limits, and says how far it came. */

const MIB = 1024 * 1024;
/** As many as the console finds at a time: with more rows than this no others join them. */
const ROWS_KEPT_MAX = 1000;
const NOTHING_YET = { hits: [], gone: 0, scanned: 0 };
let running = null;

export function wireSearch() {
  $('#search').onsubmit = (event) => {
    event.preventDefault();
    attempt(() => begin());
  };
  $('#search-clear').onclick = () => {
    $('#search').reset();
    $('#search-more').open = false;
    running?.abort();
    attempt(() => load());
  };
}

function asked() {
  const given = Object.fromEntries(new FormData($('#search')));
  const q = given.q.trim();
  const body = { container: view.container, prefix: folder(), q: q === '' ? '*' : q };
  body.mode = q === '' || (given.mode === 'substring' && /[*?]/.test(q)) ? 'glob' : given.mode;
  if (given.min_mib !== '') body.bytes_min = Math.round(Number(given.min_mib) * MIB);
  if (given.max_mib !== '') body.bytes_max = Math.round(Number(given.max_mib) * MIB);
  if (given.since !== '') body.since = given.since;
  if (given.until !== '') body.until = given.until;
  return body;
}

/**
 * @param marker - where a search that reached its limit goes on
 * @param before - what it had found until then: `hits`, `gone` of which are no longer shown, and
 *   the names that were `scanned`
 */
async function begin(marker = undefined, before = NOTHING_YET) {
  running?.abort();
  const control = new AbortController();
  running = control;
  const body = asked();
  const hits = [...before.hits];
  if (marker === undefined) showFound([], 'Searching…');
  $('#state').replaceChildren(
    'Searching… ',
    el('button', { textContent: 'Stop', onclick: () => control.abort() }),
  );
  let end = null;
  try {
    for await (const line of linesOf(
      await raw('POST', '/api/files/search', { ...body, marker }, false, control.signal),
    )) {
      if (line.error) throw new Error(line.error.message);
      if (line.scanned === undefined) hits.push(line);
      else end = line;
    }
  } catch (error) {
    if (!control.signal.aborted) {
      if (running === control) showFailure(error);
      return;
    }
  }
  // Another search, or another place, has taken the table.
  if (running !== control) return;
  running = null;
  const start = body.prefix;
  showFound(
    hits.map((hit) => ({ kind: 'object', ...hit, display: hit.name.slice(start.length) })),
    '',
  );
  $('#as-of').textContent = '';
  showEnd({ ...before, hits }, end);
}

/** What was found before stays. */
function showFailure(error) {
  running = null;
  $('#state').replaceChildren(el('span', { className: 'error', textContent: error.message }));
}

function showEnd({ hits, gone, scanned: scannedBefore }, end) {
  const found = (hits.length + gone).toLocaleString();
  const shown = gone === 0 ? '' : `, the last ${hits.length.toLocaleString()} of which are shown`;
  if (end === null) {
    $('#state').textContent = `Stopped: ${found} found so far${shown}.`;
    return;
  }
  const scanned = scannedBefore + end.scanned;
  const text = `${found} found in ${scanned.toLocaleString()} names${shown}. `;
  if (!end.truncated) {
    $('#state').textContent = `${text}That is all there is.`;
    return;
  }
  const isFull = hits.length >= ROWS_KEPT_MAX;
  const before = isFull ? { hits: [], gone: gone + hits.length, scanned } : { hits, gone, scanned };
  $('#state').replaceChildren(
    `${text}There is more behind “${end.next_marker}”. `,
    el('button', {
      textContent: 'Search on',
      onclick: () => attempt(() => begin(end.next_marker, before)),
    }),
  );
}

/** Lines of JSON, as they come. */
async function* linesOf(answer) {
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { value, done } = await reader.read();
    const lines = (rest + (value ?? '')).split('\n');
    rest = lines.pop();
    for (const line of lines) if (line !== '') yield JSON.parse(line);
    if (done) return;
  }
}

/** A search ends with the place that it was of. */
export function stopSearch() {
  running?.abort();
  running = null;
}
