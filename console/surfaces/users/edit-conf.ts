import { isDeepStrictEqual } from 'node:util';
import { parseIni } from '../../../src/config/python-config.js';
import { isTempauthUser } from '../../../src/config/tempauth.js';
import { ApiError } from '../../server/api-error.js';
import { readConf, type ConfUser } from './conf-file.js';
import { GROUPS, isPlainKey, type UserChange } from './user-change.js';

export interface DiffLine {
  /** The line, from 1: of the file before for `-`, of the one after for `+`. */
  readonly line: number;
  readonly sign: '-' | '+';
  /** The text without key and storage URL. */
  readonly text: string;
}

export interface EditedConf {
  readonly text: string;
  readonly diff: readonly DiffLine[];
  /** The user before the change; undefined for a new one. */
  readonly before: ConfUser | undefined;
  /** The user after it; undefined when it is gone. */
  readonly after: ConfUser | undefined;
}

/**
 * Changes the one line of a user, or adds it behind the last one of its section; all else stays as
 * it is, to the byte. What comes out is read again before it is believed.
 *
 * @param key the new key, where the change makes one
 * @throws ApiError not_found, conflict; unsupported_here and unprocessable as {@link readConf}
 */
export function editConf(text: string, change: UserChange, key: string): EditedConf {
  const conf = readConf(text);
  const before = conf.users.find(
    (one) => one.account === change.account && one.user === change.user,
  );
  if (change.action === 'add' && before !== undefined) {
    throw new ApiError('conflict', 'A user with this name already exists.');
  }
  if (change.action !== 'add' && before === undefined) {
    throw new ApiError('not_found', 'The user does not exist.');
  }
  if (change.action === 'remove' && conf.users.length === 1) {
    throw new ApiError('conflict', 'The last user cannot be removed.');
  }
  const anchor = before ?? conf.users.findLast(({ byHand }) => byHand === '');
  if (anchor?.byHand !== '') {
    const why = anchor?.byHand ?? 'no editable user entry was found';
    throw new ApiError('conflict', `Edit the configuration file manually: ${why}.`);
  }
  const after = userAfter(change, before, key);
  const lines = text.match(/[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$/g) ?? [];
  const index = anchor.line - 1;
  const [, indent = '', rest = '', end = ''] = LINE.exec(lines[index] ?? '') ?? [];
  const added = after === undefined ? [] : [indent + lineOf(after)];
  if (before === undefined) {
    const lineEnd = end === '' ? '\n' : end;
    lines.splice(index, 1, ...[indent + rest, ...added].map((line) => line + lineEnd));
  } else {
    lines.splice(index, 1, ...added.map((line) => line + end));
  }
  const edited = lines.join('');
  const place = before === undefined ? anchor.line + 1 : anchor.line;
  const placed = after === undefined ? undefined : { ...after, line: place };
  prove(text, edited, before, placed);
  return { text: edited, diff: diffOf(before, placed, key), before, after: placed };
}

/** Its blanks in front, itself, and its end. */
const LINE = /^([ \t]*)([^\r\n]*)([\r\n]*)$/;

function userAfter(
  change: UserChange,
  before: ConfUser | undefined,
  key: string,
): ConfUser | undefined {
  if (change.action === 'remove') return undefined;
  const { account, user } = change;
  const known: ReadonlySet<string> = new Set(GROUPS);
  const others = before?.groups.filter((group) => !known.has(group)) ?? [];
  const kept = before?.groups.filter((group) => known.has(group)) ?? [];
  const isNewKey = change.action === 'add' || change.new_key;
  const next = isNewKey ? key : (before?.key ?? key);
  if (isNewKey && !isPlainKey(next)) throw new Error('a key that cannot stand in a configuration');
  return {
    account,
    user,
    key: next,
    groups: [...(change.groups ?? kept), ...others],
    storageUrl: before?.storageUrl ?? '',
    option: `user64_${base64(account)}_${base64(user)}`,
    line: 0,
    byHand: '',
  };
}

/**
 * Base64 as the proxies decode it: they add the equals signs, and underscores separate the names.
 */
function base64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64').replaceAll('=', '');
}

function lineOf({ option, key, groups, storageUrl }: ConfUser): string {
  const words = [key, ...groups, ...(storageUrl === '' ? [] : [storageUrl])];
  return `${option} = ${words.join(' ')}`;
}

function diffOf(
  before: ConfUser | undefined,
  after: ConfUser | undefined,
  newKey: string,
): DiffLine[] {
  const shown = (one: ConfUser, sign: '-' | '+'): DiffLine => ({
    line: one.line,
    sign,
    text: lineOf({
      ...one,
      key: sign === '+' && one.key === newKey ? '<new key>' : '<key>',
      storageUrl: one.storageUrl === '' ? '' : '<storage URL>',
    }),
  });
  return [
    ...(before === undefined ? [] : [shown(before, '-')]),
    ...(after === undefined ? [] : [shown(after, '+')]),
  ];
}

/**
 * A file that says anything else than it said, but for this user, is written nowhere.
 * @throws Error
 */
function prove(
  text: string,
  edited: string,
  before: ConfUser | undefined,
  after: ConfUser | undefined,
): void {
  const names = (one: ConfUser) => JSON.stringify([one.account, one.user]);
  const usersOf = (conf: string) =>
    new Map(readConf(conf).users.map((one) => [names(one), [one.key, one.groups, one.storageUrl]]));
  const expected = usersOf(text);
  if (before !== undefined) expected.delete(names(before));
  if (after !== undefined) expected.set(names(after), [after.key, after.groups, after.storageUrl]);
  const isSame =
    isDeepStrictEqual(sortedUsers(usersOf(edited)), sortedUsers(expected)) &&
    isDeepStrictEqual(restOf(edited), restOf(text));
  if (!isSame) throw new Error('the edited configuration says something else');
}

function sortedUsers(users: ReadonlyMap<string, unknown>): unknown[] {
  return [...users].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** All of a file but its users, as Python reads it. */
function restOf(text: string): unknown {
  const parsed = parseIni(text);
  if (!parsed.ok) throw new Error('the edited configuration cannot be read');
  const { defaults, sections } = parsed.file;
  return [['DEFAULT', defaults] as const, ...sections].map(([name, options]) => [
    name,
    [...options]
      .filter(([option]) => !isTempauthUser(option))
      .map(([option, { value }]) => [option, value]),
  ]);
}
