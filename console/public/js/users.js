import { call } from './api.js';
import { $, ask, el } from './dom.js';
import { fail, openShell } from './shell.js';
import { carryOut } from './users/change.js';

const MEANINGS = {
  '.admin': 'does everything in the own account',
  '.reseller_admin': 'does everything in every account',
  '.reseller_reader': 'reads everything in every account',
};

let view = { users: [], groups: [], own_account: null };

function attempt(work) {
  $('#banner').hidden = true;
  work().catch(fail);
}

async function load() {
  $('#state').textContent = 'Asking the proxies…';
  try {
    view = await call('GET', '/api/users');
  } catch (error) {
    $('#state').textContent = 'The users cannot be shown.';
    throw error;
  }
  const { users, nodes, differences } = view;
  const agree = differences.length === 0;
  $('#nodes').textContent = agree
    ? `the same on ${nodes.length === 1 ? 'the proxy' : `all ${nodes.length} proxies`}`
    : '';
  $('#add').disabled = !agree;
  $('#rows').replaceChildren(...users.map(rowOf));
  $('#state').textContent = users.length === 1 ? '1 user.' : `${users.length} users.`;
  showDifferences(differences);
}

/** If nodes disagree, the console cannot know which of them is right. */
function showDifferences(differences) {
  const box = $('#differences');
  box.hidden = differences.length === 0;
  if (box.hidden) return;
  const lines = differences.map(({ node, users = [], settings = [] }) =>
    el('li', {
      textContent: [node, [...users, ...settings].join(', ')].filter(Boolean).join(': '),
    }),
  );
  const text =
    'The proxies do not agree on their users, so that nothing can be changed here. Not as on the first one:';
  box.replaceChildren(el('p', { textContent: text }), el('ul', {}, ...lines));
  $('#state').textContent = '';
}

function rowOf(one) {
  const name = `${one.account}:${one.user}`;
  const button = (textContent, work, isDanger = false) => {
    const made = el('button', { textContent, onclick: () => attempt(work) });
    made.setAttribute('aria-label', `${textContent}: ${name}`);
    if (isDanger) made.className = 'danger';
    return made;
  };
  const place = { account: one.account, user: one.user };
  const change = { action: 'change', ...place };
  const actions = el('td', { className: 'act' });
  if (one.by_hand === '') {
    actions.append(
      button('New key', () => run({ ...change, new_key: true }, `New key for ${name}`)),
      ' ',
      button('Groups', () => changeGroups(one, name)),
      ' ',
      button('Remove', () => run({ action: 'remove', ...place }, `Remove ${name}`), true),
    );
    if (one.is_self) actions.lastChild.disabled = true;
  } else {
    actions.append(
      el('span', { className: 'quiet', textContent: `by hand alone: ${one.by_hand}` }),
    );
  }
  const user = el('td', { className: 'text', textContent: one.user });
  if (one.is_self) user.append(el('span', { className: 'quiet', textContent: ' (you)' }));
  return el(
    'tr',
    {},
    el('td', { className: 'text', textContent: one.account }),
    user,
    el('td', { textContent: one.groups.join(' ') }),
    actions,
  );
}

async function run(change, title) {
  if (await carryOut(change, title)) await load();
}

function groupFields(chosen) {
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

const groupsOf = (given) => view.groups.filter((group) => given[group] === 'on');

async function changeGroups(one, name) {
  const given = await ask(`Groups of ${name}`, [groupFields(one.groups)], 'Preview');
  if (given === null) return;
  const change = { action: 'change', account: one.account, user: one.user };
  await run({ ...change, groups: groupsOf(given) }, `Groups of ${name}`);
}

async function add() {
  const own = view.own_account;
  const field = (text, name, value = '') =>
    el(
      'label',
      { className: 'field' },
      text,
      el('input', { name, value, required: true, autocomplete: 'off', spellcheck: false }),
    );
  const account = field('Account', 'account', own ?? '');
  account.querySelector('input').readOnly = own !== null;
  const nodes = [account, field('User', 'user'), groupFields([])];
  const given = await ask('New user', nodes, 'Preview');
  if (given === null) return;
  const change = { action: 'add', account: given.account, user: given.user };
  await run({ ...change, groups: groupsOf(given) }, `New user ${given.account}:${given.user}`);
}

async function start() {
  $('#add').addEventListener('click', () => attempt(add));
  await openShell('account_admin');
  await load();
}

start().catch(fail);
