import { expect } from 'chai';

import type { RequestHead } from '../../../src/http/exchange.js';
import {
  authenticatorAt,
  EMPTY_SHA256,
  expectFailure,
  expectRefusal,
  HOST,
  IDENTITY,
  NOW,
  presignedRequest,
  PRINCIPAL,
  signedRequest,
  verify,
  withHeader,
} from './support.js';

const MINUTE_MS = 60_000;

describe('authenticate: signed headers', () => {
  const request = signedRequest('PUT', '/bucket/key%20one?tagging=&b=2&a=%2F', {
    'content-type': 'text/plain',
    'x-amz-meta-note': '  several   words ',
  });

  it('accepts what was signed', async () => {
    const { principal, headers } = await verify(request);
    expect(principal).to.deep.equal(PRINCIPAL);
    expect(headers).to.equal(request.headers);
  });

  it('answers at once when the credential is at hand, by a promise when it is fetched', async () => {
    expect(authenticatorAt().authenticate(request)).not.to.be.instanceOf(Promise);
    const far = { account: 'AUTH_far', role: 'member', user: 'far:anna' } as const;
    const fetched = authenticatorAt(NOW, {
      credentials: { find: (accessKey) => Promise.resolve({ ...IDENTITY, accessKey, ...far }) },
    }).authenticate(request);
    expect(fetched).to.be.instanceOf(Promise);
    const { principal } = await fetched;
    expect(principal).to.deep.equal({ accessKey: IDENTITY.accessKey, ...far });
  });

  const MUTATIONS: Readonly<Record<string, RequestHead>> = {
    method: { ...request, method: 'DELETE' },
    path: { ...request, rawPath: '/bucket/key%20two' },
    'path, by case': { ...request, rawPath: '/bucket/Key%20one' },
    'query value': { ...request, rawQuery: 'tagging=&b=3&a=%2F' },
    'query name': { ...request, rawQuery: 'tagging=&c=2&a=%2F' },
    'query, one more': { ...request, rawQuery: `${request.rawQuery}&acl` },
    'query, one less': { ...request, rawQuery: 'tagging=&b=2' },
    'signed header': withHeader(request, 'content-type', 'text/html'),
    'signed header, gone': withHeader(request, 'content-type', undefined),
    host: withHeader(request, 'host', 'other.example'),
    'payload hash': withHeader(request, 'x-amz-content-sha256', 'UNSIGNED-PAYLOAD'),
    'x-amz-date': withHeader(request, 'x-amz-date', '20130524T000001Z'),
    metadata: withHeader(request, 'x-amz-meta-note', 'several others'),
  };

  for (const [name, mutated] of Object.entries(MUTATIONS)) {
    it(`refuses another ${name}`, async () => {
      const error = await expectRefusal(mutated, 'SignatureDoesNotMatch');
      expect(error.details).to.include.all.keys(
        'AWSAccessKeyId',
        'StringToSign',
        'SignatureProvided',
        'CanonicalRequest',
      );
      expect(JSON.stringify(error.details)).not.to.contain(IDENTITY.secretKey);
    });
  }

  it('tells the client what was signed here', async () => {
    const { details } = await expectRefusal({ ...request, method: 'GET' }, 'SignatureDoesNotMatch');
    expect(details.CanonicalRequest).to.equal(
      [
        'GET',
        '/bucket/key%20one',
        'a=%2F&b=2&tagging=',
        'content-type:text/plain',
        `host:${HOST}`,
        `x-amz-content-sha256:${EMPTY_SHA256}`,
        'x-amz-date:20130524T000000Z',
        'x-amz-meta-note:several words',
        '',
        'content-type;host;x-amz-content-sha256;x-amz-date;x-amz-meta-note',
        EMPTY_SHA256,
      ].join('\n'),
    );
    expect(details.StringToSign).to.match(
      /^AWS4-HMAC-SHA256\n20130524T000000Z\n20130524\/us-east-1\/s3\/aws4_request\n[0-9a-f]{64}$/,
    );
  });

  it('refuses another secret, and an unknown access key', async () => {
    const other = (changes: object): RequestHead =>
      signedRequest('GET', '/', {}, EMPTY_SHA256, { identity: { ...IDENTITY, ...changes } });
    await expectRefusal(other({ secretKey: 'wrong' }), 'SignatureDoesNotMatch');
    const { details } = await expectRefusal(other({ accessKey: 'NOBODY' }), 'InvalidAccessKeyId');
    expect(details).to.deep.equal({ AWSAccessKeyId: 'NOBODY' });
  });

  it('uses a new secret as soon as the source knows it', async () => {
    let secretKey = IDENTITY.secretKey;
    const authenticator = authenticatorAt(NOW, {
      credentials: {
        find: (accessKey) => ({ accessKey, secretKey, account: 'AUTH_test', role: 'owner' }),
      },
    });
    await authenticator.authenticate(request);
    secretKey = 'rotated';
    await expectFailure(() => authenticator.authenticate(request), 'SignatureDoesNotMatch');
  });

  it('demands that host and all x-amz-* headers are signed', async () => {
    const extra = withHeader(withHeader(request, 'x-amz-acl', 'public-read'), 'accept', '*/*');
    const error = await expectRefusal(extra, 'AccessDenied');
    expect(error.details).to.deep.equal({ HeadersNotSigned: 'x-amz-acl' });
    const authorization = request.headers.get('authorization')!;
    const hostless = withHeader(request, 'authorization', authorization.replace(';host;', ';'));
    const { details } = await expectRefusal(hostless, 'AccessDenied');
    expect(details).to.deep.equal({ HeadersNotSigned: 'host' });
  });

  it('takes repeated headers as they were signed, joined by a comma', async () => {
    const repeated = signedRequest('GET', '/b', { 'x-amz-meta-a': '1,2', 'x-amz-meta-b': '3' });
    await verify(withHeader(repeated, 'x-amz-meta-a', '1, 2'));
    await verify(signedRequest('GET', '/b', { 'x-amz-meta-a': '1, 2' }));
    await expectRefusal(withHeader(repeated, 'x-amz-meta-a', '1, 3'), 'SignatureDoesNotMatch');
  });

  it('refuses a session token, since none is issued', async () => {
    const request = signedRequest('GET', '/b', { 'x-amz-security-token': 'abc' });
    await expectRefusal(request, 'InvalidToken');
  });

  it('allows fifteen minutes of skew, either way, and no more', async () => {
    const window = 15 * MINUTE_MS;
    for (const now of [NOW - window, NOW + window]) await verify(request, now);
    for (const now of [NOW - window - 1, NOW + window + 1]) {
      const { details } = await expectRefusal(request, 'RequestTimeTooSkewed', now);
      expect(details).to.deep.equal({
        RequestTime: '20130524T000000Z',
        ServerTime: new Date(now).toISOString().replace(/\.\d+/, ''),
        MaxAllowedSkewMilliseconds: '900000',
      });
    }
  });
});

describe('authenticate: keys on the wire', () => {
  const KEYS: readonly (readonly [wire: string, ...otherForms: string[]])[] = [
    ['/b/a%2Bb', '/b/a+b'],
    ['/b/a%40b', '/b/a@b'],
    ['/b/100%25'],
    ['/b/what%3F%23'],
    ['/b/a/../b'],
    ['/b/a/%2E%2E/b'],
    ['/b//a//'],
    ['/b/./a'],
    ['/b/~tilde', '/b/%7Etilde', '/b/%7etilde'],
    ['/b/%21%27%28%29%2A', "/b/!'()*"],
    ['/b/%C3%BC%F0%9F%8E%89', '/b/%c3%bc%f0%9f%8e%89'],
    ['/b/%E3%83%86%20%E3%82%B9'],
    // Signed as sent, or in canonical form: it names the key a/b either way.
    ['/b/a%2Fb'],
    ['/b/a/b', '/b/a%2Fb'],
    [`/b/${'k'.repeat(1024)}`],
  ];

  for (const [wire, ...otherForms] of KEYS) {
    it(`verifies ${wire.slice(0, 40)} and other forms of it`, async () => {
      const request = signedRequest('GET', wire);
      await verify(request);
      for (const rawPath of otherForms) {
        await verify({ ...request, rawPath });
      }
    });
  }

  it('takes the query in any order and any escaping', async () => {
    const request = signedRequest('GET', '/b?list-type=2&prefix=a%2Fb%20c%2Bd&delimiter=%2F&a-b&a');
    for (const rawQuery of [
      'prefix=a/b%20c%2bd&delimiter=/&a=&list-type=2&a-b=',
      'a-b&a&&prefix=a/b+c%2Bd&delimiter=%2f&list-type=2',
    ]) {
      await verify({ ...request, rawQuery });
    }
    await expectRefusal({ ...request, rawQuery: 'list-type=2' }, 'SignatureDoesNotMatch');
  });

  it('refuses what is not a URI', async () => {
    for (const url of ['/b/%', '/b/%zz', '/b/%ff', '/b/é']) {
      const request = { ...signedRequest('GET', '/b'), rawPath: url };
      await expectRefusal(request, 'InvalidURI');
    }
    await expectRefusal({ ...signedRequest('GET', '/b'), rawQuery: 'a=%' }, 'InvalidURI');
  });
});

describe('authenticate: presigned URLs', () => {
  const presigned = (
    { query = '', expiresS = 3600, headers = {} } = {},
    contentSha256?: string,
  ): RequestHead =>
    presignedRequest('GET', `/b/key?${query}`, headers, { expiresS, contentSha256 });

  it('holds from a little before its date until its expiry', async () => {
    const request = presigned({ expiresS: 60 });
    await verify(request, NOW - 15 * MINUTE_MS);
    await verify(request, NOW + 60_000 - 1);
    const late = await expectRefusal(request, 'AccessDenied', NOW + 60_000);
    expect(late.message).to.equal('Request has expired');
    expect(late.details).to.deep.equal({
      'X-Amz-Expires': '60',
      Expires: '2013-05-24T00:01:00Z',
      ServerTime: '2013-05-24T00:01:00Z',
    });
    const early = await expectRefusal(request, 'AccessDenied', NOW - 15 * MINUTE_MS - 1);
    expect(early.message).to.equal('Request is not yet valid');
  });

  it('works for a week', async () => {
    await verify(presigned({ expiresS: 604_800 }), NOW + 604_800_000 - 1);
  });

  it('covers path, query and signed headers, and lets others pass', async () => {
    const request = presigned({ query: 'versionId=null', headers: { 'x-amz-acl': 'private' } });
    await verify(request);
    await verify(withHeader(request, 'accept', '*/*'));
    await expectRefusal({ ...request, rawPath: '/b/kez' }, 'SignatureDoesNotMatch');
    const other = request.rawQuery.replace('versionId=null', 'versionId=nil');
    await expectRefusal({ ...request, rawQuery: other }, 'SignatureDoesNotMatch');
    await expectRefusal(withHeader(request, 'x-amz-acl', 'public-read'), 'SignatureDoesNotMatch');
    const unsigned = withHeader(request, 'x-amz-meta-a', '1');
    const { details } = await expectRefusal(unsigned, 'AccessDenied');
    expect(details).to.deep.equal({ HeadersNotSigned: 'x-amz-meta-a' });
  });

  it('takes the payload hash from the query, from a header, or does without', async () => {
    await verify(presigned({}, 'UNSIGNED-PAYLOAD'));
    await verify(presigned({ query: `X-Amz-Content-Sha256=${EMPTY_SHA256}` }, EMPTY_SHA256));
    const header = { 'x-amz-content-sha256': EMPTY_SHA256 };
    await verify(presigned({ headers: header }, EMPTY_SHA256));
    await expectRefusal(presigned({ headers: header }), 'SignatureDoesNotMatch');
  });

  it('shows headers that were moved into the query, but for checksums', async () => {
    const query = 'X-Amz-Meta-Color=blue&x-amz-acl=private&x-amz-checksum-crc32=AAAAAA%3D%3D';
    const shape = { 'x-amz-meta-shape': 'round' };
    const { headers } = await verify(presigned({ query, headers: shape }));
    expect(Object.fromEntries(headers)).to.deep.equal({
      host: HOST,
      ...shape,
      'x-amz-meta-color': 'blue',
      'x-amz-acl': 'private',
    });
  });

  it('refuses a session token in the query', async () => {
    await expectRefusal(presigned({ query: 'X-Amz-Security-Token=abc' }), 'InvalidToken');
  });
});
