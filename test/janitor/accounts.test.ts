import { expect } from 'chai';
import { loadConfig } from '../../src/config/load.js';
import { janitorAccounts } from '../../src/janitor/assemble.js';

describe('janitor: accounts', () => {
  const { options } = loadConfig({ flags: {}, cwd: '/tmp' });
  const roster = ['AUTH_b', 'AUTH_a', 'AUTH_b'].map((account, i) => ({
    accessKey: `key${i}`,
    secretKey: 'secret',
    account,
    role: 'owner' as const,
  }));

  it('are those of the credentials, and the anonymous one, each once', () => {
    expect(janitorAccounts(options, roster)).to.deep.equal(['AUTH_a', 'AUTH_b']);
    const withAnonymous = { ...options, anonymousAccount: 'AUTH_open' };
    expect(janitorAccounts(withAnonymous, roster)).to.include('AUTH_open');
  });

  it('are the named ones where an identity service tells none', () => {
    const named = { ...options, identityAccounts: ['AUTH_d', 'AUTH_c'] };
    expect(janitorAccounts(named, [])).to.deep.equal([]);
    const identity = { ...named, credentialsSource: 'identity' as const };
    expect(janitorAccounts(identity, [])).to.deep.equal(['AUTH_c', 'AUTH_d']);
  });
});
