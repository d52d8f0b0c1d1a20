import { expect } from 'chai';
import { XML_BOUNDS } from '../../../src/s3/xml/bounds.js';
import { parseCompleteMultipartUpload } from '../../../src/s3/xml/complete-multipart-upload.js';
import { expectInvalidArgument, expectS3Error } from '../support.js';

const parse = (inner: string) =>
  parseCompleteMultipartUpload(
    Buffer.from(`<CompleteMultipartUpload>${inner}</CompleteMultipartUpload>`),
  );

const part = (partNumber: number | string, etag = 'a', more = '') =>
  `<Part><PartNumber>${partNumber}</PartNumber><ETag>${etag}</ETag>${more}</Part>`;

const MD5 = '9b2cf535f27731c974343645a3985328';
const SHA256 = '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=';
const ARGUMENT = 'Invalid Base64 or multiple checksums present in request';

const ACCEPTED: readonly (readonly [inner: string, parts: readonly object[]])[] = [
  [part(1), [{ partNumber: 1, etag: 'a' }]],
  [part(1, `"${MD5}"`), [{ partNumber: 1, etag: MD5 }]],
  [part(1, `&quot;${MD5}&quot;`), [{ partNumber: 1, etag: MD5 }]],
  [part(1, `&#34;${MD5}&#34;`), [{ partNumber: 1, etag: MD5 }]],
  [part(' 7 ', ` ${MD5}\n`), [{ partNumber: 7, etag: MD5 }]],
  [
    '<Part><ETag>b</ETag><PartNumber>10000</PartNumber></Part>',
    [{ partNumber: 10_000, etag: 'b' }],
  ],
  [
    `\n ${part(2)}\n ${part(5)}\n`,
    [
      { partNumber: 2, etag: 'a' },
      { partNumber: 5, etag: 'a' },
    ],
  ],
  [
    part(1, 'a', `<ChecksumSHA256>${SHA256}</ChecksumSHA256>`),
    [{ partNumber: 1, etag: 'a', checksum: { algorithm: 'SHA256', value: SHA256 } }],
  ],
  [
    part(1, 'a', '<ChecksumCRC32>AAAAAA==</ChecksumCRC32>'),
    [{ partNumber: 1, etag: 'a', checksum: { algorithm: 'CRC32', value: 'AAAAAA==' } }],
  ],
];

const REFUSED: readonly (readonly [inner: string, code: string])[] = [
  ['', 'MalformedXML'],
  ['text', 'MalformedXML'],
  ['<Other/>', 'MalformedXML'],
  [`${part(1)}<Other/>`, 'MalformedXML'],
  ['<Part/>', 'MalformedXML'],
  ['<Part><PartNumber>1</PartNumber></Part>', 'MalformedXML'],
  ['<Part><ETag>a</ETag></Part>', 'MalformedXML'],
  [part(1, 'a', '<ETag>b</ETag>'), 'MalformedXML'],
  [part(1, 'a', '<PartNumber>1</PartNumber>'), 'MalformedXML'],
  [part(1, 'a', '<Size>1</Size>'), 'MalformedXML'],
  [part(1, 'a<b/>'), 'MalformedXML'],
  [part(''), 'MalformedXML'],
  [part('x'), 'MalformedXML'],
  [part('1.5'), 'MalformedXML'],
  [part('1e3'), 'MalformedXML'],
  [part(0), 'InvalidArgument'],
  [part(-1), 'InvalidArgument'],
  [part(10_001), 'InvalidArgument'],
  [part(2) + part(1), 'InvalidPartOrder'],
  [part(1) + part(1), 'InvalidPartOrder'],
  [part(1, 'a', '<ChecksumCRC32>AAAA</ChecksumCRC32>'), 'InvalidArgument'],
  [part(1, 'a', '<ChecksumCRC32>AAAAAA</ChecksumCRC32>'), 'InvalidArgument'],
  [part(1, 'a', '<ChecksumCRC32></ChecksumCRC32>'), 'InvalidArgument'],
  [part(1, 'a', '<ChecksumSHA512>AAAA</ChecksumSHA512>'), 'NotImplemented'],
  [part(1, 'a', '<ChecksumType>COMPOSITE</ChecksumType>'), 'NotImplemented'],
];

describe('s3 xml: CompleteMultipartUpload', () => {
  for (const [inner, parts] of ACCEPTED) {
    it(`reads ${JSON.stringify(inner)}`, () => {
      expect(parse(inner)).to.deep.equal({ parts });
    });
  }

  for (const [inner, code] of REFUSED) {
    it(`refuses ${JSON.stringify(inner)}`, () => {
      expectS3Error(() => parse(inner), code);
    });
  }

  it('refuses two checksums of a part', () => {
    const both = `<ChecksumCRC32>AAAAAA==</ChecksumCRC32><ChecksumCRC32C>AAAAAA==</ChecksumCRC32C>`;
    const { message } = expectS3Error(() => parse(part(1, 'a', both)), 'InvalidArgument');
    expect(message).to.equal(ARGUMENT);
  });

  it('names a part number that is out of range', () => {
    expectInvalidArgument(() => parse(part(0)), 'PartNumber', '0');
  });

  it('reads 10,000 parts with checksums, larger than other documents may be', () => {
    const checksum = `<ChecksumSHA256>${SHA256}</ChecksumSHA256>`;
    const all = Array.from({ length: 10_000 }, (_, index) =>
      part(index + 1, `&quot;${MD5}&quot;`, checksum),
    ).join('\n');
    expect(all.length).to.be.within(1_700_000, XML_BOUNDS.CompleteMultipartUpload.bytes / 2);
    const { parts } = parse(all);
    expect(parts).to.have.length(10_000);
    expect(parts.at(-1)).to.deep.include({ partNumber: 10_000, etag: MD5 });
    expectS3Error(() => parse(all + part(10_001)), 'MalformedXML');
  });

  it('bounds the body', () => {
    const inner = part(1) + ' '.repeat(XML_BOUNDS.CompleteMultipartUpload.bytes);
    expectS3Error(() => parse(inner), 'MaxMessageLengthExceeded');
  });

  it('gives data that can be sent to another thread', () => {
    const checksum = `<ChecksumSHA256>${SHA256}</ChecksumSHA256>`;
    const parsed = parse(part(1) + part(2, 'a', checksum));
    expect(structuredClone(parsed)).to.deep.equal(parsed);
  });
});
