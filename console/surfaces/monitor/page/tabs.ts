import { $, el } from '../../../ui/dom.js';
import { place, setPlace } from './place.js';

/** Tabs as the ARIA practices have them: one stop of the Tab key, arrows between them. */
export function showTabs(tabs: readonly { id: string; title: string }[]) {
  $('#tabs').replaceChildren(
    ...tabs.map(({ id, title }) => {
      const tab = el('button', { id: `tab-${id}`, role: 'tab', textContent: title });
      tab.setAttribute('aria-controls', 'panel');
      tab.onclick = () => setPlace({ tab: id });
      return tab;
    }),
  );
  $('#tabs').onkeydown = (event) => {
    const ids = tabs.map(({ id }) => id);
    const at = ids.indexOf(place.tab);
    const moves: Record<string, number> = {
      ArrowLeft: at - 1,
      ArrowRight: at + 1,
      Home: 0,
      End: ids.length - 1,
    };
    const move = moves[event.key];
    const next = move === undefined ? undefined : ids.at(move % ids.length);
    if (next === undefined) return;
    event.preventDefault();
    setPlace({ tab: next });
    $(`#tab-${next}`).focus();
  };
  markTab();
}

export function markTab() {
  for (const tab of $('#tabs').querySelectorAll('button')) {
    const chosen = tab.id === `tab-${place.tab}`;
    tab.ariaSelected = String(chosen);
    tab.tabIndex = chosen ? 0 : -1;
  }
  $('#panel').setAttribute('aria-labelledby', `tab-${place.tab}`);
}
