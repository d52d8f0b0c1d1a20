import { call } from '../../../ui/api.js';
import { copyField } from '../../../ui/copy.js';
import { $, ask, confirmed, el, shownText } from '../../../ui/dom.js';
import { iconButton } from '../../../ui/icons.js';
import { openMenu, type MenuItem } from '../../../ui/menu.js';
import { badge, field, input, select } from '../../../ui/parts.js';
import { fail } from '../../../ui/shell.js';
import { withSkeletonRows } from '../../../ui/skeleton.js';
import { timeElement } from '../../../ui/times.js';
import type { KeyView, MadeKey } from '../surface.js';

const STATES: Record<KeyView['state'], Parameters<typeof badge>> = {
  active: ['Active', 'ok'],
  disabled: ['Disabled', ''],
  expired: ['Expired', 'warn'],
};
const ROLES = [
  ['owner', 'Owner: full access to the account'],
  ['member', 'Member: only what access rules grant'],
] as const;

let keys: readonly KeyView[] = [];

function attempt(work: () => Promise<unknown>) {
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

function rowOf(key: KeyView) {
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
    el('td', {}, badge(...STATES[key.state]), ...(key.state === 'active' ? expiry : [])),
    el('td', { className: 'act' }, menu),
  );
}

/** A cell that says on a phone, where no column has a head, what it holds. */
function labelled(label: string, textContent: string, className = '') {
  const cell = el('td', { className, textContent });
  cell.dataset.label = label;
  return cell;
}

function actionsOf(key: KeyView): MenuItem[] {
  const isDisabled = key.state === 'disabled';
  const change = (body: object) =>
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

function roleField(value: KeyView['role']) {
  const choice = select('role', ROLES);
  choice.value = value;
  return field('Role', choice);
}

function expiryField(expires: string | null) {
  const ms = expires === null ? null : Date.parse(expires);
  const local = ms === null ? '' : new Date(ms - new Date(ms).getTimezoneOffset() * 60_000);
  const value = local === '' ? '' : local.toISOString().slice(0, 16);
  const time = input('expires', { type: 'datetime-local', value });
  return field('Expires (leave empty for never)', time);
}

function timeOf(local: string | undefined) {
  return local === undefined || local === '' ? null : new Date(local).toISOString();
}

async function edit(key: KeyView, change: (body: object) => Promise<unknown>) {
  const text = input('description', { value: key.description, maxLength: 256 });
  // Changes that would lock the user out are not offered.
  const others = key.is_own ? [] : [roleField(key.role), expiryField(key.expires)];
  const title = `Edit ${key.access_key}`;
  const given = await ask(title, [field('Description', text), ...others], 'Save', (entered) =>
    change({
      description: entered.description,
      ...(key.is_own ? {} : { role: entered.role, expires: timeOf(entered.expires) }),
    }),
  );
  if (given !== null) await load();
}

async function remove(key: KeyView) {
  const text = `Requests signed with ${key.access_key} will be rejected. To block them temporarily, disable the key instead.`;
  if (!(await confirmed('Delete access key', text, 'Delete', { danger: true }))) return;
  await call('DELETE', `/api/keys/${encodeURIComponent(key.access_key)}`);
  await load();
}

async function add() {
  let made: MadeKey | null = null;
  const account = keys.find(({ is_own: isOwn }) => isOwn)?.account ?? keys[0]?.account ?? '';
  const nodes = [
    field(
      'Description',
      input('description', { maxLength: 256, placeholder: 'Purpose of the key' }),
    ),
    field('Account', input('account', { value: account, required: true, maxLength: 128 })),
    roleField('owner'),
    field('User for access rules (account:user, optional)', input('user', { maxLength: 257 })),
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

async function showOnce({ access_key: accessKey, secret_key: secretKey }: MadeKey) {
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
