import { expect } from 'chai';
import type { RequestHead } from '../../src/http/exchange.js';
import { TrustedProxies } from '../../src/http/trusted-proxies.js';
import { requestHead } from '../support/requests.js';

const PROXIES = new TrustedProxies(['10.0.0.0/8', '192.0.2.7', '2001:db8::/32']);

function from(remoteAddress: string, headers: Readonly<Record<string, string>>): RequestHead {
  return { ...requestHead('GET', '/', headers), remoteAddress };
}

describe('trusted proxies', () => {
  const FORWARDED = {
    'x-forwarded-host': 's3.example.com:8443',
    'x-forwarded-proto': 'HTTPS',
    'x-forwarded-for': '198.51.100.4',
  };

  for (const peer of ['10.1.2.3', '192.0.2.7', '2001:db8::1']) {
    it(`are believed: ${peer}`, () => {
      const request = from(peer, FORWARDED);
      expect(PROXIES.forwardedHost(request)).to.equal('s3.example.com:8443');
      expect(PROXIES.scheme(request)).to.equal('https');
      expect(PROXIES.clientAddress(request)).to.equal('198.51.100.4');
    });
  }

  for (const peer of ['11.0.0.1', '192.0.2.8', '2001:db9::1', '::1', '', 'nonsense']) {
    it(`are no other peers: ${JSON.stringify(peer)}`, () => {
      const request = from(peer, FORWARDED);
      expect(PROXIES.forwardedHost(request)).to.equal(undefined);
      expect(PROXIES.scheme(request)).to.equal('http');
      expect(PROXIES.clientAddress(request)).to.equal(peer);
    });
  }

  it('are none by default, and nothing is looked up then', () => {
    const nobody = new TrustedProxies([]);
    const request = requestHead('GET', '/', FORWARDED);
    Object.defineProperty(request, 'remoteAddress', {
      get: () => {
        throw new Error('looked up');
      },
    });
    expect(nobody.forwardedHost(request)).to.equal(undefined);
    expect(nobody.scheme(request)).to.equal('http');
  });

  it('are answered for by the value that the nearest of them wrote', () => {
    const request = from('10.0.0.1', {
      'x-forwarded-host': 'forged.example, s3.example.com',
      'x-forwarded-proto': 'https, http',
    });
    expect(PROXIES.forwardedHost(request)).to.equal('s3.example.com');
    expect(PROXIES.scheme(request)).to.equal('http');
    for (const header of ['', ' ', 'a,', 'a, ']) {
      const empty = from('10.0.0.1', { 'x-forwarded-host': header });
      expect(PROXIES.forwardedHost(empty)).to.equal(undefined);
    }
  });

  const CHAINS: readonly (readonly [chain: string, client: string])[] = [
    ['', '10.0.0.1'],
    ['198.51.100.4', '198.51.100.4'],
    ['203.0.113.9, 198.51.100.4', '198.51.100.4'],
    ['203.0.113.9,198.51.100.4,10.0.0.2, 192.0.2.7', '198.51.100.4'],
    ['10.0.0.3, 10.0.0.2', '10.0.0.3'],
    ['203.0.113.9, unknown, 10.0.0.2', '10.0.0.2'],
    ['203.0.113.9, ', '10.0.0.1'],
    ['198.51.100.4:1234', '198.51.100.4'],
    ['[2001:db9::5]:1234', '2001:db9::5'],
    ['2001:db9::5', '2001:db9::5'],
    ['::ffff:198.51.100.4', '198.51.100.4'],
    ['[2001:db8::5], 10.0.0.2', '2001:db8::5'],
    [`203.0.113.9, ${Array.from({ length: 40 }, () => '10.0.0.2').join(',')}`, '10.0.0.2'],
  ];

  for (const [chain, client] of CHAINS) {
    it(`leave ${client} of ${chain.slice(0, 60)}`, () => {
      expect(PROXIES.clientAddress(from('10.0.0.1', { 'x-forwarded-for': chain }))).to.equal(
        client,
      );
    });
  }

  it('are remembered in bounded memory, and rightly', () => {
    for (let i = 0; i < 10_000; i++) {
      const peer = `${10 + (i % 2)}.0.${i >> 8}.${i & 255}`;
      const request = from(peer, FORWARDED);
      expect(PROXIES.forwardedHost(request) !== undefined).to.equal(i % 2 === 0);
    }
  });

  it('must be networks', () => {
    expect(() => new TrustedProxies(['proxy.example'])).to.throw(TypeError, 'proxy.example');
  });
});
