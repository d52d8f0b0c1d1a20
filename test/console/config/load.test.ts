import { expect } from 'chai';
import { ConfigError } from '../../../src/config/problem.js';
import { parseConsoleConfig } from '../../../console/config/load.js';

const LEAST = {
  store_base: 'http://127.0.0.1:8070',
  auth_url: 'http://127.0.0.1:8070/auth/v1.0',
  accounts: [{ account: 'test', user: 'tester', role: 'admin' }],
};

function problemsOf(raw: Readonly<Record<string, unknown>>): string[] {
  try {
    parseConsoleConfig(raw, '/etc/console');
  } catch (error) {
    if (error instanceof ConfigError) return error.message.split('\n');
    throw error;
  }
  return [];
}

describe('console config', () => {
  it('fills in defaults, and keeps every control off', () => {
    const options = parseConsoleConfig(LEAST, '/etc/console');
    expect(options).to.include({
      sessionIdleHours: 8,
      maxUploadBytes: 5 * 1024 ** 3,
      tempurlDefaultSecs: 3600,
      trashDays: 30,
      loginMaxPerMin: 5,
      accountAdmin: false,
      testEnabled: false,
      labEnabled: false,
      labMutations: false,
      nodeDriver: 'none',
    });
    expect(options.bind).to.deep.equal({ host: '127.0.0.1', port: 9000 });
    expect(options.stateDir).to.equal('/etc/console/console-state');
    expect(options.storeDir).to.equal('');
  });

  it('names everything that is wrong at once: key, value, expectation', () => {
    const problems = problemsOf({
      ...LEAST,
      store_base: 'http://user:key@host/',
      session_idle_hour: 3,
      trash_days: 0,
      accounts: [{ account: 'test', user: 'tester', role: 'root' }],
      getnodes_bin: 'swift-get-nodes',
    });
    expect(problems).to.have.length(5);
    expect(problems[0]).to.match(/^session_idle_hour: got 3, expected .*did you mean session_idle/);
    expect(problems.join('\n'))
      .to.include('accounts[0].role: got "root", expected one of reader, member, admin, operator')
      .and.include('trash_days: got 0, expected an integer from 1 to 3650')
      .and.include('getnodes_bin: got "swift-get-nodes", expected an absolute path')
      .and.include('store_base: got');
  });

  it('asks for what has no default', () => {
    expect(problemsOf({}).map((line) => line.split(':')[0])).to.deep.equal([
      'store_base',
      'auth_url',
      'accounts',
    ]);
  });

  it('refuses a control whose needs are not met', () => {
    expect(problemsOf({ ...LEAST, lab_mutations: true })).to.deep.equal([
      'lab_enabled: got false, expected a value, since lab_mutations is set',
    ]);
    expect(problemsOf({ ...LEAST, account_admin: true })).to.have.length(2);
    expect(problemsOf({ ...LEAST, deploy_upstream: 'http://127.0.0.1:9700' })).to.have.length(2);
  });

  it('takes proxies by name or address, and none with a port', () => {
    const proxies = ['proxy-1.example', '10.0.0.1', 'fd00::1', '::1'];
    expect(problemsOf({ ...LEAST, proxy_nodes: proxies })).to.deep.equal([]);
    for (const wrong of [
      'proxy:8080',
      '10.0.0.1:8080',
      '[::1]',
      '-oProxyCommand=x',
      'fe80::1%eth0',
      '10.0.0.256',
    ])
      expect(problemsOf({ ...LEAST, proxy_nodes: [wrong] }), wrong).to.deep.equal([
        `proxy_nodes[0]: got "${wrong}", expected a list of different host names or addresses, without ports`,
      ]);
  });

  it('refuses many proxies with the file of one host', () => {
    const admin = { ...LEAST, account_admin: true, proxy_conf: 'p', proxy_nodes: ['a', 'b'] };
    expect(problemsOf(admin)).to.deep.equal([
      'proxy_nodes: got ["a","b"], expected one node, unless node_driver is ssh',
    ]);
    expect(problemsOf({ ...admin, node_driver: 'ssh' })).to.deep.equal([]);
    expect(problemsOf({ ...admin, proxy_nodes: ['a'] })).to.deep.equal([]);
  });

  it('refuses a user that is there twice', () => {
    const [one] = LEAST.accounts;
    expect(problemsOf({ ...LEAST, accounts: [one, one] })).to.have.length(1);
  });
});
