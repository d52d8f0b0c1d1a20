import { expect } from 'chai';
import { parseKey, type ConfigKey } from '../../src/config/schema.js';

const ACCEPTED: readonly (readonly [key: ConfigKey, given: unknown, value: unknown])[] = [
  ['base_domains', [], []],
  ['base_domains', ['S3.Example.com', 'localhost'], ['s3.example.com', 'localhost']],
  ['base_domains', ['a-b.xn--bcher-kva.example'], ['a-b.xn--bcher-kva.example']],
  ['external_hosts', ['s3.example.com:8443', '[::1]:80', '192.0.2.1'], undefined],
  ['trusted_proxies', ['127.0.0.1', '10.0.0.0/8', '2001:db8::/32', '::1', '0.0.0.0/0'], undefined],
  ['anonymous_account', 'AUTH_main', undefined],
  ['anonymous_account', '', undefined],
];

const REFUSED: readonly (readonly [key: ConfigKey, given: unknown])[] = [
  ['base_domains', 's3.example.com'],
  ['base_domains', ['.example.com']],
  ['base_domains', ['*.example.com']],
  ['base_domains', ['example.com:8000']],
  ['base_domains', ['example..com']],
  ['base_domains', ['-a.com']],
  ['base_domains', ['192.0.2.1']],
  ['base_domains', ['']],
  ['base_domains', ['a.example', 'A.example']],
  ['base_domains', [`${'a'.repeat(64)}.example`]],
  ['base_domains', Array.from({ length: 17 }, (_, i) => `d${i}.example`)],
  ['external_hosts', ['https://s3.example.com']],
  ['external_hosts', ['s3.example.com/']],
  ['external_hosts', ['s3.example.com:']],
  ['external_hosts', ['s3.example.com, other']],
  ['trusted_proxies', ['proxy.example.com']],
  ['trusted_proxies', ['10.0.0.0/33']],
  ['trusted_proxies', ['10.0.0.0/']],
  ['trusted_proxies', ['10.0.0.0/8/8']],
  ['trusted_proxies', ['10.0.0/8']],
  ['trusted_proxies', ['2001:db8::/129']],
  ['trusted_proxies', ['fe80::1%eth0']],
  ['anonymous_account', 'a/b'],
  ['anonymous_account', null],
];

describe('config: lists of domains, hosts and networks', () => {
  for (const [key, given, value = given] of ACCEPTED) {
    it(`${key} may be ${JSON.stringify(given)}`, () => {
      expect(parseKey(key, given)).to.deep.equal({ ok: true, value });
    });
  }

  for (const [key, given] of REFUSED) {
    it(`${key} may not be ${JSON.stringify(given).slice(0, 60)}`, () => {
      expect(parseKey(key, given).ok).to.be.false;
    });
  }
});
