import { fstatSync, readFileSync } from 'node:fs';
import { percentDecoded } from '../lib/uri.js';
import { isUserName, type Roster, type RosterEntry } from './credentials.js';
import { ConfigError, type ConfigProblem, describeHidden } from './problem.js';
import { pasteSection, parseIni, type IniFile, type IniSection } from './python-config.js';
import { readNamedFile } from './secret-file.js';

/**
 * The users of Swift's tempauth, as it reads them (swift/common/middleware/tempauth.py):
 *
 *     user_<account>_<user> = <key> [group] [group] [...] [storage_url]
 *     user64_<account in base64>_<user in base64> = …
 */

const SECTION = 'filter:tempauth';
const FACTORY = 'egg:swift#tempauth';
const OWNS_EVERYTHING = '.reseller_admin';
const OWNS_ITS_ACCOUNT = '.admin';

/**
 * @param file - path of the proxy-server.conf
 * @throws ConfigError with everything that is wrong; no key of a user is in it
 */
export function parseTempauth(text: string, file: string): Roster {
  const result = parseIni(text);
  if (!result.ok) {
    throw new ConfigError(
      result.problems.map(({ line, expected }) => problem(`${file}, line ${line}`, expected)),
    );
  }
  const section = tempauthSection(result.file, file);
  const { options, broken } = pasteSection(result.file, section, file);
  if (broken.length > 0) {
    throw new ConfigError(
      broken.map((line) =>
        problem(`${file}, line ${line}`, '%(name)s with the name of an option, and %% for a %'),
      ),
    );
  }
  return rosterOf(options, section, file);
}

/**
 * `[filter:tempauth]`, or else the only filter that is called otherwise and is tempauth.
 * @throws ConfigError when there is none
 */
export function tempauthSection({ sections }: IniFile, file: string): string {
  if (sections.has(SECTION)) return SECTION;
  const others = [...sections].filter(
    ([name, options]) => name.startsWith('filter:') && options.get('use')?.value === FACTORY,
  );
  const [only] = others;
  if (only !== undefined && others.length === 1) return only[0];
  throw new ConfigError([problem(file, `a section [${SECTION}]`)]);
}

function rosterOf(options: IniSection, section: string, file: string): Roster {
  const settings = settingsOf(options);
  const problems: ConfigProblem[] = [];
  const byAccessKey = new Map<string, RosterEntry>();
  for (const [name, { value, line }] of options) {
    if (!isTempauthUser(name)) continue;
    const entry = readUser(name, value, settings);
    const place = `${file}, line ${line}: ${name}`;
    if (typeof entry === 'string') problems.push(problem(place, entry, describeHidden(value)));
    else if (!byAccessKey.has(entry.accessKey)) byAccessKey.set(entry.accessKey, entry);
    else problems.push(problem(place, `each user once; ${entry.accessKey} is there already`));
  }
  if (problems.length === 0 && byAccessKey.size === 0) {
    problems.push(problem(`${file}: [${section}]`, 'at least one user_<account>_<user> = <key>'));
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return [...byAccessKey.values()];
}

/** Whether an option is about a user. */
export function isTempauthUser(option: string): boolean {
  return /^user(?:64)?_/.test(option);
}

interface Settings {
  /** The first of `reseller_prefix`: `AUTH_`. */
  readonly prefix: string;
  /** The group that an owner needs besides `.admin`; empty when none is required. */
  readonly requiredGroup: string;
}

/** Reads the options of a reseller, like config_read_reseller_options of swift/common/utils.py. */
function settingsOf(options: IniSection): Settings {
  const first = (options.get('reseller_prefix')?.value ?? 'AUTH')
    .split(',')
    .map((prefix) => prefix.trim())
    .find((prefix) => prefix !== '');
  const name = first === undefined || first === "''" ? '' : first;
  const prefix = name === '' || name.endsWith('_') ? name : `${name}_`;
  const prefixed = options.get(`${prefix === '' ? "''" : prefix}require_group`)?.value ?? '';
  const requiredGroup = prefixed === '' ? (options.get('require_group')?.value ?? '') : prefixed;
  return { prefix, requiredGroup: requiredGroup.trim() };
}

/** Neither a slash, which ends an account in a path, nor control characters; Swift's own bound. */
const NAME = /^[^/\p{Cc}]{1,256}$/u;
const KEY_LENGTH_MAX = 1024;

/** @returns what is expected, where it is no user */
function readUser(option: string, value: string, settings: Settings): RosterEntry | string {
  const names = tempauthNames(option);
  if (typeof names === 'string') return names;
  const [key, ...groups] = value.split(/\s+/).filter((word) => word !== '');
  if (key === undefined) return 'a key behind the equals sign';
  if (key.length > KEY_LENGTH_MAX) return `a key of at most ${KEY_LENGTH_MAX} characters`;
  const url = groups.at(-1);
  const hasUrl = url !== undefined && isStorageUrl(url);
  if (hasUrl) groups.pop();
  const account = hasUrl ? accountOf(url) : `${settings.prefix}${names.account}`;
  if (account === undefined) return 'a storage URL that ends with an account';
  const user = `${names.account}:${names.user}`;
  return {
    accessKey: user,
    secretKey: key,
    account,
    role: isOwner(groups, settings) ? 'owner' : 'member',
    ...(isUserName(user) ? { user } : {}),
  };
}

/** Whether the last word behind a user's key is a storage URL, and no group. */
export function isStorageUrl(word: string): boolean {
  return word.includes('://') || word.includes('$HOST');
}

function isOwner(groups: readonly string[], { requiredGroup }: Settings): boolean {
  if (groups.includes(OWNS_EVERYTHING)) return true;
  const isAdmitted = requiredGroup === '' || groups.includes(requiredGroup);
  return isAdmitted && groups.includes(OWNS_ITS_ACCOUNT);
}

/**
 * The user that an option `user_…` or `user64_…` names.
 * @returns the expected form where the option names no user
 */
export function tempauthNames(option: string): { account: string; user: string } | string {
  const [kind, account, user, ...more] = option.split('_');
  if (account === undefined || user === undefined || more.length > 0) {
    return 'user_<account>_<user>; names with underscores go into user64_…, in base64';
  }
  const names =
    kind === 'user64' ? { account: decode(account), user: decode(user) } : { account, user };
  const { account: accountName, user: userName } = names;
  if (accountName === undefined || userName === undefined) {
    return 'user64_<account>_<user>, both in base64 of UTF-8 without its equals signs';
  }
  // The first colon of an access key parts account and user.
  if (!NAME.test(accountName) || accountName.includes(':') || !NAME.test(userName)) {
    return 'names of 1 to 256 characters without slashes and control characters, and an account without colons';
  }
  return { account: accountName, user: userName };
}

const BASE64 = /^[A-Za-z0-9+/]+$/;

function decode(base64: string): string | undefined {
  // One character over encodes nothing.
  if (!BASE64.test(base64) || base64.length % 4 === 1) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(base64, 'base64'));
  } catch {
    return undefined;
  }
}

/** The last part of a storage URL, where s3api of Swift takes it from. */
function accountOf(url: string): string | undefined {
  const account = percentDecoded(url.slice(url.lastIndexOf('/') + 1));
  return account !== undefined && NAME.test(account) ? account : undefined;
}

/** @param found - of a value, in words: it may be a key */
function problem(key: string, expected: string, found?: string): ConfigProblem {
  return { source: 'file', key, found, expected };
}

interface TempauthFile {
  readonly roster: Roster;
  /** Warnings for the operator; none of them prevents the start. */
  readonly warnings: readonly string[];
}

/** The largest file that is read into memory as a whole; a user takes some 80 bytes. */
const SIZE_MAX = 16 * 1024 * 1024;

const OTHERS = 0o007;

/** @throws ConfigError when it cannot be read, or is no configuration with users of tempauth */
export function readTempauthFile(file: string): TempauthFile {
  return readNamedFile('tempauth_conf', file, (fd, problem) => {
    const stats = fstatSync(fd);
    if (!stats.isFile() || stats.size > SIZE_MAX) {
      throw problem(`a file of at most ${SIZE_MAX} bytes`);
    }
    return {
      roster: parseTempauth(readFileSync(fd, 'utf8'), file),
      warnings: modeWarnings(file, stats.mode),
    };
  });
}

/** It is Swift's file, which has its own owner and group: what is wrong with it is only said. */
function modeWarnings(file: string, mode: number): string[] {
  if ((mode & OTHERS) === 0) return [];
  const given = (mode & 0o777).toString(8).padStart(4, '0');
  return [
    `${file} has the mode ${given}: everybody on this machine can use the keys of its users (chmod 640 ${file})`,
  ];
}
