import { localUrl, type FilledOptions } from '../src/config/options.js';
import type { Credentials } from '../src/config/roster-source.js';
import { firstLogin, isKeystoneLogin } from './first-login.js';
import type { Start } from './service.js';

/** The console's state, as far as the banner has to know it. */
export interface ConsoleState extends Pick<Start, 'consoleConfig'> {
  /** Why there is none, though an address is configured. */
  readonly consoleAbsent: string | undefined;
  /** Why it does not listen yet. */
  readonly consoleProblem: string | undefined;
  /** The token of a link that logs in once; undefined where none is offered. */
  readonly loginToken?: string | undefined;
}

/** The lines about the console's address and its login; none where no console is configured. */
export function consoleLines(
  options: Pick<FilledOptions, 'consoleListen' | 'backend' | 'swiftAuthUrl'>,
  { roster }: Credentials,
  { consoleConfig, consoleAbsent, consoleProblem, loginToken }: ConsoleState,
): readonly string[] {
  const { consoleListen } = options;
  if (consoleAbsent !== undefined) return [line('Console', `none: ${consoleAbsent}`)];
  if (consoleListen === '') return [];
  if (consoleProblem !== undefined) {
    return [line('Console', `not yet, and tried again: ${consoleProblem}`)];
  }
  const url = localUrl(consoleListen);
  return [
    // Behind the #: it is sent to no server, and stands in no log.
    loginToken === undefined
      ? line('Console', url)
      : line('Console', `${url}/login.html#${loginToken}  (logs in once, within ten minutes)`),
    line('Log in', loginOf(roster, options, consoleConfig)),
  ];
}

function line(name: string, text: string): string {
  return `  ${name.padEnd(12)} ${text}`;
}

/** The login, in the words of the login page. */
function loginOf(
  roster: Credentials['roster'],
  options: Pick<FilledOptions, 'backend' | 'swiftAuthUrl'>,
  own: ConsoleState['consoleConfig'],
): string {
  if (isKeystoneLogin(options, own)) {
    return 'a user of Keystone, with a password, an application credential or an access key';
  }
  if (firstLogin(roster, options.backend, own) === undefined) {
    return "a user of the console's accounts, with the store's key";
  }
  return 'with the access key and the secret key';
}
