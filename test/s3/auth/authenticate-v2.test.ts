import { createHash } from 'node:crypto';
import { expect } from 'chai';
import type { RequestHead } from '../../../src/http/exchange.js';
import { requestHead, sizedBody } from '../../support/requests.js';
import { signHeadersV2 } from '../../support/sigv2.js';
import {
  authenticatorAt,
  DATE,
  expectFailure,
  expectRefusal,
  type Headers,
  HOST,
  IDENTITY,
  NOW,
  presignedRequestV2,
  PRINCIPAL,
  REQUEST_DATES,
  signedRequestV2,
  verify,
  withHeader,
} from './support.js';

const MINUTE_MS = 60_000;
const HTTP_DATE = DATE.toUTCString();

describe('authenticate: signature version 2 in a header', () => {
  const request = signedRequestV2('PUT', '/bucket/key%20one?tagging&versionId=a%2Fb&prefix=x', {
    'content-type': 'text/plain',
    'content-md5': '1B2M2Y8AsgTpgAmY7PhCfg==',
    'x-amz-meta-note': 'several   words',
  });

  it('accepts what was signed', async () => {
    const { principal, headers } = await verify(request);
    expect(principal).to.deep.equal(PRINCIPAL);
    expect(headers).to.equal(request.headers);
  });

  const MUTATIONS: Readonly<Record<string, RequestHead>> = {
    method: { ...request, method: 'DELETE' },
    path: { ...request, rawPath: '/bucket/key%20two' },
    subresource: { ...request, rawQuery: 'acl&versionId=a%2Fb' },
    'subresource, gone': { ...request, rawQuery: 'versionId=a%2Fb' },
    'subresource, one more': { ...request, rawQuery: `${request.rawQuery}&legal-hold` },
    version: { ...request, rawQuery: 'tagging&versionId=other' },
    'response override': { ...request, rawQuery: `${request.rawQuery}&response-expires=x` },
    'content type': withHeader(request, 'content-type', 'text/html'),
    'content MD5': withHeader(request, 'content-md5', undefined),
    date: withHeader(request, 'date', new Date(NOW + 1000).toUTCString()),
    'x-amz header': withHeader(request, 'x-amz-meta-note', 'others'),
    'x-amz header, one more': withHeader(request, 'x-amz-acl', 'public-read'),
    'date, by x-amz-date': withHeader(request, 'x-amz-date', HTTP_DATE),
  };

  for (const [name, mutated] of Object.entries(MUTATIONS)) {
    it(`refuses another ${name}`, async () => {
      const { details } = await expectRefusal(mutated, 'SignatureDoesNotMatch');
      expect(details).to.have.all.keys(
        'AWSAccessKeyId',
        'StringToSign',
        'SignatureProvided',
        'StringToSignBytes',
      );
      expect(JSON.stringify(details)).not.to.contain(IDENTITY.secretKey);
    });
  }

  it('signs neither the host nor listing parameters', async () => {
    await verify(withHeader(request, 'host', 'other.example'));
    await verify({ ...request, rawQuery: request.rawQuery.replace('prefix=x', 'prefix=y&max') });
  });

  it('signs the bucket of the host name', async () => {
    const headers = { host: HOST, date: HTTP_DATE };
    const toSign = { method: 'GET', rawPath: '/key', headers, hostBucket: 'bucket' };
    const head = requestHead('GET', '/key', signHeadersV2(IDENTITY, toSign));
    const authenticator = authenticatorAt();
    await authenticator.authenticate(head, undefined, 'bucket');
    for (const hostBucket of ['', 'other']) {
      const attempt = () => authenticator.authenticate(head, [], hostBucket);
      await expectFailure(attempt, 'SignatureDoesNotMatch');
    }
  });

  it('tolerates what clients write in different ways', async () => {
    const plain = signedRequestV2('GET', '/b/~k?acl', { 'x-amz-meta-a': '1,2' });
    await verify({ ...plain, rawQuery: 'acl=' });
    await verify(signedRequestV2('GET', '/b?acl='));
    await verify({ ...plain, rawPath: '/b/%7ek' });
    await verify(withHeader(plain, 'x-amz-meta-a', '1, 2'));
    await verify(signedRequestV2('GET', '/b/a/../b//c%2Fd'));
    for (const [signedPath, rawPath] of [
      ['/b/', '/b'],
      ['/b', '/b/'],
    ] as const) {
      await verify({ ...signedRequestV2('PUT', signedPath), rawPath });
    }
    for (const [signedPath, rawPath] of [
      ['/b/k', '/b/k/'],
      ['/b/k/', '/b/k'],
      ['/', '//'],
    ] as const) {
      await expectRefusal(
        { ...signedRequestV2('PUT', signedPath), rawPath },
        'SignatureDoesNotMatch',
      );
    }
    await expectRefusal({ ...plain, rawPath: '/b/%' }, 'InvalidURI');
  });

  it('prefers x-amz-date, and reads dates as clients write them', async () => {
    await verify(signedRequestV2('GET', '/b', { date: 'nonsense', 'x-amz-date': HTTP_DATE }));
    for (const date of [HTTP_DATE, ...REQUEST_DATES]) {
      await verify(signedRequestV2('GET', '/b', { date }));
      await verify(signedRequestV2('GET', '/b', { 'x-amz-date': date }));
    }
    const HOUR_OFF = HTTP_DATE.replace('GMT', '+0200');
    for (const date of ['', 'soon', '2013-05-24', HOUR_OFF, '1369353600']) {
      const { message } = await expectRefusal(
        signedRequestV2('GET', '/b', { date }),
        'AccessDenied',
      );
      expect(message).to.equal('AWS authentication requires a valid Date or x-amz-date header');
    }
  });

  it('allows fifteen minutes of skew, either way, and no more', async () => {
    const window = 15 * MINUTE_MS;
    for (const now of [NOW - window, NOW + window]) await verify(request, now);
    for (const now of [NOW - window - 1, NOW + window + 1]) {
      const { details } = await expectRefusal(request, 'RequestTimeTooSkewed', now);
      expect(details.RequestTime).to.equal(HTTP_DATE);
    }
  });

  it('refuses another secret, an unknown access key and a session token', async () => {
    const other = (changes: object): RequestHead =>
      signedRequestV2('GET', '/', {}, { ...IDENTITY, ...changes });
    await expectRefusal(other({ secretKey: 'wrong' }), 'SignatureDoesNotMatch');
    const { details } = await expectRefusal(other({ accessKey: 'a:b' }), 'InvalidAccessKeyId');
    expect(details).to.deep.equal({ AWSAccessKeyId: 'a:b' });
    await expectRefusal(
      signedRequestV2('GET', '/', { 'x-amz-security-token': 't' }),
      'InvalidToken',
    );
  });

  for (const authorization of ['AWS', 'AWS ', 'AWS :', 'AWS key', 'AWS key:', 'AWS :c2ln']) {
    it(`answers InvalidArgument to ${JSON.stringify(authorization)}`, async () => {
      const broken = withHeader(request, 'authorization', authorization);
      const { message, details } = await expectRefusal(broken, 'InvalidArgument');
      expect(message).to.contain('Expected AwsAccessKeyId:signature');
      expect(details).to.deep.equal({ ArgumentName: 'Authorization' });
    });
  }
});

describe('authenticate: URLs presigned with signature version 2', () => {
  const request = presignedRequestV2('GET', '/b/key?versionId=null&response-expires=a%20b');

  it('hold until they expire', async () => {
    await verify(request, NOW - 365 * 24 * 60 * MINUTE_MS);
    await verify(request, NOW + MINUTE_MS - 1);
    const { message, details } = await expectRefusal(request, 'AccessDenied', NOW + MINUTE_MS);
    expect(message).to.equal('Request has expired');
    expect(details).to.deep.equal({
      Expires: '2013-05-24T00:01:00Z',
      ServerTime: '2013-05-24T00:01:00Z',
    });
  });

  it('cover path, subresources, overrides, content type and x-amz-* headers', async () => {
    await expectRefusal({ ...request, rawPath: '/b/kez' }, 'SignatureDoesNotMatch');
    for (const [from, to] of [
      ['versionId=null', 'versionId=nil'],
      ['response-expires=a%20b', 'response-expires=a'],
      ['versionId=null', 'versionId=null&acl'],
      ['Expires=1369353660', 'Expires=1369353661'],
      ['versionId=null', 'versionId=null&x-amz-acl=public-read'],
    ] as const) {
      const rawQuery = request.rawQuery.replace(from, to);
      expect(rawQuery).not.to.equal(request.rawQuery);
      await expectRefusal({ ...request, rawQuery }, 'SignatureDoesNotMatch');
    }
    const typed = withHeader(request, 'content-type', 'text/html');
    await expectRefusal(typed, 'SignatureDoesNotMatch');
    await expectRefusal(withHeader(request, 'x-amz-meta-a', '1'), 'SignatureDoesNotMatch');
  });

  it('carry headers in the query, which are signed as headers', async () => {
    const hoisted = { 'x-amz-meta-color': 'blue', 'content-type': 'text/css' };
    const { rawPath, rawQuery } = presignedRequestV2('PUT', '/b/key', hoisted);
    const url = `${rawPath}?${rawQuery}&x-amz-meta-color=blue&content-type=text%2Fcss`;
    const { headers } = await verify(requestHead('PUT', url, { host: HOST }));
    expect(Object.fromEntries(headers)).to.deep.equal({ host: HOST, ...hoisted });
    const other = url.replace('=blue', '=red');
    await expectRefusal(requestHead('PUT', other, { host: HOST }), 'SignatureDoesNotMatch');
  });

  it('do not take a checksum in the query for the body', async () => {
    const checksum = {
      'x-amz-checksum-crc32': 'AAAAAA==',
      'x-amz-sdk-checksum-algorithm': 'CRC32',
    };
    const { rawPath, rawQuery } = presignedRequestV2('PUT', '/b/key', checksum);
    const url = `${rawPath}?${rawQuery}&${new URLSearchParams(checksum).toString()}`;
    const authentication = await verify(requestHead('PUT', url, { host: HOST }));
    const payload = authentication.openPayload(sizedBody(Buffer.from('some body')));
    expect((await payload.collect(100)).toString()).to.equal('some body');
  });

  const INCOMPLETE = [
    'AWSAccessKeyId=a&Signature=b',
    'AWSAccessKeyId=a&Expires=1',
    'Signature=b&Expires=1',
    'AWSAccessKeyId&Signature=b&Expires=1',
    'AWSAccessKeyId=a&Signature=&Expires=1',
    'AWSAccessKeyId=a&Signature=b&Signature=b&Expires=1',
  ];
  const FAR = ['9999999999999', '253402300800'];
  const NO_DATES = ['x', '-1', '1.5', '1e9', '0x10', ...FAR, '%F0%9F%8E%89'];

  it('must be complete, with a number of seconds', async () => {
    for (const query of INCOMPLETE) {
      const head = requestHead('GET', `/b/k?${query}`, { host: HOST });
      const { message } = await expectRefusal(head, 'AccessDenied');
      expect(message, query).to.contain('Query-string authentication requires');
    }
    for (const date of NO_DATES) {
      const url = `/b/k?AWSAccessKeyId=a&Signature=b&Expires=${date}`;
      const { message } = await expectRefusal(requestHead('GET', url, {}), 'AccessDenied');
      expect(message, date).to.contain('Invalid date (should be seconds since epoch)');
    }
  });

  it('cannot be mixed with another mechanism', async () => {
    const both = [
      withHeader(request, 'authorization', 'AWS a:b'),
      { ...request, rawQuery: `${request.rawQuery}&X-Amz-Signature=0` },
    ];
    for (const mixed of both) {
      const { message } = await expectRefusal(mixed, 'InvalidArgument');
      expect(message).to.contain('Only one auth mechanism allowed');
    }
  });
});

describe('payloads of signature version 2', () => {
  const BODY = Buffer.from('some bytes to store');
  const md5 = createHash('md5').update(BODY).digest('base64');

  async function collect(headers: Headers): Promise<string> {
    const authentication = await verify(signedRequestV2('PUT', '/b/k', headers));
    return (await authentication.openPayload(sizedBody(BODY, 5)).collect(100)).toString();
  }

  it('are not signed, but checked against digests', async () => {
    const sha256 = createHash('sha256').update(BODY).digest();
    const base64 = sha256.toString('base64');
    for (const headers of [
      {},
      { 'content-md5': md5 },
      { 'x-amz-checksum-sha256': base64 },
      { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' },
      { 'x-amz-content-sha256': sha256.toString('hex') },
    ]) {
      expect(await collect(headers)).to.equal(BODY.toString());
    }
    for (const [headers, code] of [
      [{ 'content-md5': '1B2M2Y8AsgTpgAmY7PhCfg==' }, 'BadDigest'],
      [{ 'content-md5': 'nonsense' }, 'InvalidDigest'],
      [{ 'x-amz-checksum-crc32': 'AAAAAA==' }, 'BadDigest'],
      [{ 'x-amz-content-sha256': '0'.repeat(64) }, 'XAmzContentSHA256Mismatch'],
      [{ 'x-amz-content-sha256': 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD' }, 'MissingContentLength'],
      [{ 'x-amz-content-sha256': 'something' }, 'XAmzContentSHA256Mismatch'],
    ] as const) {
      await expectFailure(() => collect(headers), code);
    }
  });
});
