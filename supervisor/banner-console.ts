import { splitName } from '../console/config/derive.js';
import { isKeystone } from '../console/config/keys.js';
import { localUrl, type FilledOptions } from '../src/config/options.js';
import type { Credentials } from '../src/config/roster-source.js';
import type { Start } from './service.js';

/** What the banner has to know of the console. */
export interface ConsoleState extends Pick<Start, 'consoleConfig'> {
  /** Why there is none, though an address is configured. */
  readonly consoleAbsent: string | undefined;
  /** Why it does not listen yet. */
  readonly consoleProblem: string | undefined;
}

/** The lines about the console's address and its login; none where no console is configured. */
export function consoleLines(
  options: Pick<FilledOptions, 'consoleListen' | 'backend' | 'swiftAuthUrl'>,
  { roster }: Credentials,
  { consoleConfig, consoleAbsent, consoleProblem }: ConsoleState,
): readonly string[] {
  const { consoleListen } = options;
  if (consoleAbsent !== undefined) return [line('Console', `none: ${consoleAbsent}`)];
  if (consoleListen === '') return [];
  if (consoleProblem !== undefined) {
    return [line('Console', `not yet, and tried again: ${consoleProblem}`)];
  }
  return [
    line('Console', localUrl(consoleListen)),
    line('Log in', loginOf(roster, options, consoleConfig)),
  ];
}

function line(name: string, text: string): string {
  return `  ${name.padEnd(12)} ${text}`;
}

/** The login, in the words of the login page's fields. */
function loginOf(
  roster: Credentials['roster'],
  { backend, swiftAuthUrl }: Pick<FilledOptions, 'backend' | 'swiftAuthUrl'>,
  own: ConsoleState['consoleConfig'],
): string {
  const authUrl = own?.auth_url ?? (backend === 'swift' ? swiftAuthUrl : '');
  if (typeof authUrl === 'string' && isKeystone(authUrl)) {
    return 'a user of Keystone, with a password, an application credential or an access key';
  }
  const owner = roster.find(({ role }) => role === 'owner') ?? roster[0];
  const name =
    owner && splitName(backend === 'swift' ? (owner.user ?? owner.accessKey) : owner.accessKey);
  if (name === undefined || own?.accounts !== undefined) {
    return "a user of the console's accounts, with the store's key";
  }
  const account = name.account === '' ? 'no account' : `account ${name.account}`;
  return `${account}, user ${name.user}, and the secret key as the key`;
}
