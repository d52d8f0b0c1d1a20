import { expect } from 'chai';
import {
  consoleAccounts,
  deriveConsole,
  type KnownCredential,
} from '../../../console/config/derive.js';
import type { ConsoleOptions } from '../../../console/config/load.js';
import { loadConfig } from '../../../src/config/load.js';
import { ConfigError } from '../../../src/config/problem.js';

const OWNER: KnownCredential = { accessKey: 'AKIA', account: 'AUTH_main', role: 'owner' };

function service(keys: Readonly<Record<string, unknown>> = {}) {
  return loadConfig({ flags: keys, cwd: '/cwd' }).options;
}

function derived(
  keys: Readonly<Record<string, unknown>> = {},
  own?: Readonly<Record<string, unknown>>,
  credentials: readonly KnownCredential[] = [OWNER],
): ConsoleOptions {
  const result = deriveConsole(service(keys), credentials, own);
  if ('absent' in result) throw new Error(result.absent);
  return result.options;
}

const SWIFT = { backend: 'swift', swift_endpoints: ['http://10.0.0.1:8080', 'http://10.0.0.2'] };
const OF_SWIFT = { ...OWNER, user: 'test:tester' };

describe('console config: derived from the service', () => {
  it('asks the Swift API of the embedded store', () => {
    expect(derived()).to.deep.include({
      bind: { host: '127.0.0.1', port: 9000 },
      storeBase: 'http://127.0.0.1:8070',
      authUrl: 'http://127.0.0.1:8070/auth/v1.0',
      accounts: [{ account: '', user: 'AKIA', role: 'operator' }],
      stateDir: '/cwd/data/console',
      adminUrl: 'http://127.0.0.1:9464',
      adminTokenFile: '',
      adminCertFile: '',
      metricsUrl: '',
      logsUrl: '',
      s3Base: 'http://127.0.0.1:8000',
      s3Region: 'us-east-1',
      s3CertFile: '',
      labEnabled: false,
    });
    expect(derived({ store_listen: '0.0.0.0:1', admin_listen: '[::1]:2' })).to.include({
      storeBase: 'http://127.0.0.1:1',
      adminUrl: 'http://[::1]:2',
    });
  });

  it('shares objects at addresses that are right on this host, and at no other', () => {
    const here = {
      s3PublicBase: 'http://127.0.0.1:8000',
      storePublicBase: 'http://127.0.0.1:8070',
    };
    const nowhere = { s3PublicBase: '', storePublicBase: '' };
    expect(derived()).to.include(here);
    const keys = { s3_listen: '10.0.0.9:8000', store_listen: '10.0.0.9:8070' };
    expect(derived(keys)).to.include(nowhere);
    // The stores in the console's own file count for these addresses, too.
    const others = { store_base: 'http://10.0.0.1:8080', s3_base: 'https://s3.example.com' };
    expect(derived({}, others)).to.include(nowhere);
    const named = { s3_public_base: 'https://s3.example.com' };
    expect(derived({}, named)).to.include({ ...here, s3PublicBase: named.s3_public_base });
  });

  it('reaches an admin port that asks for a token and speaks TLS', () => {
    const keys = {
      admin_token_file: 'token',
      admin_tls_cert_file: 'cert.pem',
      admin_tls_key_file: 'key.pem',
      trusted_proxies: ['10.0.0.0/8'],
    };
    expect(derived(keys)).to.deep.include({
      adminUrl: 'https://127.0.0.1:9464',
      adminTokenFile: '/cwd/token',
      adminCertFile: '/cwd/cert.pem',
      trustedProxies: ['10.0.0.0/8'],
    });
  });

  it('lets the owners of no other account operate while the keys of the first owner are off', () => {
    const others = { ...OWNER, accessKey: 'OTHER', account: 'AUTH_other', isMain: false as const };
    const roles = (credentials: readonly KnownCredential[]) =>
      derived({}, undefined, credentials).accounts.map(({ role }) => role);
    expect(roles([others])).to.deep.equal(['admin']);
    expect(roles([others, OWNER])).to.deep.equal(['admin', 'operator']);
    expect(derived().credentialsFile).to.equal('/cwd/data/credentials.json');
  });

  it('asks the cluster where that is the store', () => {
    expect(derived(SWIFT, undefined, [OF_SWIFT])).to.deep.include({
      storeBase: 'http://10.0.0.1:8080',
      authUrl: 'http://10.0.0.1:8080/auth/v1.0',
      accounts: [{ account: 'test', user: 'tester', role: 'operator', access_keys: ['AKIA'] }],
    });
    const auth = { ...SWIFT, swift_auth_url: 'https://login.example.com/auth/v1.0' };
    expect(derived(auth, undefined, [OF_SWIFT]).authUrl).to.equal(auth.swift_auth_url);
  });

  it('lets users of Keystone log in by their roles', () => {
    const keys = {
      ...SWIFT,
      swift_auth_url: 'http://k:5000/v3',
      swift_user: 'gateway',
      swift_key_file: '/etc/ringway/password',
      credentials_source: 'identity',
      identity_url: 'http://k:5000/v3',
      identity_user: 'gateway',
      identity_key_file: '/etc/ringway/password',
    };
    expect(derived(keys, undefined, [])).to.deep.include({
      authUrl: 'http://k:5000/v3',
      accounts: [],
      keystoneUser: 'gateway',
      keystoneKeyFile: '/etc/ringway/password',
      keystoneUserProject: 'service',
      keystoneAccountPrefix: 'AUTH_',
    });
    const users = { accounts: [{ account: 'a', user: 'b', role: 'reader' }] };
    expect(() => derived(keys, users, [])).to.throw(/keystone_roles says who may log in/);
  });

  for (const [why, keys, credentials] of [
    [/^its store has no address/, { store_listen: '' }, [OWNER]],
    [/^swift_auth_url is no/, { ...SWIFT, swift_auth_url: 'http://k:5000/v2.0' }, [OF_SWIFT]],
    [/^no credential names a user/, SWIFT, [OWNER]],
    [/^no credential names a user/, {}, []],
  ] as const) {
    it(`says that ${why.source.slice(1)}`, () => {
      const result = deriveConsole(service(keys), credentials, undefined);
      expect('absent' in result ? result.absent : '').to.match(why);
    });
  }

  it('lets the console file go before, with paths relative to it', () => {
    const keys = { console_config: '/etc/ringway/console.json' };
    const own = { trash_days: 3, state_dir: 'state', metrics_url: 'http://10.0.0.9:9090' };
    expect(derived(keys, own)).to.include({
      trashDays: 3,
      stateDir: '/etc/ringway/state',
      metricsUrl: 'http://10.0.0.9:9090',
      storeBase: 'http://127.0.0.1:8070',
    });
    const users = { accounts: [{ account: 'a', user: 'b', role: 'reader' }] };
    expect(derived(keys, users).accounts).to.deep.equal(users.accounts);
  });

  it('asks that file for what does not follow from anything', () => {
    expect(() => derived({ store_listen: '' }, {})).to.throw(ConfigError, /^store_base: expected/m);
    expect(() => derived({}, {}, [])).to.throw(ConfigError, /^accounts: expected a list/m);
  });

  it('derives roles from the owners of accounts', () => {
    const credentials: KnownCredential[] = [
      { accessKey: 'READS', account: 'AUTH_main', role: 'member', user: 'main:anna' },
      { accessKey: 'FIRST', account: 'AUTH_main', role: 'owner', user: 'main:root' },
      { accessKey: 'OTHER', account: 'AUTH_other', role: 'owner' },
      // One user with two keys.
      { accessKey: 'ANNA2', account: 'AUTH_main', role: 'owner', user: 'main:anna' },
    ];
    expect(consoleAccounts({ backend: 'embedded' }, credentials)).to.deep.equal([
      { account: '', user: 'READS', role: 'member' },
      { account: 'main', user: 'anna', role: 'member', access_keys: ['READS', 'ANNA2'] },
      { account: '', user: 'FIRST', role: 'operator' },
      { account: 'main', user: 'root', role: 'operator', access_keys: ['FIRST'] },
      { account: '', user: 'OTHER', role: 'admin' },
      { account: '', user: 'ANNA2', role: 'operator' },
    ]);
    const ofTempauth = { accessKey: 'test:some one', account: 'AUTH_main', role: 'owner' } as const;
    expect(consoleAccounts({ backend: 'swift' }, [ofTempauth])).to.deep.equal([]);
  });
});
