import { expect } from 'chai';
import type { RequestHead } from '../../../src/http/exchange.js';
import { TrustedProxies } from '../../../src/http/trusted-proxies.js';
import { Addressing } from '../../../src/s3/endpoint/addressing.js';
import { requestHead } from '../../support/requests.js';
import { authenticatorAt, presignedRequest, s3Failure } from '../auth/support.js';

const NOBODY = new TrustedProxies([]);
const LOCAL = new TrustedProxies(['127.0.0.1']);

const BASE_DOMAINS = ['example.com', 's3.example.com', 'localhost'];

function host(name: string, forwarded?: string): RequestHead {
  const more = forwarded === undefined ? {} : { 'x-forwarded-host': forwarded };
  return requestHead('GET', '/key', { host: name, ...more });
}

describe('addressing: the bucket in the host name', () => {
  const addressing = new Addressing(
    { baseDomains: BASE_DOMAINS, externalHosts: ['internal.example.com:8443'] },
    NOBODY,
  );
  const HOSTS: readonly (readonly [host: string, bucket: string])[] = [
    ['bucket.s3.example.com', 'bucket'],
    ['bucket.s3.example.com:8000', 'bucket'],
    ['Bucket.S3.EXAMPLE.com', 'bucket'],
    ['bucket.s3.example.com.', 'bucket'],
    ['with.dots.s3.example.com', 'with.dots'],
    ['bucket.example.com', 'bucket'],
    ['bucket.localhost:8000', 'bucket'],
    ['s3.example.com', ''],
    ['example.com:80', ''],
    ['internal.example.com', ''],
    ['internal.example.com:8443', ''],
    ['notexample.com', ''],
    ['elsewhere.org', ''],
    ['127.0.0.1:8000', ''],
    ['[::1]:8000', ''],
    ['[::1]', ''],
    ['', ''],
    // Not names of buckets: refused by the endpoint parser, as SPEC.md 2.1 asks.
    ['.s3.example.com', ''],
    ['a_b.s3.example.com', 'a_b'],
  ];

  for (const [name, bucket] of HOSTS) {
    it(`${JSON.stringify(name)} has ${JSON.stringify(bucket)}`, () => {
      expect(addressing.hostBucket(host(name))).to.equal(bucket);
    });
  }

  it('does nothing when nothing is configured', () => {
    const plain = new Addressing({ baseDomains: [], externalHosts: [] }, NOBODY);
    expect(plain.hostBucket(host('bucket.s3.example.com'))).to.equal('');
    expect(plain.signedHosts).to.equal(undefined);
  });

  it('takes a forwarded host from a trusted proxy alone', () => {
    const request = host('127.0.0.1:8000', 'b.s3.example.com');
    expect(addressing.hostBucket(request)).to.equal('');
    const trusting = new Addressing({ baseDomains: BASE_DOMAINS, externalHosts: [] }, LOCAL);
    expect(trusting.hostBucket(request)).to.equal('b');
    expect(trusting.clientHost(request)).to.equal('b.s3.example.com');
  });
});

describe('addressing: which host is signed', () => {
  /** The outcome of a URL that was presigned for one host and sent to another. */
  async function outcome(
    addressing: Addressing,
    signedHost: string,
    sent: { readonly host: string; readonly forwarded?: string },
    path = '/key',
  ): Promise<string> {
    const bare = host(sent.host, sent.forwarded);
    const request = {
      ...presignedRequest('GET', path, { host: signedHost }),
      headers: bare.headers,
    };
    const authenticator = authenticatorAt(undefined, { hosts: addressing.signedHosts });
    const bucket = addressing.hostBucket(request);
    const verified = async () => authenticator.authenticate(request, undefined, bucket);
    try {
      await verified();
      return `bucket ${JSON.stringify(bucket)}`;
    } catch {
      return (await s3Failure(verified)).code;
    }
  }

  const REFUSED = 'SignatureDoesNotMatch';
  const external = new Addressing(
    { baseDomains: [], externalHosts: ['s3.example.com', 's3.example.com:8443'] },
    NOBODY,
  );
  const forwarding = new Addressing({ baseDomains: ['s3.example.com'], externalHosts: [] }, LOCAL);
  const untrusting = new Addressing({ baseDomains: ['s3.example.com'], externalHosts: [] }, NOBODY);
  const all = new Addressing(
    { baseDomains: ['s3.example.com'], externalHosts: ['s3.example.com', 'b.s3.example.com'] },
    LOCAL,
  );

  it('the own one', async () => {
    for (const addressing of [external, forwarding, untrusting, all]) {
      const same = await outcome(addressing, 'gateway:8000', { host: 'gateway:8000' });
      expect(same).to.equal('bucket ""');
    }
    const own = await outcome(all, 'a.s3.example.com', { host: 'a.s3.example.com' });
    expect(own).to.equal('bucket "a"');
  });

  it('one of the external hosts, where a proxy has replaced it', async () => {
    for (const signed of ['s3.example.com', 's3.example.com:8443']) {
      expect(await outcome(external, signed, { host: '127.0.0.1:8000' })).to.equal('bucket ""');
    }
    expect(await outcome(external, 'other.example', { host: '127.0.0.1:8000' })).to.equal(REFUSED);
  });

  it('the forwarded one, from a trusted proxy', async () => {
    const sent = { host: '127.0.0.1:8000', forwarded: 'b.s3.example.com' };
    expect(await outcome(forwarding, 'b.s3.example.com', sent)).to.equal('bucket "b"');
    expect(await outcome(untrusting, 'b.s3.example.com', sent)).to.equal(REFUSED);
    const plain = { host: '127.0.0.1:8000', forwarded: 's3.example.com' };
    expect(await outcome(forwarding, 's3.example.com', plain)).to.equal('bucket ""');
  });

  it('never one that names another bucket than the request is read with', async () => {
    // A holder of a URL for b1 adds the header, and the proxy passes it on with the own Host.
    const forged = { host: 'b1.s3.example.com', forwarded: 'b2.s3.example.com' };
    expect(await outcome(forwarding, 'b1.s3.example.com', forged)).to.equal(REFUSED);
    const toPath = { host: 'b1.s3.example.com', forwarded: 's3.example.com' };
    expect(await outcome(all, 'b1.s3.example.com', toPath, '/b2/key')).to.equal(REFUSED);
    const fromPath = { host: 's3.example.com', forwarded: 'b2.s3.example.com' };
    expect(await outcome(all, 's3.example.com', fromPath, '/b1/key')).to.equal(REFUSED);
    const direct = { host: 'b2.s3.example.com' };
    expect(await outcome(all, 's3.example.com', direct, '/b1/key')).to.equal(REFUSED);
  });
});
