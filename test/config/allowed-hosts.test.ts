import { expect } from 'chai';
import { AllowedHosts } from '../../src/config/allowed-hosts.js';

describe('config: allowed hosts', () => {
  const hosts = new AllowedHosts({ host: 'Proxy-1', port: 9464 }, ['mon.example.com', 'a.test:81']);

  for (const [host, exact, forAdmin] of [
    ['proxy-1:9464', true, true],
    ['localhost:9464', true, true],
    ['127.0.0.1:9464', true, true],
    ['[::1]:9464', true, true],
    ['mon.example.com', true, true],
    ['a.test:81', true, true],
    // Through a tunnel, by an address of the machine, and behind a port that is forwarded.
    ['localhost:9999', false, true],
    ['localhost', false, true],
    ['192.0.2.7:9464', false, true],
    ['[2001:db8::7]:9464', false, true],
    ['mon.example.com:9464', false, true],
    ['a.test', false, false],
    ['a.test:9464', false, false],
    ['rebound.attacker.example:9464', false, false],
    ['127.0.0.1.attacker.example:9464', false, false],
    ['localhost.attacker.example', false, false],
    ['mon.example.com.attacker.example', false, false],
    ['', false, false],
    ['127.0.0.1:9464@x', false, false],
    ['[::1', false, false],
  ] as const) {
    it(`${host || 'an empty one'}: ${exact ? 'yes' : 'no'}, with addresses ${forAdmin ? 'yes' : 'no'}`, () => {
      expect(hosts.has(host)).to.equal(exact);
      expect(hosts.hasOrIsAddress(host)).to.equal(forAdmin);
    });
  }

  it('takes a name of any case, and none at all, which no browser sends', () => {
    expect(hosts.hasOrIsAddress('MON.Example.com:9464')).to.equal(true);
    expect(hosts.hasOrIsAddress(undefined)).to.equal(true);
  });
});
