import { expect } from 'chai';
import { renderError } from '../../../src/s3/xml/error.js';
import { renderListAllMyBucketsResult } from '../../../src/s3/xml/list-all-my-buckets-result.js';
import * as v2 from '../../../src/s3/xml/list-bucket-result-v2.js';
import * as v1 from '../../../src/s3/xml/list-bucket-result.js';
import { ObjectListing, type ListedKey } from '../../../src/s3/xml/listing-entries.js';
import { renderLocationConstraint } from '../../../src/s3/xml/location-constraint.js';
import { expectXml, MODIFIED, OWNER, OWNER_XML, XMLNS } from './support.js';

/** Golden documents: the exact text of each, broken into lines here only. */

const ENTRY = {
  key: 'a b/ä<&>"\'',
  lastModified: MODIFIED,
  etag: 'abc-2',
  size: 5,
  storageClass: 'STANDARD',
};

const EMPTY_PAGE = { bucket: 'b', contents: [], commonPrefixes: [], truncated: false };
const V1_QUERY = { prefix: '', delimiter: undefined, marker: '', maxKeys: 1000, urlEncoded: false };
const V2_QUERY = {
  ...V1_QUERY,
  startAfter: undefined,
  continuationToken: undefined,
  fetchOwner: false,
};

interface Entries {
  readonly contents: readonly ListedKey[];
  readonly commonPrefixes: readonly string[];
}

function listingOf({ contents, commonPrefixes }: Entries, urlEncoded: boolean): ObjectListing {
  const listing = new ObjectListing(contents.length, urlEncoded);
  for (const entry of contents) listing.addKey(entry);
  for (const prefix of commonPrefixes) listing.addPrefix(prefix);
  return listing;
}

function renderListBucketResult(result: v1.ListBucketResult & Entries): string {
  const listing = listingOf(result, result.query.urlEncoded);
  return v1.renderListBucketResult(result, listing).toString();
}

function renderListBucketResultV2(result: v2.ListBucketResultV2 & Entries): string {
  const listing = listingOf(result, result.query.urlEncoded);
  return v2.renderListBucketResultV2(result, listing).toString();
}

describe('s3 xml: rendered documents', () => {
  it('Error', () => {
    const rendered = renderError({
      code: 'NoSuchKey',
      message: 'The specified key does not exist.',
      requestId: 'tx000000000000000000001-0068d1c35f',
      hostId: 'host',
      details: { BucketName: 'b', Key: 'a<&>\u0001\u0000\n' },
    });
    expectXml(
      rendered,
      '<Error><Code>NoSuchKey</Code><Message>The specified key does not exist.</Message>',
      '<BucketName>b</BucketName><Key>a&lt;&amp;&gt;\uFFFD\uFFFD\n</Key>',
      '<RequestId>tx000000000000000000001-0068d1c35f</RequestId><HostId>host</HostId></Error>',
    );
  });

  it('ListAllMyBucketsResult', () => {
    const buckets = [
      { name: 'one', createdAt: 0 },
      { name: 'two', createdAt: MODIFIED },
    ];
    expectXml(
      renderListAllMyBucketsResult({ owner: OWNER, buckets }),
      `<ListAllMyBucketsResult ${XMLNS}>${OWNER_XML}<Buckets>`,
      '<Bucket><Name>one</Name><CreationDate>1970-01-01T00:00:00.000Z</CreationDate></Bucket>',
      '<Bucket><Name>two</Name><CreationDate>2024-02-29T23:59:58.000Z</CreationDate></Bucket>',
      '</Buckets></ListAllMyBucketsResult>',
    );
  });

  it('ListAllMyBucketsResult, paged', () => {
    const page = { owner: OWNER, buckets: [], prefix: 'o', continuationToken: 'AQ' };
    expectXml(
      renderListAllMyBucketsResult(page),
      `<ListAllMyBucketsResult ${XMLNS}>${OWNER_XML}<Buckets></Buckets>`,
      '<ContinuationToken>AQ</ContinuationToken><Prefix>o</Prefix></ListAllMyBucketsResult>',
    );
  });

  it('ListAllMyBucketsResult, with the region of each bucket', () => {
    const page = { owner: OWNER, buckets: [{ name: 'one', createdAt: 0 }], region: 'here' };
    expect(renderListAllMyBucketsResult(page)).to.contain(
      '<CreationDate>1970-01-01T00:00:00.000Z</CreationDate><BucketRegion>here</BucketRegion></Bucket>',
    );
  });

  it('ListBucketResult of an empty bucket', () => {
    expectXml(
      renderListBucketResult({ ...EMPTY_PAGE, query: V1_QUERY }),
      `<ListBucketResult ${XMLNS}><Name>b</Name><Prefix></Prefix><Marker></Marker>`,
      '<MaxKeys>1000</MaxKeys><IsTruncated>false</IsTruncated></ListBucketResult>',
    );
  });

  it('ListBucketResult with all it can have', () => {
    const rendered = renderListBucketResult({
      bucket: 'b',
      query: { prefix: 'a', delimiter: '/', marker: 'a&', maxKeys: 2, urlEncoded: false },
      contents: [{ ...ENTRY, owner: OWNER, checksumAlgorithm: 'CRC32' }],
      commonPrefixes: ['a<b/'],
      truncated: true,
      nextMarker: 'a<b/',
    });
    expectXml(
      rendered,
      `<ListBucketResult ${XMLNS}><Name>b</Name><Prefix>a</Prefix><Marker>a&amp;</Marker>`,
      '<NextMarker>a&lt;b/</NextMarker><MaxKeys>2</MaxKeys><Delimiter>/</Delimiter>',
      '<IsTruncated>true</IsTruncated>',
      "<Contents><Key>a b/ä&lt;&amp;&gt;&quot;'</Key>",
      '<LastModified>2024-02-29T23:59:58.000Z</LastModified><ETag>&quot;abc-2&quot;</ETag>',
      `<ChecksumAlgorithm>CRC32</ChecksumAlgorithm><Size>5</Size>${OWNER_XML}`,
      '<StorageClass>STANDARD</StorageClass></Contents>',
      '<CommonPrefixes><Prefix>a&lt;b/</Prefix></CommonPrefixes></ListBucketResult>',
    );
  });

  it('ListBucketResult shows NextMarker only with a delimiter', () => {
    const page = { ...EMPTY_PAGE, truncated: true, nextMarker: 'm' };
    expect(renderListBucketResult({ ...page, query: V1_QUERY })).not.to.contain('NextMarker');
  });

  it('ListBucketResult with encoding-type=url', () => {
    const rendered = renderListBucketResult({
      bucket: 'b',
      query: { prefix: 'ä', delimiter: ' ', marker: '+', maxKeys: 1, urlEncoded: true },
      contents: [{ ...ENTRY, key: 'a b/ä+~*\u0001' }],
      commonPrefixes: ['ä '],
      truncated: true,
      nextMarker: 'ä ',
    });
    expectXml(
      rendered,
      `<ListBucketResult ${XMLNS}><Name>b</Name><Prefix>%C3%A4</Prefix><Marker>%2B</Marker>`,
      '<NextMarker>%C3%A4%20</NextMarker><MaxKeys>1</MaxKeys><Delimiter>%20</Delimiter>',
      '<EncodingType>url</EncodingType><IsTruncated>true</IsTruncated>',
      '<Contents><Key>a%20b/%C3%A4%2B~%2A%01</Key>',
      '<LastModified>2024-02-29T23:59:58.000Z</LastModified><ETag>&quot;abc-2&quot;</ETag>',
      '<Size>5</Size><StorageClass>STANDARD</StorageClass></Contents>',
      '<CommonPrefixes><Prefix>%C3%A4%20</Prefix></CommonPrefixes></ListBucketResult>',
    );
  });

  it('ListBucketResult, version 2, of an empty bucket', () => {
    expectXml(
      renderListBucketResultV2({ ...EMPTY_PAGE, query: V2_QUERY }),
      `<ListBucketResult ${XMLNS}><Name>b</Name><Prefix></Prefix><KeyCount>0</KeyCount>`,
      '<MaxKeys>1000</MaxKeys><IsTruncated>false</IsTruncated></ListBucketResult>',
    );
  });

  it('ListBucketResult, version 2, with all it can have', () => {
    const rendered = renderListBucketResultV2({
      bucket: 'b',
      query: {
        prefix: 'a ',
        delimiter: '/',
        marker: 'ignored: the two below are shown',
        startAfter: 'a &',
        continuationToken: 'AQAA',
        maxKeys: 2,
        urlEncoded: true,
        fetchOwner: true,
      },
      contents: [{ ...ENTRY, owner: OWNER }],
      commonPrefixes: ['a c/'],
      truncated: true,
      nextContinuationToken: 'AQBB',
    });
    expectXml(
      rendered,
      `<ListBucketResult ${XMLNS}><Name>b</Name><Prefix>a%20</Prefix>`,
      '<StartAfter>a%20%26</StartAfter><ContinuationToken>AQAA</ContinuationToken>',
      '<NextContinuationToken>AQBB</NextContinuationToken><KeyCount>2</KeyCount>',
      '<MaxKeys>2</MaxKeys><Delimiter>/</Delimiter><EncodingType>url</EncodingType>',
      '<IsTruncated>true</IsTruncated><Contents><Key>a%20b/%C3%A4%3C%26%3E%22%27</Key>',
      '<LastModified>2024-02-29T23:59:58.000Z</LastModified><ETag>&quot;abc-2&quot;</ETag>',
      `<Size>5</Size>${OWNER_XML}<StorageClass>STANDARD</StorageClass></Contents>`,
      '<CommonPrefixes><Prefix>a%20c/</Prefix></CommonPrefixes></ListBucketResult>',
    );
  });

  it('LocationConstraint', () => {
    expectXml(
      renderLocationConstraint('dc-west'),
      `<LocationConstraint ${XMLNS}>dc-west</LocationConstraint>`,
    );
    expectXml(
      renderLocationConstraint('us-east-1'),
      `<LocationConstraint ${XMLNS}></LocationConstraint>`,
    );
  });
});
