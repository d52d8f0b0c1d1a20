import { $ } from '../dom.js';
import { fail } from '../shell.js';

export { fail };

/** What the page shows: one place, known to all its parts. */
export const view = {
  container: null,
  prefix: '',
  trash: false,
  rows: [],
  selected: new Set(),
  next: null,
  previous: null,
};

const RANK = { reader: 0, member: 1, admin: 2, operator: 3 };
let role = 'reader';

export function setRole(given) {
  role = given;
}

/** Whether the user's role has at least the rights of this one; the console checks again. */
export function may(least) {
  return RANK[role] >= RANK[least];
}

/** Runs what a button does; what goes wrong is shown. */
export function act(selector, work) {
  $(selector).addEventListener('click', () => {
    $('#banner').hidden = true;
    work().catch(fail);
  });
}

/** Names stand behind `#`, so that a reload and the back button keep the place. */
export function go(container, prefix) {
  location.hash = `${encodeURIComponent(container)}/${encodeURIComponent(prefix)}`;
}

/** Takes the place from the address. */
export function readPlace() {
  const [container = '', prefix = ''] = location.hash.slice(1).split('/').map(decodeURIComponent);
  Object.assign(view, { container: container === '' ? null : container, prefix, trash: false });
}
