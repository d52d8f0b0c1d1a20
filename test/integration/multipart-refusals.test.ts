import { expect } from 'chai';
import {
  completeDocument,
  partList,
  patternBytes,
  useUploadBench,
  MIB,
} from './multipart-bench.js';

describe('refused multipart uploads over the wire', () => {
  const bench = useUploadBench();

  for (const number of ['0', '10001', '-1', '1.5', '', 'x', '99999999999999999999']) {
    it(`part number ${JSON.stringify(number)}`, async () => {
      const uploadId = await bench.create('/parts/numbers');
      const answer = await bench.tryPart('/parts/numbers', uploadId, number, Buffer.from('x'));
      expect([answer.status, answer.code]).to.deep.equal([400, 'InvalidArgument']);
      const listed = await bench.s3.get(`/parts/numbers?uploadId=${uploadId}`);
      expect(listed.text).not.to.contain('<Part>');
    });
  }

  it('parts that do not match what is said of them', async () => {
    const uploadId = await bench.create('/parts/digests');
    for (const [headers, code] of [
      [{ 'content-md5': '1B2M2Y8AsgTpgAmY7PhCfg==' }, 'BadDigest'],
      [{ 'x-amz-checksum-crc32': 'AAAAAA==' }, 'BadDigest'],
      [{ 'x-amz-checksum-crc32': 'AAAA' }, 'InvalidRequest'],
    ] as const) {
      const body = patternBytes(100_000, 1);
      const answer = await bench.tryPart('/parts/digests', uploadId, 1, body, headers);
      expect([answer.status, answer.code]).to.deep.equal([400, code]);
    }
    const listed = await bench.s3.get(`/parts/digests?uploadId=${uploadId}`);
    expect(listed.text).not.to.contain('<Part>');
  });

  it('parts without the checksum that the upload was created with', async () => {
    const uploadId = await bench.create('/parts/kinds', { 'x-amz-checksum-algorithm': 'SHA1' });
    const bare = await bench.tryPart('/parts/kinds', uploadId, 1, Buffer.from('x'));
    expect([bare.status, bare.code]).to.deep.equal([400, 'InvalidRequest']);
    expect(bare.text).to.contain('expected checksum Type: sha1, actual checksum Type: null');
  });

  for (const [what, headers, code] of [
    ['an unknown storage class', { 'x-amz-storage-class': 'PLATINUM' }, 'InvalidStorageClass'],
    ['an unknown checksum', { 'x-amz-checksum-algorithm': 'BAD' }, 'InvalidRequest'],
    [
      'a checksum type that the algorithm does not have',
      { 'x-amz-checksum-algorithm': 'SHA256', 'x-amz-checksum-type': 'FULL_OBJECT' },
      'InvalidRequest',
    ],
    ['encryption', { 'x-amz-server-side-encryption': 'AES256' }, 'NotImplemented'],
    ['too much metadata', { 'x-amz-meta-a': 'x'.repeat(2049) }, 'MetadataTooLarge'],
    ['a malformed tag set', { 'x-amz-tagging': 'a=b=c' }, 'InvalidArgument'],
  ] as const) {
    it(`uploads that ask for ${what}`, async () => {
      const path = '/parts/asking?uploads';
      const answer = await bench.s3.send({ method: 'POST', path, headers: { ...headers } });
      expect(answer.code).to.equal(code);
      const listed = await bench.s3.get('/parts?uploads&prefix=asking');
      expect(listed.text).not.to.contain('<Upload>');
    });
  }

  describe('completions', () => {
    const foreign = '"d41d8cd98f00b204e9800998ecf8427e"';

    for (const [what, document, code] of [
      ['no XML', 'parts', 'MalformedXML'],
      ['no parts', completeDocument([]), 'MalformedXML'],
      ['another root', '<Complete/>', 'MalformedXML'],
      [
        'an entity',
        '<!DOCTYPE a [<!ENTITY b "c">]><CompleteMultipartUpload>&b;</CompleteMultipartUpload>',
        'MalformedXML',
      ],
      [
        'another namespace',
        completeDocument([{ number: 1, etag: foreign }]).replace('>', ' xmlns="urn:other">'),
        'MalformedXML',
      ],
      [
        'too many levels',
        `<CompleteMultipartUpload>${'<Part>'.repeat(20)}${'</Part>'.repeat(20)}</CompleteMultipartUpload>`,
        'MalformedXML',
      ],
      [
        '4 MiB and a byte',
        completeDocument([{ number: 1, etag: foreign }]).padEnd(4 * MIB + 1),
        'MaxMessageLengthExceeded',
      ],
      ['part 0', completeDocument([{ number: 0, etag: foreign }]), 'InvalidArgument'],
      ['part 10,001', completeDocument([{ number: 10_001, etag: foreign }]), 'InvalidArgument'],
      ['an unknown part', completeDocument([{ number: 9, etag: foreign }]), 'InvalidPart'],
      ['another ETag', completeDocument([{ number: 1, etag: foreign }]), 'InvalidPart'],
      ['no ETag', completeDocument([{ number: 1, etag: '' }]), 'InvalidPart'],
    ] as const) {
      it(`with ${what}, which change nothing`, async () => {
        const upload = await bench.smallUpload('/parts/completions', 'body');
        const refused = await bench.complete('/parts/completions', upload.uploadId, document);
        expect([refused.status, refused.code]).to.deep.equal([400, code]);
        expect((await bench.s3.head('/parts/completions')).status).to.equal(404);
        const listed = await bench.s3.get(`/parts/completions?uploadId=${upload.uploadId}`);
        expect(listed.text).to.contain('<PartNumber>1</PartNumber>');
      });
    }

    it('with parts out of order, or twice', async () => {
      const uploadId = await bench.create('/parts/order');
      const etags = [
        await bench.part('/parts/order', uploadId, 1, patternBytes(5 * MIB, 1)),
        await bench.part('/parts/order', uploadId, 2, Buffer.from('last')),
      ];
      const parts = partList(etags);
      for (const wrong of [[...parts].reverse(), [...parts, ...parts], [parts[0], parts[0]]]) {
        const named = wrong.flatMap((part) => (part === undefined ? [] : [part]));
        const answer = await bench.complete('/parts/order', uploadId, named);
        expect([answer.status, answer.code]).to.deep.equal([400, 'InvalidPartOrder']);
      }
      expect((await bench.complete('/parts/order', uploadId, parts)).status).to.equal(200);
    });

    it('with a part under 5 MiB that is not the last', async () => {
      const uploadId = await bench.create('/parts/small');
      const etags = [
        await bench.part('/parts/small', uploadId, 1, patternBytes(5 * MIB - 1, 1)),
        await bench.part('/parts/small', uploadId, 2, Buffer.from('last')),
      ];
      const refused = await bench.complete('/parts/small', uploadId, partList(etags));
      expect([refused.status, refused.code]).to.deep.equal([400, 'EntityTooSmall']);
      expect(refused.text).to.contain('<PartNumber>1</PartNumber>');
      const first = await bench.complete('/parts/small', uploadId, partList(etags.slice(0, 1)));
      expect(first.status).to.equal(200);
    });

    it('with another checksum than that of the parts', async () => {
      const created = { 'x-amz-checksum-algorithm': 'SHA256' };
      const uploadId = await bench.create('/parts/sums', created);
      const etag = await bench.checkedPart('/parts/sums', uploadId, 1, Buffer.from('x'));
      const parts = partList([etag]);
      for (const [headers, code] of [
        [{ 'x-amz-checksum-sha256': foreignSha256 }, 'BadDigest'],
        [{ 'x-amz-checksum-sha1': 'x' }, 'InvalidRequest'],
        [{ 'x-amz-checksum-type': 'FULL_OBJECT' }, 'InvalidRequest'],
      ] as const) {
        const refused = await bench.complete('/parts/sums', uploadId, parts, { ...headers });
        expect([refused.status, refused.code]).to.deep.equal([400, code]);
      }
      expect((await bench.complete('/parts/sums', uploadId, parts)).status).to.equal(200);
    });

    it('with a checksum that no upload has', async () => {
      const uploadId = await bench.create('/parts/bad');
      const parts = partList([await bench.part('/parts/bad', uploadId, 1, Buffer.from('x'))]);
      const headers = { 'x-amz-checksum-bad': 'AAAAAA==' };
      const refused = await bench.complete('/parts/bad', uploadId, parts, headers);
      expect([refused.status, refused.code]).to.deep.equal([400, 'InvalidRequest']);
      expect(refused.text).to.contain('The algorithm type you specified in x-amz-checksum-');
    });
  });
});

/** Of nothing. */
const foreignSha256 = '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=';
