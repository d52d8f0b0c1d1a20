import { expect } from 'chai';
import type { RequestHead } from '../../../src/http/exchange.js';
import { requestHead } from '../../support/requests.js';
import {
  EMPTY_SHA256,
  expectRefusal,
  type Headers,
  HOST,
  presignedRequest,
  presignedRequestV2,
  verify,
} from './support.js';

/** A URL of version 2 that signs these headers, and carries this query instead of them. */
function hoistedV2(signed: Headers, query: string): RequestHead {
  const { rawQuery } = presignedRequestV2('PUT', '/b/key', signed);
  return requestHead('PUT', `/b/key?${rawQuery}&${query}`, { host: HOST });
}

/** A URL of version 4 whose query is signed as it is. */
function hoistedV4(query: string): RequestHead {
  return presignedRequest('PUT', `/b/key?${query}`);
}

/** Queries with the string to sign of {@link SIGNED}, in which `x-amz-content-sha256` is gone. */
const SIGNED = { 'x-amz-a': 'x', 'x-amz-content-sha256': EMPTY_SHA256, 'x-amz-meta-a': '1' };
const FOLDED = [
  `x-amz-a=x%0Ax-amz-content-sha256:${EMPTY_SHA256}&x-amz-meta-a=1`,
  `x-amz-a=x%0Ax-amz-content-sha256:${EMPTY_SHA256}%0Ax-amz-meta-a:1`,
  `x-amz-a:x%0Ax-amz-content-sha256=${EMPTY_SHA256}&x-amz-meta-a=1`,
  `x-amz-a:x%0Ax-amz-content-sha256:${EMPTY_SHA256}%0Ax-amz-meta-a=1`,
];

describe('headers in the query of a presigned URL', () => {
  it('of version 2 cannot hide one that was signed', async () => {
    const plain = `x-amz-a=x&x-amz-content-sha256=${EMPTY_SHA256}&x-amz-meta-a=1`;
    const { headers } = await verify(hoistedV2(SIGNED, plain));
    expect(headers.get('x-amz-content-sha256')).to.equal(EMPTY_SHA256);
    for (const query of FOLDED) await expectRefusal(hoistedV2(SIGNED, query), 'InvalidArgument');
  });

  it('of version 2 cannot hide one in a name with a colon, or in a checksum', async () => {
    const date = { 'x-amz-meta-time': '12:30' };
    await verify(hoistedV2(date, 'x-amz-meta-time=12:30'));
    await expectRefusal(hoistedV2(date, 'x-amz-meta-time:12=30'), 'InvalidArgument');
    const signed = { 'x-amz-checksum-crc32': 'AAAAAA==', 'x-amz-meta-a': '1' };
    const query = 'x-amz-checksum-crc32=AAAAAA==%0Ax-amz-meta-a:1';
    await expectRefusal(hoistedV2(signed, query), 'InvalidArgument');
  });

  it('of version 2 cannot hide Content-MD5 in Content-Type', async () => {
    const signed = { 'content-md5': 'a', 'content-type': 'b' };
    const { rawQuery } = hoistedV2(signed, 'content-md5=a%0Ab');
    await expectRefusal(requestHead('PUT', `/b/key?${rawQuery}`, {}), 'InvalidArgument');
  });

  for (const query of [
    'x-amz-meta-a=1%0D%0Ax-amz-acl:public-read',
    'x-amz-meta-a=%00',
    'x-amz-meta-a%0A=1',
    'x-amz-meta-a%20b=1',
    'X-Amz-Meta-A%3A=1',
  ]) {
    it(`of version 4 are refused as well when HTTP cannot carry them: ${query}`, async () => {
      const { details } = await expectRefusal(hoistedV4(query), 'InvalidArgument');
      expect(details).to.deep.equal({ ArgumentName: query.split('=')[0] });
    });
  }

  it('mean what a header of that text would mean: without white space around it', async () => {
    const v4 = await verify(hoistedV4('x-amz-meta-a=%20a%20b%09'));
    expect(v4.headers.get('x-amz-meta-a')).to.equal('a b');
    const v2 = await verify(hoistedV2({ 'x-amz-meta-a': 'a b' }, 'x-amz-meta-a=%20a%20b%09'));
    expect(v2.headers.get('x-amz-meta-a')).to.equal('a b');
  });
});
