import { $, el, shownText } from './dom.js';
import { icon } from './icons.js';
import { openLayer } from './layers.js';
import { recentPlaces } from './recent.js';
import { goTo } from './side-page.js';

/** One thing that the palette offers. `keys` is the shortcut that does the same. */
export interface Command {
  text: string;
  icon: string;
  group: 'Go to' | 'Actions' | 'Recent';
  keys?: string;
  run: () => unknown;
}

const MOST = 50;

const sources: (() => readonly Command[])[] = [];

/**
 * Offers commands: asked for anew each time the palette opens, so that they are of what the page
 * shows then.
 */
export function offerCommands(source: () => readonly Command[]) {
  sources.push(source);
}

/** Those that have all words of the query somewhere, the ones that begin with it first. */
export function matching(commands: readonly Command[], query: string) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const textOf = ({ text, group }: Command) => `${text} ${group}`.toLowerCase();
  const rank = (one: Command) =>
    words.length > 0 && one.text.toLowerCase().startsWith(words.join(' ')) ? 0 : 1;
  return commands
    .filter((one) => words.every((word) => textOf(one).includes(word)))
    .sort((a, b) => rank(a) - rank(b))
    .slice(0, MOST);
}

/** Opens the palette; the keyboard stays in its field. */
function openPalette() {
  const here = location.pathname + (location.hash.split('?')[0] ?? '');
  const recent = recentPlaces()
    .filter(({ href }) => href !== here)
    .map(({ text, href }) => ({
      text,
      icon: 'history',
      group: 'Recent' as const,
      run: () => goTo(href),
    }));
  // The commands of the page come before those of every page.
  const all = [...recent, ...sources.toReversed().flatMap((source) => source())];
  const input = el('input', { type: 'text', placeholder: 'Search or go to…', spellcheck: false });
  const list = el('ul', { id: 'palette-list' });
  const none = el('p', { className: 'none', textContent: 'No matches.', hidden: true });
  none.setAttribute('role', 'status');
  const dialog = el('dialog', { className: 'palette' }, input, list, none);
  input.setAttribute('role', 'combobox');
  input.setAttribute('aria-label', 'Search pages and actions');
  input.setAttribute('aria-expanded', 'true');
  input.setAttribute('aria-controls', list.id);
  list.setAttribute('role', 'listbox');
  list.setAttribute('aria-label', 'Matches');
  dialog.setAttribute('aria-label', 'Command palette');
  let shown: Command[] = [];
  let at = 0;
  const close = async () => {
    await leave();
    dialog.close();
  };
  const choose = async (index: number) => {
    const chosen = shown[index];
    // A second press means nothing more.
    shown = [];
    await close();
    chosen?.run();
  };
  const mark = () => {
    for (const [index, line] of [...list.children].entries()) {
      line.setAttribute('aria-selected', String(index === at));
      if (index === at) line.scrollIntoView({ block: 'nearest' });
    }
    input.setAttribute('aria-activedescendant', shown.length === 0 ? '' : `command-${at}`);
  };
  const show = () => {
    shown = matching(all, input.value);
    at = 0;
    list.replaceChildren(...shown.map((one, index) => lineOf(one, index, () => choose(index))));
    none.hidden = shown.length > 0;
    list.hidden = shown.length === 0;
    mark();
  };
  input.oninput = show;
  dialog.onkeydown = (event) => {
    const count = shown.length;
    const keys: Record<string, () => void> = {
      ArrowDown: () => (at = (at + 1) % count),
      ArrowUp: () => (at = (at + count - 1) % count),
      Enter: () => choose(at),
    };
    const key = count > 0 ? keys[event.key] : undefined;
    // Keys of the page are not meant while it is open.
    event.stopPropagation();
    if (key === undefined) return;
    event.preventDefault();
    key();
    mark();
  };
  dialog.onclick = ({ target }) => {
    if (target === dialog) void close();
  };
  dialog.oncancel = (event) => {
    event.preventDefault();
    void close();
  };
  dialog.onclose = () => {
    void leave();
    dialog.remove();
  };
  document.body.append(dialog);
  dialog.showModal();
  const leave = openLayer(() => dialog.close());
  show();
}

function lineOf({ text, icon: name, group, keys }: Command, index: number, work: () => void) {
  const line = el(
    'li',
    { id: `command-${index}`, onclick: work },
    icon(name),
    el('span', { className: 'what', textContent: shownText(text) }),
  );
  line.setAttribute('role', 'option');
  if (keys !== undefined) line.append(el('kbd', { textContent: keys }));
  line.append(el('span', { className: 'group', textContent: group }));
  return line;
}

/** Ctrl K, or Cmd K, wherever the user is but in a dialog. */
export function wirePalette() {
  document.addEventListener('keydown', (event) => {
    const isOurs = event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey);
    if (!isOurs || event.altKey || event.shiftKey) return;
    event.preventDefault();
    if (document.querySelector('dialog[open]') === null) openPalette();
  });
  $('#find').onclick = openPalette;
}
