import { call } from '../../../ui/api.js';
import { $, ask, el } from '../../../ui/dom.js';
import { fail } from '../../../ui/shell.js';
import { withSkeletonRows } from '../../../ui/skeleton.js';
import { carryOut } from './change.js';
import type { UsersView } from '../routes.js';
import type { Group, UserChange } from '../user-change.js';

type User = UsersView['users'][number];

const MEANINGS: Record<string, string> = {
  '.admin': 'full access to its own account',
  '.reseller_admin': 'full access to all accounts',
  '.reseller_reader': 'read access to all accounts',
};

let view: Pick<UsersView, 'groups' | 'own_account'> = { groups: [], own_account: null };

function attempt(work: () => Promise<void>) {
  $('#banner').hidden = true;
  work().catch(fail);
}

const load = () => withSkeletonRows($('#rows'), { columns: 4 }, read);

async function read() {
  $('#state').textContent = 'Querying proxies…';
  const latest = await call('GET', '/api/users').catch((error: unknown) => {
    $('#state').textContent = 'Could not load the users.';
    throw error;
  });
  view = latest;
  const { users, nodes, differences } = latest;
  const agree = differences.length === 0;
  $('#nodes').textContent = agree
    ? nodes.length === 1
      ? '1 proxy'
      : `Users in sync on all ${nodes.length} proxies`
    : '';
  $('#add').disabled = !agree;
  $('#rows').replaceChildren(...users.map(rowOf));
  $('#state').textContent = users.length === 1 ? '1 user.' : `${users.length} users.`;
  showDifferences(differences);
}

/** If nodes disagree, the console cannot know which of them is right. */
function showDifferences(differences: UsersView['differences']) {
  const box = $('#differences');
  box.hidden = differences.length === 0;
  if (box.hidden) return;
  const lines = differences.map(({ node, users = [], settings = [] }) =>
    el('li', {
      textContent: [node, [...users, ...settings].join(', ')].filter(Boolean).join(': '),
    }),
  );
  const text =
    'The proxies have different users, so users cannot be changed here. Differences from the first proxy:';
  box.replaceChildren(el('p', { textContent: text }), el('ul', {}, ...lines));
  $('#state').textContent = '';
}

function rowOf(one: User) {
  const name = `${one.account}:${one.user}`;
  const button = (textContent: string, work: () => Promise<void>, isDanger = false) => {
    const made = el('button', { textContent, onclick: () => attempt(work) });
    made.setAttribute('aria-label', `${textContent}: ${name}`);
    if (isDanger) made.className = 'danger';
    return made;
  };
  const place = { account: one.account, user: one.user };
  const change = { action: 'change', ...place } as const;
  const actions = el('td', { className: 'act' });
  if (one.by_hand === '') {
    const remove = button(
      'Remove',
      () => run({ action: 'remove', ...place }, `Remove ${name}`),
      true,
    );
    remove.disabled = one.is_self;
    actions.append(
      button('Generate new key', () => run({ ...change, new_key: true }, `New key for ${name}`)),
      ' ',
      button('Groups', () => changeGroups(one, name)),
      ' ',
      remove,
    );
  } else {
    actions.append(
      el('span', { className: 'quiet', textContent: `edit manually: ${one.by_hand}` }),
    );
  }
  const user = el('td', { className: 'text', textContent: one.user });
  if (one.is_self) user.append(el('span', { className: 'quiet', textContent: ' (you)' }));
  return el(
    'tr',
    {},
    labelled('Account', el('td', { className: 'text', textContent: one.account })),
    labelled('User', user),
    labelled('Groups', el('td', { textContent: one.groups.join(' ') })),
    actions,
  );
}

/** On a phone there is no head of the table. */
function labelled(label: string, cell: HTMLElement) {
  cell.dataset.label = label;
  return cell;
}

async function run(change: UserChange, title: string) {
  if (await carryOut(change, title)) await load();
}

function groupFields(chosen: readonly string[]) {
  return el(
    'fieldset',
    {},
    el('legend', { textContent: 'Groups' }),
    ...view.groups.map((group) => {
      const box = el('input', { type: 'checkbox', name: group, checked: chosen.includes(group) });
      return el('div', {}, el('label', {}, box, ` ${group}: ${MEANINGS[group]}`));
    }),
  );
}

const groupsOf = (given: Record<string, FormDataEntryValue>): Group[] =>
  view.groups.filter((group) => given[group] === 'on');

async function changeGroups(one: User, name: string) {
  const given = await ask(`Groups for ${name}`, [groupFields(one.groups)], 'Preview');
  if (given === null) return;
  const { account, user } = one;
  const groups = groupsOf(given);
  await run({ action: 'change', account, user, groups, new_key: false }, `Groups for ${name}`);
}

async function add() {
  const own = view.own_account;
  const field = (text: string, name: string, value = '', readOnly = false) =>
    el(
      'label',
      { className: 'field' },
      text,
      el('input', {
        name,
        value,
        readOnly,
        required: true,
        autocomplete: 'off',
        spellcheck: false,
      }),
    );
  const account = field('Account', 'account', own ?? '', own !== null);
  const nodes = [account, field('User', 'user'), groupFields([])];
  const given = await ask('Create user', nodes, 'Preview');
  if (given === null) return;
  const name = { account: given.account ?? '', user: given.user ?? '' };
  const change = { action: 'add', ...name, groups: groupsOf(given) } as const;
  await run(change, `Create user ${name.account}:${name.user}`);
}

/** Shows the users; the button makes another one. */
export async function mount() {
  $('#add').addEventListener('click', () => attempt(add));
  await load();
}
