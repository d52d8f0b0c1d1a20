import { expect } from 'chai';
import { LoginLimits } from '../../../console/server/login-limits.js';

const MINUTE_MS = 60_000;

describe('console login limits: rules', () => {
  let nowMs: number;
  let limits: LoginLimits;

  beforeEach(() => {
    nowMs = 1_000_000;
    limits = new LoginLimits({ perMinute: 5, now: () => nowMs });
  });

  const wait = (address: string, name: string) => limits.tryLogin(address, name).waitS;

  it('lets an address try five times a minute, under any user name', () => {
    for (let i = 0; i < 5; i++) expect(wait('192.0.2.1', `u${i}`)).to.equal(0);
    expect(wait('192.0.2.1', 'u9')).to.equal(60);
    expect(wait('192.0.2.2', 'u9')).to.equal(0);
    nowMs += MINUTE_MS;
    expect(wait('192.0.2.1', 'u9')).to.equal(0);
  });

  it('counts the addresses of one IPv6 network together', () => {
    for (let i = 0; i < 5; i++) expect(wait(`2001:db8::${i + 1}`, `u${i}`)).to.equal(0);
    expect(wait('2001:db8:0:0:ffff::1', 'u9')).to.be.above(0);
    expect(wait('2001:db8:0:1::1', 'u9')).to.equal(0);
    expect(wait('2001:0db8:0000:0001:9::', 'u8')).to.equal(0);
  });

  it('lets a user be tried ten times in a quarter of an hour from one address', () => {
    for (let i = 0; i < 10; i++) {
      expect(wait('192.0.2.1', 'u')).to.equal(0);
      nowMs += MINUTE_MS / 5;
    }
    expect(wait('192.0.2.1', 'u')).to.equal(13 * 60);
    expect(wait('192.0.2.2', 'u')).to.equal(0);
    nowMs += 13 * MINUTE_MS;
    expect(wait('192.0.2.1', 'u')).to.equal(0);
  });

  it('makes a user wait twice as long after each failure at that address, from the third on', () => {
    const waits = [];
    for (let i = 0; i < 7; i++) {
      limits.failed('192.0.2.1', 'u');
      const waitS = wait('192.0.2.1', 'u');
      waits.push(waitS);
      nowMs += waitS * 1000;
      if (waitS === 0) nowMs += MINUTE_MS / 5;
    }
    expect(waits).to.deep.equal([0, 0, 1, 2, 4, 8, 16]);
  });

  it('locks out no address for attempts at another', () => {
    for (let i = 0; i < 9; i++) limits.failed('192.0.2.1', 'u');
    expect(wait('192.0.2.1', 'u')).to.be.above(60);
    expect(wait('192.0.2.2', 'u')).to.equal(0);
    // Nor does a login there help whoever guesses here.
    limits.succeeded('192.0.2.2', 'u');
    expect(wait('192.0.2.1', 'u')).to.be.above(60);
  });

  it('slows guesses under one name from many addresses, but not where its user logged in', () => {
    expect(wait('198.51.100.1', 'u')).to.equal(0);
    limits.succeeded('198.51.100.1', 'u');
    for (let i = 0; i < 60; i++) expect(wait(`192.0.2.${i}`, 'u')).to.equal(0);
    expect(wait('203.0.113.1', 'u')).to.equal(10);
    expect(wait('198.51.100.1', 'u')).to.equal(0);
    expect(wait('203.0.113.1', 'v')).to.equal(0);
    nowMs += 10_000;
    expect(wait('203.0.113.1', 'u')).to.equal(0);
    expect(wait('203.0.113.2', 'u')).to.equal(10);
  });

  it('forgets the failures of a user who logs in', () => {
    for (let i = 0; i < 4; i++) limits.failed('192.0.2.1', 'u');
    expect(wait('192.0.2.1', 'u')).to.be.above(0);
    limits.succeeded('192.0.2.1', 'u');
    expect(wait('192.0.2.1', 'u')).to.equal(0);
  });

  it('forgets neither a guessed name, nor where its user is known, for invented names', () => {
    limits.tryLogin('198.51.100.1', 'u');
    limits.succeeded('198.51.100.1', 'u');
    for (let i = 0; i < 60; i++) limits.tryLogin(`203.0.113.${i}`, 'u');
    for (let i = 0; i < 4; i++) limits.failed('192.0.2.1', 'u');
    const flood = 10_400;
    for (let i = 0; i < flood; i++) {
      // Of many networks, and of one that has no try left.
      const address = `2001:db8:${(i >> 3).toString(16)}:${(i & 7).toString(16)}::1`;
      expect(wait(address, `invented-${i}`)).to.equal(0);
      limits.tryLogin('192.0.2.9', `refused-${i}`);
    }
    expect(wait('192.0.2.1', 'u')).to.be.above(0);
    expect(wait('203.0.113.99', 'u')).to.equal(10);
    expect(wait('198.51.100.1', 'u')).to.equal(0);
  });

  it('says which refusal is the first in a row: thousands are not worth a record each', () => {
    for (let i = 0; i < 5; i++) limits.tryLogin('192.0.2.1', 'u');
    const refusals = Array.from({ length: 4 }, () => limits.tryLogin('192.0.2.1', 'u').isFirst);
    expect(refusals).to.deep.equal([true, false, false, false]);
    nowMs += MINUTE_MS;
    for (let i = 0; i < 5; i++) limits.tryLogin('192.0.2.1', 'u');
    expect(limits.tryLogin('192.0.2.1', 'u').isFirst).to.equal(true);
  });
});
