import { raw } from '../api.js';
import { $ } from '../dom.js';
import { load, show } from './listing.js';
import { view } from './state.js';

/** Objects below the folder with a text in their names, or like a pattern with `*` and `?`. */
export async function search(text) {
  const { container, prefix } = view;
  if (container === null || text === '') return load();
  $('#state').textContent = 'Searching…';
  const mode = /[*?]/.test(text) ? 'glob' : 'substring';
  const answer = await raw('POST', '/api/files/search', { container, prefix, q: text, mode });
  const lines = (await answer.text())
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const end = lines.pop();
  if (end.error) throw new Error(end.error.message);
  show(
    lines.map((hit) => ({ kind: 'object', display: hit.name.slice(prefix.length), ...hit })),
    'Nothing found.',
  );
  const more = end.truncated ? 'There may be more behind them.' : 'That is all there is.';
  $('#state').textContent = `${lines.length} found in ${end.scanned} names. ${more}`;
  return undefined;
}
