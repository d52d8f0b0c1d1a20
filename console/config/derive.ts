import path from 'node:path';
import { formatAddress, localUrl, type FilledOptions } from '../../src/config/options.js';
import { isLoopback } from '../../src/config/secret-file.js';
import { parseUpstream } from '../swift/address.js';
import type { RosterEntry as Credential } from '../../src/config/credentials.js';
import {
  ACCESS_KEYS_MAX,
  isKeystone,
  isRosterName,
  loginName,
  ROLES,
  ROSTER_MAX,
  type RosterEntry,
} from './keys.js';
import type { RawConfig } from '../../src/config/config-file.js';
import { parseConsoleConfig, type ConsoleOptions } from './load.js';

/** A credential of S3, as far as the console has to know it. */
export type KnownCredential = Omit<Credential, 'secretKey'>;

/** The configuration of a service's console, or why it has none. */
export type DerivedConsole = { readonly options: ConsoleOptions } | { readonly absent: string };

/**
 * The configuration of a console, derived from that of its service.
 *
 * @param own the content of the file `console_config`, which counts before the derived one;
 *   undefined without such a file
 * @throws ConfigError with everything that is wrong with it
 */
export function deriveConsole(
  options: FilledOptions,
  credentials: readonly KnownCredential[],
  own: RawConfig | undefined,
): DerivedConsole {
  const store = storeKeys(options);
  const authUrl = own?.auth_url ?? store.auth_url;
  const byRoles = typeof authUrl === 'string' && isKeystone(authUrl);
  const accounts = byRoles ? [] : consoleAccounts(options, credentials);
  if (own === undefined) {
    if (store.store_base === undefined) return { absent: 'its store has no address: store_listen' };
    if (store.auth_url === undefined) {
      const logins = '/auth/v1.0 and no /v3, by which it logs in';
      return { absent: `swift_auth_url is no ${logins}: see console_config` };
    }
    if (accounts.length === 0 && !byRoles) {
      return { absent: 'no credential names a user of the store: see console_config' };
    }
  }
  const { dataDir, consoleListen, consoleConfig } = options;
  const s3 = s3Keys(options);
  const raw = {
    ...publicBases({ ...store, ...s3, ...own }),
    ...(consoleListen === '' ? {} : { bind: formatAddress(consoleListen) }),
    ...store,
    accounts: accounts.length === 0 ? undefined : accounts,
    trusted_proxies: options.trustedProxies,
    state_dir: path.join(dataDir, 'console'),
    ...adminKeys(options),
    ...s3,
    ...(byRoles ? keystoneKeys(options) : {}),
    ...(options.credentialsSource === 'file' ? { credentials_file: options.credentialsFile } : {}),
    ...own,
  };
  const folder = consoleConfig === '' ? dataDir : path.dirname(consoleConfig);
  return { options: parseConsoleConfig(raw, folder) };
}

function storeKeys({ backend, storeListen, swiftEndpoints, swiftAuthUrl }: FilledOptions): {
  readonly store_base?: string | undefined;
  readonly auth_url?: string | undefined;
  readonly proxy_bases?: readonly string[];
} {
  const embedded = storeListen === '' ? undefined : localUrl(storeListen);
  const base = backend === 'swift' ? swiftEndpoints[0] : embedded;
  if (base === undefined) return {};
  const auth = backend === 'swift' && swiftAuthUrl !== '' ? swiftAuthUrl : `${base}/auth/v1.0`;
  // The console knows no other login, such as version 2 of Keystone's.
  const proxies = backend === 'swift' ? { proxy_bases: swiftEndpoints } : {};
  return { store_base: base, ...proxies, auth_url: /\/v2\.0\/*$/.test(auth) ? undefined : auth };
}

function adminKeys({ adminListen, adminTokenFile, adminTlsCertFile }: FilledOptions) {
  return {
    admin_url: localUrl(adminListen, adminTlsCertFile === '' ? 'http' : 'https'),
    admin_token_file: adminTokenFile,
    admin_cert_file: adminTlsCertFile,
  };
}

/** The gateway's settings for Keystone, where it asks Keystone as well. */
function keystoneKeys(options: FilledOptions) {
  const { identityAccountPrefix: prefix, identityUser: user } = options;
  if (options.credentialsSource !== 'identity') return {};
  const asker =
    user === ''
      ? {}
      : {
          keystone_user: user,
          keystone_key_file: options.identityKeyFile,
          keystone_user_project: options.identityProject,
          keystone_user_domain: options.identityDomain,
        };
  return { keystone_account_prefix: prefix, ...asker };
}

function s3Keys({ s3Listen, region, tlsCertFile }: FilledOptions) {
  return {
    s3_base: localUrl(s3Listen, tlsCertFile === '' ? 'http' : 'https'),
    s3_region: region,
    s3_cert_file: tlsCertFile,
  };
}

/** Addresses of loopback are right on this machine. Only the operator knows which ones others use. */
function publicBases({ store_base: store, s3_base: s3 }: RawConfig) {
  const isOfThisHost = (base: unknown) =>
    typeof base === 'string' && URL.canParse(base) && isLoopback(parseUpstream(base));
  return {
    ...(isOfThisHost(store) ? { store_public_base: store } : {}),
    ...(isOfThisHost(s3) && new URL(String(s3)).pathname === '/' ? { s3_public_base: s3 } : {}),
  };
}

/**
 * The console's users by the credentials of S3: owners of the first owner's account operate the
 * service, owners of others have their own account, and members what ACLs grant. A user whose keys
 * have different roles gets the least of them: the store decides which key it logs in with.
 */
export function consoleAccounts(
  { backend }: Pick<FilledOptions, 'backend'>,
  credentials: readonly KnownCredential[],
): RosterEntry[] {
  const operators = credentials.find(
    ({ role, isMain }) => role === 'owner' && isMain !== false,
  )?.account;
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

/** The names that the store's login takes: `account:user`, and access keys with our own store. */
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
