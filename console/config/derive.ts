import path from 'node:path';
import { formatAddress, localUrl, type FilledOptions } from '../../src/config/options.js';
import type { RosterEntry as Credential } from '../../src/config/credentials.js';
import {
  ACCESS_KEYS_MAX,
  isRosterName,
  loginName,
  ROSTER_MAX,
  type Role,
  type RosterEntry,
} from './keys.js';
import { parseConsoleConfig, type ConsoleOptions, type RawConsoleConfig } from './load.js';

/** A credential of S3, as far as the console has to know it. */
export type KnownCredential = Omit<Credential, 'secretKey'>;

/** The configuration of a service's console, or why it has none. */
export type DerivedConsole = { readonly options: ConsoleOptions } | { readonly absent: string };

/**
 * What the configuration of a service means for its console.
 *
 * @param own what the file `console_config` says, which counts before what follows; undefined
 *   without such a file
 * @throws ConfigError with everything that is wrong with it
 */
export function deriveConsole(
  options: FilledOptions,
  credentials: readonly KnownCredential[],
  own: RawConsoleConfig | undefined,
): DerivedConsole {
  const accounts = consoleAccounts(options, credentials);
  const store = storeKeys(options);
  if (own === undefined) {
    if (store.store_base === undefined) return { absent: 'its store has no address: store_listen' };
    if (store.auth_url === undefined) {
      return { absent: 'swift_auth_url is no /auth/v1.0, by which it logs in: see console_config' };
    }
    if (accounts.length === 0) {
      return { absent: 'no credential names a user of the store: see console_config' };
    }
  }
  const { dataDir, consoleListen, consoleConfig } = options;
  const raw = {
    ...(consoleListen === '' ? {} : { bind: formatAddress(consoleListen) }),
    ...store,
    accounts: accounts.length === 0 ? undefined : accounts,
    trusted_proxies: options.trustedProxies,
    state_dir: path.join(dataDir, 'console'),
    ...adminKeys(options),
    ...s3Keys(options),
    ...own,
  };
  const folder = consoleConfig === '' ? dataDir : path.dirname(consoleConfig);
  return { options: parseConsoleConfig(raw, folder) };
}

function storeKeys({ backend, storeListen, swiftEndpoints, swiftAuthUrl }: FilledOptions): {
  readonly store_base?: string | undefined;
  readonly auth_url?: string | undefined;
} {
  const embedded = storeListen === '' ? undefined : localUrl(storeListen);
  const base = backend === 'swift' ? swiftEndpoints[0] : embedded;
  if (base === undefined) return {};
  const auth = backend === 'swift' && swiftAuthUrl !== '' ? swiftAuthUrl : `${base}/auth/v1.0`;
  // The console knows no other login, such as Keystone's.
  return { store_base: base, auth_url: /\/v3\/?$/.test(auth) ? undefined : auth };
}

function adminKeys({ adminListen, adminTokenFile, adminTlsCertFile }: FilledOptions) {
  return {
    admin_url: localUrl(adminListen, adminTlsCertFile === '' ? 'http' : 'https'),
    admin_token_file: adminTokenFile,
    admin_cert_file: adminTlsCertFile,
  };
}

function s3Keys({ s3Listen, region, tlsCertFile }: FilledOptions) {
  return {
    s3_base: localUrl(s3Listen, tlsCertFile === '' ? 'http' : 'https'),
    s3_region: region,
    s3_cert_file: tlsCertFile,
  };
}

/** The roles, from the fewest rights to the most. */
const ROLES: readonly Role[] = ['reader', 'member', 'admin', 'operator'];

/**
 * The console's users by the credentials of S3: owners of the first owner's account operate the
 * service, owners of others have their own account, and members what ACLs grant. A user whose keys
 * have different roles gets the least of them: the store decides which key it logs in with.
 */
export function consoleAccounts(
  { backend }: Pick<FilledOptions, 'backend'>,
  credentials: readonly KnownCredential[],
): RosterEntry[] {
  const operators = credentials.find(({ role }) => role === 'owner')?.account;
  const found = new Map<string, RosterEntry>();
  for (const credential of credentials) {
    const owner = credential.account === operators ? 'operator' : 'admin';
    const role = credential.role === 'owner' ? owner : 'member';
    for (const name of namesOf(credential, backend)) {
      const key = loginName(name);
      const former = found.get(key);
      const before = former?.role ?? role;
      const least = ROLES.indexOf(role) < ROLES.indexOf(before) ? role : before;
      const { accessKey } = credential;
      const keys = [...(former?.access_keys ?? []), ...(accessKey === key ? [] : [accessKey])];
      const known = keys.length === 0 ? {} : { access_keys: keys.slice(0, ACCESS_KEYS_MAX) };
      if (former === undefined && found.size >= ROSTER_MAX) continue;
      found.set(key, { ...name, role: least, ...known });
    }
  }
  return [...found.values()];
}

type Name = Pick<RosterEntry, 'account' | 'user'>;

/** What the store's login takes: `account:user`, and our own store access keys as well. */
function namesOf(
  { accessKey, user }: KnownCredential,
  backend: FilledOptions['backend'],
): readonly Name[] {
  const texts = backend === 'embedded' ? [accessKey, user] : [user ?? accessKey];
  return texts.flatMap((text) => {
    const name = text === undefined ? undefined : splitName(text);
    if (name === undefined) return [];
    // A cluster has no user without an account.
    return name.account === '' && backend === 'swift' ? [] : [name];
  });
}

/** The parts of `account:user`, or of a user alone; undefined if `accounts` cannot name it. */
export function splitName(text: string): Name | undefined {
  const colon = text.indexOf(':');
  const [account, user] = [text.slice(0, Math.max(colon, 0)), text.slice(colon + 1)];
  const isNamed = isRosterName(user) && (account === '' || isRosterName(account));
  return isNamed ? { account, user } : undefined;
}
