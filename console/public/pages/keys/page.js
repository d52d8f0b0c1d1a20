import { call } from '../../js/api.js';
import { copyField } from '../../js/copy.js';
import { $, ask, confirmed, el, shownText } from '../../js/dom.js';
import { iconButton } from '../../js/icons.js';
import { openMenu } from '../../js/menu.js';
import { fail } from '../../js/shell.js';
import { withSkeletonRows } from '../../js/skeleton.js';
import { timeElement } from '../../js/times.js';

/**
 * @typedef {import('../../../surfaces/keys/surface.js').KeyView} KeyView
 * @typedef {import('../../../surfaces/keys/surface.js').MadeKey} MadeKey
 */

/** @type {Record<KeyView['state'], readonly [text: string, look: string]>} */
const STATES = {
  active: ['Active', 'ok'],
  disabled: ['Disabled', ''],
  expired: ['Expired', 'warn'],
};
const ROLES = /** @type {const} */ ([
  ['owner', 'Owner: full access to the account'],
  ['member', 'Member: only what access rules grant'],
]);

/** @type {readonly KeyView[]} */
let keys = [];

/** @param {() => Promise<unknown>} work */
function attempt(work) {
  $('#banner').hidden = true;
  work().catch(fail);
}

const load = () => withSkeletonRows($('#rows'), { columns: 6 }, read);

async function read() {
  const { items } = await call('GET', '/api/keys');
  keys = items;
  $('#rows').replaceChildren(...items.map(rowOf));
  $('#state').textContent = items.length === 1 ? '1 access key.' : `${items.length} access keys.`;
}

/** @param {KeyView} key */
function rowOf(key) {
  const [text, look] = STATES[key.state];
  const state = el('span', { className: 'badge', textContent: text });
  if (look !== '') state.dataset.state = look;
  const expiry = key.expires === null ? [] : [' expires ', timeElement(Date.parse(key.expires))];
  const menu = iconButton('ellipsis', `Actions for ${key.access_key}`, () =>
    openMenu(menu, actionsOf(key)),
  );
  const name = el('td', { className: 'text' }, el('code', { textContent: key.access_key }));
  if (key.is_own) name.append(el('span', { className: 'quiet', textContent: ' (you)' }));
  if (key.user !== null) name.append(el('div', { className: 'quiet', textContent: key.user }));
  return el(
    'tr',
    {},
    name,
    el('td', { className: 'text', textContent: shownText(key.description) }),
    labelled('Account', key.account, 'text'),
    labelled('Role', key.role),
    el('td', {}, state, ...(key.state === 'active' ? expiry : [])),
    el('td', { className: 'act' }, menu),
  );
}

/**
 * A cell that says on a phone, where no column has a head, what it holds.
 *
 * @param {string} label
 * @param {string} textContent
 */
function labelled(label, textContent, className = '') {
  const cell = el('td', { className, textContent });
  cell.dataset.label = label;
  return cell;
}

/**
 * @param {KeyView} key
 * @returns {import('../../js/menu.js').MenuItem[]}
 */
function actionsOf(key) {
  const isDisabled = key.state === 'disabled';
  const change = (/** @type {object} */ body) =>
    call('PATCH', `/api/keys/${encodeURIComponent(key.access_key)}`, body);
  const switchOn = async () => {
    await change({ disabled: !isDisabled });
    await load();
  };
  return [
    { text: 'Edit', icon: 'pencil', work: () => attempt(() => edit(key, change)) },
    ...(key.is_own
      ? []
      : [
          {
            text: isDisabled ? 'Enable' : 'Disable',
            icon: isDisabled ? 'play' : 'pause',
            work: () => attempt(switchOn),
          },
          { text: 'Delete', icon: 'trash-2', danger: true, work: () => attempt(() => remove(key)) },
        ]),
  ];
}

/**
 * @param {string} text
 * @param {Partial<HTMLInputElement>} properties
 */
function field(text, properties) {
  const input = el('input', { autocomplete: 'off', spellcheck: false, ...properties });
  return el('label', { className: 'field' }, text, input);
}

/** @param {KeyView['role']} value */
function roleField(value) {
  const select = el('select', { name: 'role' });
  for (const [key, textContent] of ROLES) select.append(el('option', { value: key, textContent }));
  select.value = value;
  return el('label', { className: 'field' }, 'Role', select);
}

/** @param {string | null} expires */
function expiryField(expires) {
  const ms = expires === null ? null : Date.parse(expires);
  const local = ms === null ? '' : new Date(ms - new Date(ms).getTimezoneOffset() * 60_000);
  const value = local === '' ? '' : local.toISOString().slice(0, 16);
  return field('Expires (leave empty for never)', {
    name: 'expires',
    type: 'datetime-local',
    value,
  });
}

/** @param {FormDataEntryValue | undefined} local */
function timeOf(local) {
  return local === undefined || local === '' ? null : new Date(String(local)).toISOString();
}

/**
 * @param {KeyView} key
 * @param {(body: object) => Promise<unknown>} change
 */
async function edit(key, change) {
  const description = field('Description', {
    ...{ name: 'description', value: key.description, maxLength: 256 },
  });
  // What would lock the user out is not offered.
  const others = key.is_own ? [] : [roleField(key.role), expiryField(key.expires)];
  const title = `Edit ${key.access_key}`;
  const given = await ask(title, [description, ...others], 'Save', (entered) =>
    change({
      description: entered.description,
      ...(key.is_own ? {} : { role: entered.role, expires: timeOf(entered.expires) }),
    }),
  );
  if (given !== null) await load();
}

/** @param {KeyView} key */
async function remove(key) {
  const text = `Requests signed with ${key.access_key} will be rejected. To block them temporarily, disable the key instead.`;
  if (!(await confirmed('Delete access key', text, 'Delete', { danger: true }))) return;
  await call('DELETE', `/api/keys/${encodeURIComponent(key.access_key)}`);
  await load();
}

async function add() {
  /** @type {MadeKey | null} */
  let made = null;
  const account = keys.find(({ is_own: isOwn }) => isOwn)?.account ?? keys[0]?.account ?? '';
  const nodes = [
    field('Description', {
      name: 'description',
      maxLength: 256,
      placeholder: 'Purpose of the key',
    }),
    field('Account', { name: 'account', value: account, required: true, maxLength: 128 }),
    roleField('owner'),
    field('User for access rules (account:user, optional)', { name: 'user', maxLength: 257 }),
    expiryField(null),
  ];
  const given = await ask('Create access key', nodes, 'Create', async (entered) => {
    const { description, account: of, role, user, expires } = entered;
    made = await call('POST', '/api/keys', {
      ...{ account: of, role },
      ...(description === '' ? {} : { description }),
      ...(user === '' ? {} : { user }),
      ...(expires === '' ? {} : { expires: timeOf(expires) }),
    });
  });
  if (given !== null && made !== null) await showOnce(made);
  await load();
}

/** @param {MadeKey} key */
async function showOnce({ access_key: accessKey, secret_key: secretKey }) {
  const note =
    "This is the only time the secret key is shown. Anyone who has it gets this key's permissions.";
  await ask('Access key created', [
    el('p', { className: 'quiet', textContent: note }),
    copyField('Access key', accessKey),
    copyField('Secret key', secretKey),
  ]);
}

/** Shows the access keys; the button makes another one. */
export async function mount() {
  $('#add').addEventListener('click', () => attempt(add));
  await load();
}
