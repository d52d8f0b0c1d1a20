import { readSecretFile } from '../../src/config/secret-file.js';
import type { Keystone } from '../../src/identity/keystone.js';
import type { ServiceTokens } from '../../src/identity/service-token.js';
import { ROLES, type RosterEntry, type Role } from '../config/keys.js';
import type { ConsoleOptions } from '../config/load.js';
import { CredentialsRefusedError } from '../swift/errors.js';
import {
  ec2KeyPair,
  KEYSTONE_LOGIN,
  keystoneLogin,
  type KeystoneLogin,
  type KeystoneParty,
  type KeystoneToken,
} from '../swift/keystone-login.js';
import type { Attempt, Entry, Logins } from './logins.js';
import { parse } from './parse.js';

/** The longest that a login waits. */
const TIMEOUT_MS = 30_000;
const REQUESTS_MAX = 16;

interface Parts {
  readonly options: ConsoleOptions;
  readonly keystone: Keystone;
  readonly service: ServiceTokens | undefined;
}

/**
 * Version 3 of Keystone's API, with the roles that users have there. A token that has expired is
 * asked for again; a user whose role has changed by then logs in anew.
 */
export class KeystoneLogins implements Logins {
  private constructor(private readonly parts: Parts) {}

  /**
   * The code that asks Keystone is loaded where there is one alone: it takes 19 MiB of memory.
   * @throws ConfigError when the file with the password of `keystone_user` cannot be used
   */
  static async open(options: ConsoleOptions): Promise<KeystoneLogins> {
    const [identity, tokens] = await Promise.all([
      import('../../src/identity/keystone.js'),
      import('../../src/identity/service-token.js'),
    ]);
    const limits = { timeoutMs: TIMEOUT_MS, requestsMax: REQUESTS_MAX };
    const keystone = new identity.Keystone({ url: options.authUrl, ...limits });
    const { keystoneUser: name } = options;
    if (name === '') return new KeystoneLogins({ options, keystone, service: undefined });
    const user = {
      name,
      password: readSecretFile('keystone_key_file', options.keystoneKeyFile),
      project: options.keystoneUserProject,
      domain: options.keystoneUserDomain,
    };
    const service = new tokens.ServiceTokens(keystone, user, () => performance.now());
    return new KeystoneLogins({ options, keystone, service });
  }

  attempt(body: unknown): Attempt {
    const login = parse(KEYSTONE_LOGIN, body);
    return { name: this.#nameOf(login), enter: () => this.#enter(login) };
  }

  close(): Promise<void> {
    return this.parts.keystone.close();
  }

  async #enter(login: KeystoneLogin): Promise<Entry> {
    const { options, keystone, service } = this.parts;
    const token = await keystoneLogin({ keystone, service, domain: options.keystoneDomain }, login);
    const role = consoleRole(token.roles, options.keystoneRoles);
    if (role === undefined) throw new CredentialsRefusedError();
    const account = `${options.keystoneAccountPrefix}${token.project.id}`;
    return {
      user: { account: this.#shown(token.project), user: this.#shown(token.user), role },
      token: { token: token.value, account },
      s3: await this.#keysFor(login, token),
    };
  }

  /** Signing for S3 needs a key pair, which a password is not. */
  async #keysFor(login: KeystoneLogin, token: KeystoneToken): Promise<Entry['s3']> {
    if (this.parts.options.s3Base === '') return undefined;
    if (login.method === 'ec2') {
      return { accessKeys: [login.access_key], secretKey: login.secret_key };
    }
    const pair = await ec2KeyPair(this.parts.keystone, token);
    return pair && { accessKeys: [pair.accessKey], secretKey: pair.secretKey };
  }

  #nameOf(login: KeystoneLogin): string {
    if (login.method === 'ec2') return login.access_key;
    if (login.method === 'application_credential') return `application credential ${login.id}`;
    const preset = this.parts.options.keystoneDomain;
    const domain = login.domain === '' ? preset : login.domain;
    const projectDomain = login.project_domain === '' ? domain : login.project_domain;
    const project = { id: '', name: login.project, domain: projectDomain };
    return `${this.#shown(project)}:${this.#shown({ id: '', name: login.user, domain })}`;
  }

  /** Names of other domains show theirs: two domains may have the same names. */
  #shown({ name, domain }: KeystoneParty): RosterEntry['user'] {
    return domain === this.parts.options.keystoneDomain ? name : `${domain}/${name}`;
  }
}

/** The role with the most rights that one of a user's roles in Keystone gives. */
function consoleRole(
  roles: readonly string[],
  mapping: Readonly<Record<string, Role>>,
): Role | undefined {
  const given = Object.entries(mapping)
    .filter(([name]) => roles.includes(name.toLowerCase()))
    .map(([, role]) => ROLES.indexOf(role));
  return ROLES[Math.max(-1, ...given)];
}
