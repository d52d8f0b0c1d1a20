import { el } from './dom.js';
import { icon } from './icons.js';

export interface MenuItem {
  text: string;
  icon: string;
  work: () => unknown;
  danger?: boolean;
}

let open: HTMLElement | null = null;

/**
 * Opens a menu at a button. Escape, a click elsewhere and a choice close it; arrows move in it.
 *
 * @param items those that are dangerous come last, behind a line
 */
export function openMenu(button: HTMLElement, items: readonly MenuItem[]) {
  open?.remove();
  // Another place has other things to choose from. A listener that is there already is not added again.
  window.addEventListener('popstate', closeMenu);
  const menu = el('div', { className: 'menu' });
  open = menu;
  menu.setAttribute('role', 'menu');
  menu.popover = 'auto';
  const entries = [
    ...items.filter(({ danger }) => !danger),
    ...items.filter(({ danger }) => danger),
  ];
  const buttons = entries.map(({ text, icon: name, work, danger = false }) => {
    const entry = el('button', { className: danger ? 'danger' : '' }, icon(name), text);
    entry.setAttribute('role', 'menuitem');
    entry.onclick = () => {
      menu.hidePopover();
      button.focus();
      work();
    };
    return entry;
  });
  const firstDanger = entries.findIndex(({ danger }) => danger);
  menu.append(...buttons);
  if (firstDanger > 0) buttons[firstDanger]?.before(el('hr'));
  menu.addEventListener('keydown', (event) => {
    // Keys of the page are not meant while it is open.
    event.stopPropagation();
    moveIn(buttons, event);
  });
  menu.addEventListener('toggle', (event) => {
    if (event.newState === 'closed') menu.remove();
  });
  // In a dialog only what is inside of it can be reached; elsewhere it belongs to its landmark.
  (button.closest('dialog, main, aside, header') ?? document.body).append(menu);
  menu.showPopover();
  place(menu, button);
  buttons[0]?.focus();
}

function closeMenu() {
  open?.remove();
}

function moveIn(buttons: readonly HTMLButtonElement[], event: KeyboardEvent) {
  const at = buttons.findIndex((one) => one === document.activeElement);
  const moves: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 };
  const move = moves[event.key];
  if (move === undefined) return;
  event.preventDefault();
  buttons.at(move % buttons.length)?.focus();
}

/** Below the button where there is room, else above; never outside of the window. */
function place(menu: HTMLElement, button: HTMLElement) {
  const at = button.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = menu;
  const { innerWidth, innerHeight } = window;
  const below = at.bottom + 4;
  const top = below + height > innerHeight ? at.top - height - 4 : below;
  menu.style.top = `${Math.max(4, top)}px`;
  menu.style.left = `${Math.max(4, Math.min(at.right - width, innerWidth - width - 4))}px`;
}
