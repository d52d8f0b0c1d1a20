import { expect } from 'chai';
import { renderCopyObjectResult } from '../../../src/s3/xml/copy-object-result.js';
import { renderCopyPartResult } from '../../../src/s3/xml/copy-part-result.js';
import { renderDeleteResult, type DeleteOutcome } from '../../../src/s3/xml/delete-result.js';
import { renderTagging } from '../../../src/s3/xml/tagging.js';
import { expectXml, MODIFIED, XMLNS } from './support.js';

/** Golden documents: the exact text of each, broken into lines here only. */

describe('s3 xml: documents of copies', () => {
  it('CopyObjectResult, its date in the ISO form', () => {
    expectXml(
      renderCopyObjectResult({ lastModified: MODIFIED, etag: 'abc' }),
      `<CopyObjectResult ${XMLNS}><LastModified>2024-02-29T23:59:58.000Z</LastModified>`,
      '<ETag>&quot;abc&quot;</ETag></CopyObjectResult>',
    );
  });

  it('CopyObjectResult with a checksum', () => {
    const checksum = { algorithm: 'CRC64NVME', value: 'AAA=', type: 'FULL_OBJECT' } as const;
    const rendered = renderCopyObjectResult({ lastModified: 0, etag: 'abc', checksum });
    expect(rendered).to.contain(
      '</ETag><ChecksumCRC64NVME>AAA=</ChecksumCRC64NVME>' +
        '<ChecksumType>FULL_OBJECT</ChecksumType></CopyObjectResult>',
    );
  });

  it('CopyPartResult', () => {
    const checksum = { algorithm: 'SHA1', value: 'AAA=' } as const;
    expectXml(
      renderCopyPartResult({ lastModified: 0, etag: 'abc', checksum }),
      `<CopyPartResult ${XMLNS}><LastModified>1970-01-01T00:00:00.000Z</LastModified>`,
      '<ETag>&quot;abc&quot;</ETag><ChecksumSHA1>AAA=</ChecksumSHA1></CopyPartResult>',
    );
  });
});

describe('s3 xml: DeleteResult', () => {
  const outcomes: readonly DeleteOutcome[] = [
    { outcome: 'deleted', key: ' a&b ' },
    {
      outcome: 'failed',
      key: 'c<d>',
      versionId: 'null',
      code: 'NoSuchKey',
      message: 'The specified key does not exist.',
    },
    {
      outcome: 'deleted',
      key: 'e',
      versionId: 'v1',
      deleteMarker: true,
      deleteMarkerVersionId: 'v1',
    },
  ];
  const failed =
    '<Error><Key>c&lt;d&gt;</Key><VersionId>null</VersionId><Code>NoSuchKey</Code>' +
    '<Message>The specified key does not exist.</Message></Error>';

  it('shows every outcome in its order', () => {
    expectXml(
      renderDeleteResult(outcomes, false),
      `<DeleteResult ${XMLNS}><Deleted><Key> a&amp;b </Key></Deleted>${failed}`,
      '<Deleted><Key>e</Key><VersionId>v1</VersionId><DeleteMarker>true</DeleteMarker>',
      '<DeleteMarkerVersionId>v1</DeleteMarkerVersionId></Deleted></DeleteResult>',
    );
  });

  it('shows failures only when it is quiet', () => {
    expectXml(
      renderDeleteResult(outcomes, true),
      `<DeleteResult ${XMLNS}>${failed}</DeleteResult>`,
    );
    expectXml(renderDeleteResult([], true), `<DeleteResult ${XMLNS}></DeleteResult>`);
  });

  it('writes keys that XML 1.0 cannot express as XML 1.1', () => {
    const rendered = renderDeleteResult([{ outcome: 'deleted', key: '\u0001\r\n' }], false);
    expect(rendered).to.match(/^<\?xml version="1\.1"/);
    expect(rendered).to.contain('<Key>&#x1;&#13;&#10;</Key>');
  });
});

describe('s3 xml: rendered Tagging', () => {
  it('shows the tags in their order', () => {
    const tags = [
      { key: 'b', value: '' },
      { key: 'a', value: '<&> ' },
    ];
    expectXml(
      renderTagging(tags),
      `<Tagging ${XMLNS}><TagSet><Tag><Key>b</Key><Value></Value></Tag>`,
      '<Tag><Key>a</Key><Value>&lt;&amp;&gt; </Value></Tag></TagSet></Tagging>',
    );
  });

  it('is a set also when it is empty', () => {
    expectXml(renderTagging([]), `<Tagging ${XMLNS}><TagSet></TagSet></Tagging>`);
  });
});
