import { expect } from 'chai';
import fc from 'fast-check';

import {
  createDigestFactory,
  DigestLaneError,
  type DigestFactory,
} from '../../../src/digest/index.js';
import { formatAmzDate, formatIsoSeconds } from '../../../src/s3/auth/dates.js';
import { parseAmzDate, parseRequestDate } from '../../../src/s3/rules/request-dates.js';
import { parseCredential } from '../../../src/s3/auth/credential-scope.js';
import { canonicalRequest } from '../../../src/s3/auth/canonical-request.js';
import {
  type SignatureClaim,
  SigningKeys,
  isSameSignature,
} from '../../../src/s3/auth/signature-v4.js';
import { sizedBody } from '../../support/requests.js';
import { sha256Hex } from '../../support/sigv4.js';
import { failureOf } from '../../support/failure.js';
import { authenticatorAt, expectFailure, NOW, REQUEST_DATES, signedRequest } from './support.js';

describe('SigV4 dates', () => {
  it('round-trip to the second', () => {
    const seconds = fc.integer({ min: 0, max: Date.UTC(9999, 11, 31, 23, 59, 59) / 1000 });
    fc.assert(
      fc.property(seconds, (s) => {
        expect(parseAmzDate(formatAmzDate(s * 1000))).to.equal(s * 1000);
      }),
    );
  });

  it('know leap years, and nothing that is not a date', () => {
    expect(parseAmzDate('20240229T235959Z')).to.equal(Date.UTC(2024, 1, 29, 23, 59, 59));
    expect(formatIsoSeconds(Date.UTC(2024, 1, 29, 23, 59, 59))).to.equal('2024-02-29T23:59:59Z');
    const DAYS = ['20230229', '20231301', '20230001', '20230100'].map((day) => `${day}T000000Z`);
    for (const text of [...DAYS, '20230101T006000Z', '20230101T000060Z']) {
      expect(parseAmzDate(text), text).to.equal(undefined);
    }
  });

  it('may be written as mail and HTTP write them, in UTC', () => {
    for (const text of REQUEST_DATES) expect(parseRequestDate(text), text).to.equal(NOW);
    const early = Date.UTC(2024, 1, 3, 4, 5, 6);
    expect(parseRequestDate('Sat, 3 Feb 2024 04:05:06 -0000')).to.equal(early);
    expect(parseRequestDate('2024-02-03T04:05:06.789Z')).to.equal(early);
    for (const text of [
      '',
      '-0000',
      'Fri, 24 May 2013 00:00:00 +0001',
      'Fri, 24 May 2013 00:00:00 -0000 (UTC)',
      'Fri, 31 Apr 2013 00:00:00 -0000',
      '2013-05-24T24:00:00Z',
      '2013-05-24',
    ]) {
      expect(parseRequestDate(text), text).to.equal(undefined);
    }
  });
});

describe('credential scopes', () => {
  it('may have slashes and colons in the access key, as Swift has', () => {
    const parsed = parseCredential('acc:user/team/20130524/us-east-1/s3/aws4_request', 'us-east-1');
    expect(parsed).to.deep.equal({
      credential: 'acc:user/team/20130524/us-east-1/s3/aws4_request',
      accessKey: 'acc:user/team',
      date: '20130524',
      region: 'us-east-1',
      scope: '20130524/us-east-1/s3/aws4_request',
    });
  });
});

describe('canonical requests', () => {
  const REQUEST = {
    method: 'GET',
    rawPath: '/b',
    rawQuery: '',
    headers: new Map(),
    remoteAddress: '',
  };
  const CLAIM = {
    signedHeaders: '',
    signedNames: [],
    payloadHash: '',
  } as unknown as SignatureClaim;
  const queryLine = (...pairs: readonly string[]): string | undefined => {
    const query = pairs.map((pair) => {
      const [name = '', value] = pair.split('=');
      return { name, value, rawName: name, rawValue: value };
    });
    return canonicalRequest(REQUEST, query, CLAIM).split('\n')[2];
  };

  it('have the parameters by name, those of one name by value, however they were sent', () => {
    const sorted = 'a=1&a=10&a=2&a-b=0&b=';
    for (const sent of [
      ['b', 'a-b=0', 'a=2', 'a=10', 'a=1'],
      ['a=1', 'a=10', 'a=2', 'a-b=0', 'b='],
      ['a=10', 'b=', 'a=1', 'a-b=0', 'a=2'],
    ]) {
      expect(queryLine(...sent)).to.equal(sorted);
    }
    expect(queryLine('x=ü', 'x=z', 'X-Amz-Signature=s')).to.equal('x=%C3%BC&x=z');
  });
});

describe('signing keys', () => {
  const scopeOf = (day: number) => ({
    credential: `AKID/${day}`,
    accessKey: 'AKID',
    date: String(day),
    region: 'r',
    scope: `${day}/r/s3/aws4_request`,
  });

  it('are kept, but not beyond the bound, and not for another secret', () => {
    const keys = new SigningKeys(10);
    const first = keys.get('1', scopeOf(1), 'secret');
    expect(keys.get('1', scopeOf(1), 'secret')).to.equal(first);
    expect(keys.get('1', scopeOf(1), 'changed')).not.to.deep.equal(first);
    for (let day = 0; day < 100; day++) {
      keys.get(String(day), scopeOf(day), 'secret');
      expect(keys.size).to.be.at.most(10);
    }
    const used = keys.get('used', scopeOf(1), 'secret');
    for (let day = 0; day < 100; day++) {
      keys.get(String(day), scopeOf(day), 'secret');
      expect(keys.get('used', scopeOf(1), 'secret')).to.equal(used);
    }
  });
});

describe('signatures', () => {
  it('are the same only when every character is', () => {
    const signature = sha256Hex('x');
    expect(isSameSignature(signature, signature)).to.be.true;
    expect(isSameSignature(signature, signature.toUpperCase())).to.be.false;
    expect(isSameSignature(signature, `${signature}0`)).to.be.false;
    expect(isSameSignature(signature, '')).to.be.false;
    const aliased = String.fromCharCode(0x100 + signature.charCodeAt(0)) + signature.slice(1);
    expect(isSameSignature(signature, aliased)).to.be.false;
    // A last character that does not fit must not leave the one of a right signature standing.
    const cut = signature.slice(0, -1) + 'é';
    expect(isSameSignature(signature, signature)).to.be.true;
    expect(isSameSignature(signature, cut)).to.be.false;
  });
});

describe('payloads on digest lanes', () => {
  const DATA = Buffer.alloc(3_000_000, 'lane');
  const digests = createDigestFactory({ inlineBytesMax: 0 });

  after(() => digests.close());

  async function collect(factory: DigestFactory, contentSha256: string): Promise<Buffer> {
    const request = signedRequest('PUT', '/b/k', {}, contentSha256);
    const authentication = await authenticatorAt(NOW, { digests: factory }).authenticate(request);
    const payload = authentication.openPayload(sizedBody(DATA, 65_536), { md5: 'always' });
    return await payload.collect(DATA.length);
  }

  it('are verified as any other', async () => {
    expect((await collect(digests, sha256Hex(DATA))).equals(DATA)).to.be.true;
    const other = () => collect(digests, sha256Hex('other'));
    await expectFailure(other, 'XAmzContentSHA256Mismatch');
    expect(digests.stats()).to.include({ queued: 0, active: 0 });
  });

  it('fail when the lane is gone, and are not given out', async () => {
    const closed = createDigestFactory({ inlineBytesMax: 0 });
    await closed.close();
    await failureOf(collect(closed, sha256Hex(DATA)), DigestLaneError);
  });
});
