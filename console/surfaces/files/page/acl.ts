import { call, query } from '../../../ui/api.js';
import { ask, el } from '../../../ui/dom.js';
import { forgetDetails } from './bucket-list.js';
import { loadContainers } from './listing.js';
import { choice, quiet } from './s3/fields.js';
import type { Person } from '../acl-routes.js';
import type { AclKind, AclReading } from '../acl.js';

const KINDS = ['read', 'write'] as const;
/** Rules that a button adds to the read list; `.rlistings` alone lets no one in. */
const ADDITIONS: readonly (readonly [text: string, ...rules: string[]])[] = [
  ['Allow public read', '.r:*'],
  ['Allow public read and listing', '.r:*', '.rlistings'],
  ['Allow a website', '.r:www.example.com'],
];
const RIGHTS = [
  ['read', 'can read and list'],
  ['write', 'can read, list and write'],
] as const;
/** The pause in typing after which the text is checked. */
const PAUSE_MS = 250;

/** The rights to read and write a container, with what each rule means in words. */
export async function showAcl(name: string) {
  const [now, { items: people }] = await Promise.all([
    call('GET', `/api/files/acl?${query({ name })}`),
    call('GET', '/api/files/people'),
  ]);
  const areas = { read: areaOf('read', now.read), write: areaOf('write', now.write) };
  const words = { read: el('ul', { className: 'words' }), write: el('ul', { className: 'words' }) };
  const explain = async () => {
    const lists = { read: areas.read.value, write: areas.write.value };
    const meaning = await call('POST', '/api/files/acl/preview', lists);
    for (const kind of KINDS) words[kind].replaceChildren(...aclLines(meaning[kind], kind));
  };
  let waiting: ReturnType<typeof setTimeout> | undefined;
  const onInput = () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => explain().catch(() => undefined), PAUSE_MS);
  };
  for (const kind of KINDS) {
    areas[kind].oninput = onInput;
    words[kind].setAttribute('aria-live', 'polite');
  }
  const addLine = (kind: AclKind, rule: string) => {
    const given = areas[kind].value.split('\n').filter((line) => line.trim() !== '');
    areas[kind].value = [...given.filter((line) => line.trim() !== rule), rule].join('\n');
    onInput();
  };
  const add = (rules: readonly string[]) => {
    for (const rule of rules) addLine('read', rule);
    const { value } = areas.read;
    areas.read.focus();
    areas.read.setSelectionRange(value.length - (rules.at(-1) ?? '').length, value.length);
  };
  await explain();
  const given = await ask(
    'Read and write access',
    [
      quiet('Account owners can always read and write. Enter one rule per line.'),
      shareFields(people, addLine),
      el(
        'div',
        { className: 'row' },
        ...ADDITIONS.map(([text, ...rules]) =>
          el('button', { type: 'button', textContent: text, onclick: () => add(rules) }),
        ),
      ),
      el('label', {}, 'Read', areas.read),
      words.read,
      el('label', {}, 'Write', areas.write),
      words.write,
    ],
    'Save',
    ({ read, write }) => call('PUT', '/api/files/acl', { name, read, write, was: now }),
    { again: () => showAcl(name) },
  );
  if (given === null) return;
  forgetDetails(name);
  await loadContainers();
}

/**
 * Fields that let one person in: the rule is written for the user.
 *
 * @param people who are known
 */
function shareFields(people: readonly Person[], addLine: (kind: AclKind, rule: string) => void) {
  const names = el('datalist', { id: 'people' });
  names.append(...people.map(({ name }) => el('option', { value: name })));
  const person = el('input', { placeholder: 'account:user', autocomplete: 'off' });
  person.setAttribute('list', 'people');
  const right = choice('Permission', 'right', RIGHTS);
  const share = () => {
    const name = person.value.trim();
    if (name === '') {
      person.focus();
      return;
    }
    addLine('read', name);
    if (right.select.value === 'write') addLine('write', name);
    person.value = '';
    person.focus();
  };
  // Enter means this button here, and not “Save”.
  person.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    event.stopPropagation();
    share();
  });
  return el(
    'div',
    { className: 'row share' },
    el('label', {}, 'Share with', person),
    right.node,
    el('button', { type: 'button', textContent: 'Add user', onclick: share }),
    names,
  );
}

function areaOf(name: AclKind, list: string) {
  const value = list.split(',').join('\n');
  return el('textarea', { name, rows: 3, value, maxLength: 4096, spellcheck: false });
}

/** The meaning of rules, in words, a line for each. */
export function aclLines({ elements, problems, warnings }: AclReading, kind: AclKind) {
  const nobody = elements.length === 0 && problems.length === 0;
  const line = (text: string, className: string, mark: string) =>
    el('li', { className }, el('span', { ariaHidden: 'true', textContent: `${mark} ` }), text);
  return [
    ...problems.map((text) => line(text, 'error', '✗')),
    ...warnings.map((text) => line(text, 'warning', '!')),
    ...elements.map(({ text, words }) => line(`${text}: ${words}`, '', '✓')),
    ...(nobody ? [line(`No other users can ${kind}.`, 'quiet', '–')] : []),
  ];
}
