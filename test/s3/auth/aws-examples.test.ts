import { expect } from 'chai';

import { requestHead, sizedBody } from '../../support/requests.js';
import { DATE, EMPTY_SHA256, expectRefusal, IDENTITY, PRINCIPAL, verify } from './support.js';
import { Signer, signedChunks } from '../../support/sigv4.js';

/** Requests and signatures as AWS's documentation prints them ("Signature Calculations …"). */

interface Example {
  readonly name: string;
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly signedHeaders: string;
  readonly signature: string;
}

const COMMON = {
  host: 'examplebucket.s3.amazonaws.com',
  'x-amz-date': '20130524T000000Z',
  'x-amz-content-sha256': EMPTY_SHA256,
};
const MINIMUM = 'host;x-amz-content-sha256;x-amz-date';

const EXAMPLES: readonly Example[] = [
  {
    name: 'GET object',
    method: 'GET',
    url: '/test.txt',
    headers: { ...COMMON, range: 'bytes=0-9' },
    signedHeaders: 'host;range;x-amz-content-sha256;x-amz-date',
    signature: 'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  },
  {
    name: 'PUT object with $ in its key',
    method: 'PUT',
    url: '/test$file.text',
    headers: {
      ...COMMON,
      date: 'Fri, 24 May 2013 00:00:00 GMT',
      'x-amz-storage-class': 'REDUCED_REDUNDANCY',
      'x-amz-content-sha256': '44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072',
    },
    signedHeaders: 'date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class',
    signature: '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
  },
  {
    name: 'GET bucket lifecycle',
    method: 'GET',
    url: '/?lifecycle',
    headers: COMMON,
    signedHeaders: MINIMUM,
    signature: 'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
  },
  {
    name: 'list objects',
    method: 'GET',
    url: '/?max-keys=2&prefix=J',
    headers: COMMON,
    signedHeaders: MINIMUM,
    signature: '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
  },
];

const CREDENTIAL = 'AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request';

const STREAM_HEADERS = {
  host: 's3.amazonaws.com',
  'x-amz-date': '20130524T000000Z',
  'x-amz-storage-class': 'REDUCED_REDUNDANCY',
  'content-encoding': 'aws-chunked',
  'x-amz-decoded-content-length': '66560',
};
const DATA = Buffer.alloc(66_560, 'a');
const CHUNKS = [DATA.subarray(0, 65_536), DATA.subarray(65_536)];

function authorization(signedHeaders: string, signature: string): string {
  return `AWS4-HMAC-SHA256 Credential=${CREDENTIAL},SignedHeaders=${signedHeaders},Signature=${signature}`;
}

describe("AWS's published examples", () => {
  for (const example of EXAMPLES) {
    const request = (signature: string) =>
      requestHead(example.method, example.url, {
        ...example.headers,
        authorization: authorization(example.signedHeaders, signature),
      });

    it(`verifies: ${example.name}`, async () => {
      const { principal } = await verify(request(example.signature));
      expect(principal).to.deep.equal(PRINCIPAL);
    });

    it(`refuses another signature: ${example.name}`, async () => {
      const wrong = `0${example.signature.slice(1)}`;
      await expectRefusal(request(wrong), 'SignatureDoesNotMatch');
    });
  }

  it('verifies the presigned URL, and refuses it after its day', async () => {
    const query =
      'X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404';
    const request = requestHead('GET', `/test.txt?${query}`, { host: COMMON.host });
    const lastMoment = DATE.getTime() + 86_400_000 - 1;
    expect((await verify(request, lastMoment)).principal.account).to.equal('AUTH_test');
    const error = await expectRefusal(request, 'AccessDenied', lastMoment + 1);
    expect(error.message).to.equal('Request has expired');
  });

  it('verifies and decodes the upload in signed chunks', async () => {
    const seed = '4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9';
    const names =
      'content-encoding;content-length;host;x-amz-content-sha256;x-amz-date;x-amz-decoded-content-length;x-amz-storage-class';
    const request = requestHead('PUT', '/examplebucket/chunkObject.txt', {
      ...STREAM_HEADERS,
      'content-length': '66824',
      'x-amz-content-sha256': 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD',
      authorization: authorization(names, seed),
    });
    const [first, second, last] = [
      'ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648',
      '0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497',
      'b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9',
    ] as const;
    const body = Buffer.concat([
      Buffer.from(`10000;chunk-signature=${first}\r\n`),
      CHUNKS[0]!,
      Buffer.from(`\r\n400;chunk-signature=${second}\r\n`),
      CHUNKS[1]!,
      Buffer.from(`\r\n0;chunk-signature=${last}\r\n\r\n`),
    ]);
    expect(body).to.have.length(66_824);
    expect(signedChunks(new Signer(IDENTITY, DATE), seed, CHUNKS).equals(body)).to.be.true;
    const payload = (await verify(request)).openPayload(sizedBody(body, 10_000));
    expect((await payload.collect(DATA.length)).equals(DATA)).to.be.true;
  });

  it('verifies and decodes the upload in signed chunks with a trailer', async () => {
    const seed = '106e2a8a18243abcf37539882f36619c00e2dfc72633413f02d3b74544bfeb8e';
    const names =
      'content-encoding;host;x-amz-content-sha256;x-amz-date;x-amz-decoded-content-length;x-amz-storage-class;x-amz-trailer';
    const request = requestHead('PUT', '/examplebucket/chunkObject.txt', {
      ...STREAM_HEADERS,
      'x-amz-content-sha256': 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER',
      'x-amz-trailer': 'x-amz-checksum-crc32c',
      authorization: authorization(names, seed),
    });
    const [first, second, last, trailer] = [
      'b474d8862b1487a5145d686f57f013e54db672cee1c953b3010fb58501ef5aa2',
      '1c1344b170168f8e65b41376b44b20fe354e373826ccbbe2c1d40a8cae51e5c7',
      '2ca2aba2005185cf7159c6277faf83795951dd77a3a99e6e65d5c9f85863f992',
      'd81f82fc3505edab99d459891051a732e8730629a2e4a59689829ca17fe2e435',
    ] as const;
    const body = Buffer.concat([
      Buffer.from(`10000;chunk-signature=${first}\r\n`),
      CHUNKS[0]!,
      Buffer.from(`\r\n400;chunk-signature=${second}\r\n`),
      CHUNKS[1]!,
      Buffer.from(`\r\n0;chunk-signature=${last}\r\n`),
      Buffer.from(`x-amz-checksum-crc32c:sOO8/Q==\r\nx-amz-trailer-signature:${trailer}\r\n\r\n`),
    ]);
    const payload = (await verify(request)).openPayload(sizedBody(body, 10_000));
    expect((await payload.collect(DATA.length)).equals(DATA)).to.be.true;
    expect(payload.digests().checksum).to.deep.equal({ algorithm: 'CRC32C', value: 'sOO8/Q==' });
  });
});
