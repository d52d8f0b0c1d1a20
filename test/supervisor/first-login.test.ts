import { expect } from 'chai';
import type { Roster } from '../../src/config/credentials.js';
import { loadConfig } from '../../src/config/load.js';
import { firstLogin, offerLogin } from '../../supervisor/first-login.js';

describe('supervisor: the first login to the console', () => {
  const { options } = loadConfig({ flags: {}, cwd: '/tmp' });
  const roster: Roster = [
    { accessKey: 'reader', secretKey: 'r', account: 'AUTH_main', role: 'member' },
    { accessKey: 'AKI', secretKey: 's', account: 'AUTH_main', role: 'owner' },
  ];
  const at = (host: string) => ({ ...options, consoleListen: { host, port: 1 } });

  it('is that of the first owner, for ten minutes', () => {
    const offer = offerLogin(at('127.0.0.1'), roster, undefined, 1000);
    expect(offer).to.include({ account: '', user: 'AKI', key: 's', untilMs: 601_000 });
    expect(offer?.token).to.match(/^[\w-]{43}$/);
    expect(offerLogin(at('127.0.0.1'), roster, undefined, 0)?.token).not.to.equal(offer?.token);
  });

  it('is offered by a link on loopback alone, and where the users are its own', () => {
    expect(offerLogin(at('0.0.0.0'), roster, undefined, 0)).to.equal(undefined);
    expect(offerLogin({ ...options, consoleListen: '' }, roster, undefined, 0)).to.equal(undefined);
    expect(offerLogin(at('::1'), roster, { auth_url: 'http://k/v3' }, 0)).to.equal(undefined);
    expect(offerLogin(at('::1'), roster, { accounts: [] }, 0)).to.equal(undefined);
    const cluster = { ...at('::1'), backend: 'swift', swiftAuthUrl: 'http://k:5000/v3' } as const;
    expect(offerLogin(cluster, roster, undefined, 0)).to.equal(undefined);
  });

  it('names the user of a cluster as the cluster does', () => {
    const users: Roster = [{ ...roster[1]!, accessKey: 'key', user: 'test:tester' }];
    expect(firstLogin(users, 'swift', undefined)).to.deep.equal({
      account: 'test',
      user: 'tester',
      key: 's',
    });
  });
});
