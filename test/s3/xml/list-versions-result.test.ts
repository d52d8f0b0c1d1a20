import { expect } from 'chai';
import {
  renderListVersionsResult,
  type ListedVersionEntry,
} from '../../../src/s3/xml/list-versions-result.js';
import { expectXml, MODIFIED, XMLNS } from './support.js';

const OWNER = { id: 'test:tester', displayName: 'a & b' };
const OWNER_XML = '<Owner><ID>test:tester</ID><DisplayName>a &amp; b</DisplayName></Owner>';
const ID = '0123456789abcdef0123456789abcdef';
const MARKER_ID = 'f'.repeat(32);

const QUERY = {
  prefix: '',
  delimiter: undefined,
  keyMarker: '',
  versionIdMarker: '',
  maxKeys: 1000,
  urlEncoded: false,
};

const EMPTY_PAGE = {
  bucket: 'b',
  query: QUERY,
  entries: [],
  commonPrefixes: [],
  truncated: false,
};

const ENTRIES: readonly ListedVersionEntry[] = [
  {
    kind: 'delete-marker',
    key: 'a b/ä<&>',
    versionId: MARKER_ID,
    isLatest: true,
    lastModified: MODIFIED,
    owner: OWNER,
  },
  {
    kind: 'version',
    key: 'a b/ä<&>',
    versionId: ID,
    isLatest: false,
    lastModified: MODIFIED,
    etag: 'abc-2',
    size: 5,
    storageClass: 'COLD',
    owner: OWNER,
    checksumAlgorithm: 'CRC32',
  },
  {
    kind: 'version',
    key: 'b',
    versionId: 'null',
    isLatest: true,
    lastModified: 0,
    etag: 'd41d8cd98f00b204e9800998ecf8427e',
    size: 0,
    storageClass: 'STANDARD',
  },
];

describe('s3 xml: ListVersionsResult', () => {
  it('of an empty bucket', () => {
    expectXml(
      renderListVersionsResult(EMPTY_PAGE),
      `<ListVersionsResult ${XMLNS}><Name>b</Name><Prefix></Prefix><KeyMarker></KeyMarker>`,
      '<VersionIdMarker></VersionIdMarker><MaxKeys>1000</MaxKeys>',
      '<IsTruncated>false</IsTruncated></ListVersionsResult>',
    );
  });

  it('with all it can have', () => {
    const rendered = renderListVersionsResult({
      bucket: 'b',
      query: {
        ...QUERY,
        prefix: 'a',
        delimiter: '/',
        keyMarker: 'a&',
        versionIdMarker: 'null',
        maxKeys: 4,
      },
      entries: ENTRIES,
      commonPrefixes: ['c<d/'],
      truncated: true,
      nextKeyMarker: 'b',
      nextVersionIdMarker: 'null',
    });
    expectXml(
      rendered,
      `<ListVersionsResult ${XMLNS}><Name>b</Name><Prefix>a</Prefix><KeyMarker>a&amp;</KeyMarker>`,
      '<VersionIdMarker>null</VersionIdMarker><NextKeyMarker>b</NextKeyMarker>',
      '<NextVersionIdMarker>null</NextVersionIdMarker><MaxKeys>4</MaxKeys>',
      '<Delimiter>/</Delimiter><IsTruncated>true</IsTruncated>',
      `<DeleteMarker><Key>a b/ä&lt;&amp;&gt;</Key><VersionId>${MARKER_ID}</VersionId>`,
      '<IsLatest>true</IsLatest><LastModified>2024-02-29T23:59:58.000Z</LastModified>',
      `<Size>0</Size>${OWNER_XML}</DeleteMarker>`,
      `<Version><Key>a b/ä&lt;&amp;&gt;</Key><VersionId>${ID}</VersionId>`,
      '<IsLatest>false</IsLatest><LastModified>2024-02-29T23:59:58.000Z</LastModified>',
      '<ETag>&quot;abc-2&quot;</ETag><ChecksumAlgorithm>CRC32</ChecksumAlgorithm>',
      `<Size>5</Size>${OWNER_XML}<StorageClass>COLD</StorageClass></Version>`,
      '<Version><Key>b</Key><VersionId>null</VersionId><IsLatest>true</IsLatest>',
      '<LastModified>1970-01-01T00:00:00.000Z</LastModified>',
      '<ETag>&quot;d41d8cd98f00b204e9800998ecf8427e&quot;</ETag><Size>0</Size>',
      '<StorageClass>STANDARD</StorageClass></Version>',
      '<CommonPrefixes><Prefix>c&lt;d/</Prefix></CommonPrefixes></ListVersionsResult>',
    );
  });

  it('with encoding-type=url, and a common prefix at the end of the page', () => {
    const rendered = renderListVersionsResult({
      bucket: 'b',
      query: { ...QUERY, prefix: 'ä', delimiter: ' ', keyMarker: '+', urlEncoded: true },
      entries: [{ ...ENTRIES[0]!, key: 'ä+\u0001', owner: undefined }],
      commonPrefixes: ['ä '],
      truncated: true,
      nextKeyMarker: 'ä ',
    });
    expectXml(
      rendered,
      `<ListVersionsResult ${XMLNS}><Name>b</Name><Prefix>%C3%A4</Prefix>`,
      '<KeyMarker>%2B</KeyMarker><VersionIdMarker></VersionIdMarker>',
      '<NextKeyMarker>%C3%A4%20</NextKeyMarker><MaxKeys>1000</MaxKeys>',
      '<Delimiter>%20</Delimiter><EncodingType>url</EncodingType>',
      '<IsTruncated>true</IsTruncated>',
      `<DeleteMarker><Key>%C3%A4%2B%01</Key><VersionId>${MARKER_ID}</VersionId>`,
      '<IsLatest>true</IsLatest><LastModified>2024-02-29T23:59:58.000Z</LastModified>',
      '<Size>0</Size></DeleteMarker>',
      '<CommonPrefixes><Prefix>%C3%A4%20</Prefix></CommonPrefixes></ListVersionsResult>',
    );
  });

  it('is XML 1.1 when a key has characters that XML 1.0 cannot express', () => {
    const entries = [{ ...ENTRIES[2]!, key: 'a\u0001' }];
    const rendered = renderListVersionsResult({ ...EMPTY_PAGE, entries }).toString();
    expect(rendered).to.match(/^<\?xml version="1\.1" encoding="UTF-8"\?>\n/);
    expect(rendered).to.contain('<Version><Key>a&#x1;</Key>');
  });
});
