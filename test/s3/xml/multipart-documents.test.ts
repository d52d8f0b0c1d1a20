import { expect } from 'chai';
import { renderCompleteMultipartUploadResult } from '../../../src/s3/xml/complete-multipart-upload-result.js';
import { renderInitiateMultipartUploadResult } from '../../../src/s3/xml/initiate-multipart-upload-result.js';
import { renderListMultipartUploadsResult } from '../../../src/s3/xml/list-multipart-uploads-result.js';
import { renderListPartsResult } from '../../../src/s3/xml/list-parts-result.js';
import { xmlDeclaration, xmlRoot } from '../../../src/s3/xml/escape.js';
import { expectXml, MODIFIED, OWNER, OWNER_XML, XMLNS } from './support.js';

/** Golden documents: the exact text of each, broken into lines here only. */

const INITIATOR = { id: 'u', displayName: 'user' };
const INITIATOR_XML = '<Initiator><ID>u</ID><DisplayName>user</DisplayName></Initiator>';
const CRC32 = { algorithm: 'CRC32', value: 'AAAAAA==' } as const;

describe('s3 xml: documents of multipart uploads', () => {
  it('InitiateMultipartUploadResult', () => {
    const result = { bucket: 'b', key: 'a<&>b', uploadId: 'id' };
    expectXml(
      renderInitiateMultipartUploadResult(result),
      `<InitiateMultipartUploadResult ${XMLNS}><Bucket>b</Bucket><Key>a&lt;&amp;&gt;b</Key>`,
      '<UploadId>id</UploadId></InitiateMultipartUploadResult>',
    );
  });

  it('CompleteMultipartUploadResult', () => {
    const result = { location: 'http://h/b/k%26', bucket: 'b', key: 'k&', etag: 'abc-2' };
    expectXml(
      renderCompleteMultipartUploadResult(result),
      `<CompleteMultipartUploadResult ${XMLNS}><Location>http://h/b/k%26</Location>`,
      '<Bucket>b</Bucket><Key>k&amp;</Key><ETag>&quot;abc-2&quot;</ETag>',
      '</CompleteMultipartUploadResult>',
    );
  });

  it('CompleteMultipartUploadResult with a checksum', () => {
    const rendered = renderCompleteMultipartUploadResult({
      location: 'l',
      bucket: 'b',
      key: 'k',
      etag: 'e',
      checksum: { algorithm: 'SHA256', value: 'AAAA-3', type: 'COMPOSITE' },
    });
    expect(rendered).to.contain(
      '<ETag>&quot;e&quot;</ETag><ChecksumSHA256>AAAA-3</ChecksumSHA256>' +
        '<ChecksumType>COMPOSITE</ChecksumType></CompleteMultipartUploadResult>',
    );
  });

  it('falls into a declaration that can be sent ahead, and a root', () => {
    for (const key of ['k', 'k\u0001']) {
      const rendered = renderInitiateMultipartUploadResult({ bucket: 'b', key, uploadId: 'id' });
      const root = xmlRoot(rendered);
      expect(root).to.match(/^<InitiateMultipartUploadResult /);
      expect(xmlDeclaration(root) + root).to.equal(rendered);
    }
  });

  const upload = {
    bucket: 'b',
    key: 'a b',
    initiator: INITIATOR,
    owner: OWNER,
    storageClass: 'STANDARD',
    truncated: false,
  };

  it('ListPartsResult of an upload without parts', () => {
    const query = { uploadId: 'id', maxParts: 1000, partNumberMarker: 0, urlEncoded: false };
    expectXml(
      renderListPartsResult({ ...upload, query, parts: [] }),
      `<ListPartsResult ${XMLNS}><Bucket>b</Bucket><Key>a b</Key><UploadId>id</UploadId>`,
      `${INITIATOR_XML}${OWNER_XML}<StorageClass>STANDARD</StorageClass>`,
      '<PartNumberMarker>0</PartNumberMarker>',
      '<MaxParts>1000</MaxParts><IsTruncated>false</IsTruncated></ListPartsResult>',
    );
  });

  it('ListPartsResult with all it can have', () => {
    const rendered = renderListPartsResult({
      ...upload,
      query: { uploadId: 'id', maxParts: 2, partNumberMarker: 3, urlEncoded: true },
      checksumAlgorithm: 'CRC32',
      checksumType: 'COMPOSITE',
      parts: [
        { partNumber: 4, lastModified: MODIFIED, etag: 'abc', size: 5_242_880, checksum: CRC32 },
        { partNumber: 10, lastModified: 0, etag: 'def', size: 0 },
      ],
      truncated: true,
    });
    expectXml(
      rendered,
      `<ListPartsResult ${XMLNS}><Bucket>b</Bucket><Key>a%20b</Key>`,
      '<EncodingType>url</EncodingType><UploadId>id</UploadId>',
      `${INITIATOR_XML}${OWNER_XML}<StorageClass>STANDARD</StorageClass>`,
      '<ChecksumAlgorithm>CRC32</ChecksumAlgorithm><ChecksumType>COMPOSITE</ChecksumType>',
      '<PartNumberMarker>3</PartNumberMarker><NextPartNumberMarker>10</NextPartNumberMarker>',
      '<MaxParts>2</MaxParts><IsTruncated>true</IsTruncated>',
      '<Part><PartNumber>4</PartNumber><LastModified>2024-02-29T23:59:58.000Z</LastModified>',
      '<ETag>&quot;abc&quot;</ETag><Size>5242880</Size>',
      '<ChecksumCRC32>AAAAAA==</ChecksumCRC32></Part>',
      '<Part><PartNumber>10</PartNumber><LastModified>1970-01-01T00:00:00.000Z</LastModified>',
      '<ETag>&quot;def&quot;</ETag><Size>0</Size></Part></ListPartsResult>',
    );
  });

  const query = {
    prefix: '',
    delimiter: undefined,
    keyMarker: '',
    uploadIdMarker: '',
    maxUploads: 1000,
    urlEncoded: false,
  };

  it('ListMultipartUploadsResult of a bucket without uploads', () => {
    const nothing = { uploads: [], commonPrefixes: [], nextKeyMarker: '', nextUploadIdMarker: '' };
    const result = { bucket: 'b', query, ...nothing, truncated: false };
    expectXml(
      renderListMultipartUploadsResult(result),
      `<ListMultipartUploadsResult ${XMLNS}><Bucket>b</Bucket><KeyMarker></KeyMarker>`,
      '<UploadIdMarker></UploadIdMarker><NextKeyMarker></NextKeyMarker>',
      '<NextUploadIdMarker></NextUploadIdMarker><Prefix></Prefix><MaxUploads>1000</MaxUploads>',
      '<IsTruncated>false</IsTruncated></ListMultipartUploadsResult>',
    );
  });

  it('ListMultipartUploadsResult with all it can have', () => {
    const rendered = renderListMultipartUploadsResult({
      bucket: 'b',
      query: {
        prefix: 'ä',
        delimiter: '/',
        keyMarker: 'm m',
        uploadIdMarker: 'um',
        maxUploads: 2,
        urlEncoded: true,
      },
      uploads: [
        {
          key: 'ä\u0001',
          uploadId: 'id',
          initiator: INITIATOR,
          owner: OWNER,
          storageClass: 'GLACIER',
          initiated: MODIFIED,
          checksumAlgorithm: 'SHA256',
          checksumType: 'FULL_OBJECT',
        },
      ],
      commonPrefixes: ['äb/'],
      truncated: true,
      nextKeyMarker: 'äb/',
      nextUploadIdMarker: '',
    });
    expectXml(
      rendered,
      `<ListMultipartUploadsResult ${XMLNS}><Bucket>b</Bucket><KeyMarker>m%20m</KeyMarker>`,
      '<UploadIdMarker>um</UploadIdMarker><NextKeyMarker>%C3%A4b/</NextKeyMarker>',
      '<NextUploadIdMarker></NextUploadIdMarker><Prefix>%C3%A4</Prefix>',
      '<Delimiter>/</Delimiter><EncodingType>url</EncodingType><MaxUploads>2</MaxUploads>',
      '<IsTruncated>true</IsTruncated><Upload><Key>%C3%A4%01</Key><UploadId>id</UploadId>',
      `${INITIATOR_XML}${OWNER_XML}<StorageClass>GLACIER</StorageClass>`,
      '<Initiated>2024-02-29T23:59:58.000Z</Initiated>',
      '<ChecksumAlgorithm>SHA256</ChecksumAlgorithm><ChecksumType>FULL_OBJECT</ChecksumType>',
      '</Upload><CommonPrefixes><Prefix>%C3%A4b/</Prefix></CommonPrefixes>',
      '</ListMultipartUploadsResult>',
    );
  });
});
