import { call } from '../../../../ui/api.js';
import { $, el } from '../../../../ui/dom.js';
import { fill, pageHead, setViewState, table, viewState } from '../../../../ui/parts.js';
import type { ConsoleText } from '../../surface.js';
import type { Column } from '../../../../ui/parts.js';

const COLUMNS: readonly Column<ConsoleText>[] = [
  { title: 'Text', value: ({ text }) => text },
  { title: 'Type', value: ({ kind }) => kind },
  { title: 'Source locations', value: ({ places }) => places.join(' ') },
];
/** Typing in the field draws the table again; the file has all rows. */
const SHOWN_MAX = 200;

/** Shows all texts, or those that contain what was typed. */
export async function mount() {
  const search = el('input', { type: 'search', placeholder: 'Text or file name' });
  search.value = viewState().q ?? '';
  const place = el('div');
  $('#main').append(pageHead(), el('label', { className: 'field' }, 'Search', search), place);
  await fill(place, async () => {
    const { items } = await call('GET', '/api/design/texts');
    const result = el('div');
    const show = () => result.replaceChildren(...found(items, search.value));
    search.oninput = () => {
      setViewState({ q: search.value });
      show();
    };
    show();
    return [result];
  });
}

function found(items: readonly ConsoleText[], given: string) {
  const wanted = given.trim().toLowerCase();
  const rows = items.filter(({ text, places }) =>
    [text, ...places].some((one) => one.toLowerCase().includes(wanted)),
  );
  const count = rows.length === 1 ? '1 text' : `${rows.length} texts`;
  const told = el('p', { className: 'quiet', textContent: count });
  told.setAttribute('role', 'status');
  return [told, table('Texts', COLUMNS, rows, SHOWN_MAX)];
}
