import { expect } from 'chai';
import fc from 'fast-check';
import { XML_BOUNDS } from '../../../src/s3/xml/bounds.js';
import { parseDelete } from '../../../src/s3/xml/delete.js';
import { element } from '../../../src/s3/xml/escape.js';
import { expectS3Error } from '../support.js';

const parse = (inner: string) => parseDelete(Buffer.from(`<Delete>${inner}</Delete>`));
const object = (key: string, more = '') => `<Object><Key>${key}</Key>${more}</Object>`;

const ACCEPTED: readonly (readonly [inner: string, objects: readonly object[], quiet?: true])[] = [
  [object('a'), [{ key: 'a' }]],
  [object(' a  b '), [{ key: ' a  b ' }]],
  [object('\n'), [{ key: '\n' }]],
  [object(' '), [{ key: ' ' }]],
  [object('007'), [{ key: '007' }]],
  [object('true'), [{ key: 'true' }]],
  [object('a&#13;&#10;&#9;b'), [{ key: 'a\r\n\tb' }]],
  [object('&#x1;&#x1F600;'), [{ key: '\u0001😀' }]],
  [object('&lt;a&gt; &amp;amp; &quot;b&apos;'), [{ key: '<a> &amp; "b\'' }]],
  [object('<![CDATA[a<b> &amp; ]]>c'), [{ key: 'a<b> &amp; c' }]],
  [object('a<!-- b -->c'), [{ key: 'ac' }]],
  [object('a//../b'), [{ key: 'a//../b' }]],
  [object('a%20b+c'), [{ key: 'a%20b+c' }]],
  [object('a', '<VersionId>null</VersionId>'), [{ key: 'a', versionId: 'null' }]],
  [object('a', '<VersionId>odd one</VersionId>'), [{ key: 'a', versionId: 'odd one' }]],
  [object('b') + object('a') + object('b'), [{ key: 'b' }, { key: 'a' }, { key: 'b' }]],
  [`<Quiet>true</Quiet>${object('a')}`, [{ key: 'a' }], true],
  [`${object('a')}\n <Quiet> True </Quiet>\n`, [{ key: 'a' }], true],
  [`${object('a')}<Quiet>false</Quiet>`, [{ key: 'a' }]],
  [object('a', '<ETag>&quot;x&quot;</ETag>'), [{ key: 'a', etag: '"x"' }]],
  [
    object('a', '<VersionId>v</VersionId><ETag>*</ETag>'),
    [{ key: 'a', versionId: 'v', etag: '*' }],
  ],
  [object('a', '<ETag/>'), [{ key: 'a', etag: '' }]],
];

const REFUSED: readonly (readonly [inner: string, code: string])[] = [
  ['', 'MalformedXML'],
  ['<Quiet>true</Quiet>', 'MalformedXML'],
  ['<Object/>', 'MalformedXML'],
  ['<Object><VersionId>null</VersionId></Object>', 'MalformedXML'],
  [object(''), 'MalformedXML'],
  [object('a<b/>c'), 'MalformedXML'],
  [object('a', '<Key>b</Key>'), 'MalformedXML'],
  [object('a', '<VersionId>1</VersionId><VersionId>2</VersionId>'), 'MalformedXML'],
  [object('a', '<Other/>'), 'MalformedXML'],
  [`${object('a')}<Other/>`, 'MalformedXML'],
  [`${object('a')}<Quiet>yes</Quiet>`, 'MalformedXML'],
  [`${object('a')}<Quiet/>`, 'MalformedXML'],
  [`${object('a')}<Quiet>true</Quiet><Quiet>true</Quiet>`, 'MalformedXML'],
  [object('a', '<ETag>x</ETag><ETag>y</ETag>'), 'MalformedXML'],
  [object('a', '<LastModifiedTime>x</LastModifiedTime>'), 'NotImplemented'],
  [object('a') + object('b', '<Size>1</Size>'), 'NotImplemented'],
];

describe('s3 xml: Delete', () => {
  for (const [inner, objects, quiet = false] of ACCEPTED) {
    it(`reads ${JSON.stringify(inner)}`, () => {
      expect(parse(inner)).to.deep.equal({ objects, quiet });
    });
  }

  for (const [inner, code] of REFUSED) {
    it(`refuses ${JSON.stringify(inner)}`, () => {
      expectS3Error(() => parse(inner), code);
    });
  }

  it('refuses document types and entities', () => {
    const body = `<!DOCTYPE Delete [<!ENTITY k "x">]><Delete>${object('&k;')}</Delete>`;
    expectS3Error(() => parseDelete(Buffer.from(body)), 'MalformedXML');
  });

  it('reads 1000 of the longest keys with versions, and not one more', () => {
    const one = object('k'.repeat(1024), `<VersionId>${'0'.repeat(32)}</VersionId>`);
    expect(parse(one.repeat(1000)).objects).to.have.length(1000);
    expectS3Error(() => parse(object('k').repeat(1001)), 'MalformedXML');
  });

  it('bounds the body', () => {
    const inner = object('k') + ' '.repeat(XML_BOUNDS.Delete.bytes);
    expectS3Error(() => parse(inner), 'MaxMessageLengthExceeded');
  });

  it('reads every key exactly, and gives data that can be sent to another thread', () => {
    const key = fc
      .string({ unit: 'binary', minLength: 1, maxLength: 40 })
      .filter((text) => !/[\0\uFFFE\uFFFF]/u.test(text));
    fc.assert(
      fc.property(fc.array(key, { minLength: 1, maxLength: 10 }), (keys) => {
        const parsed = parse(
          keys.map((text) => `<Object>${element('Key', text)}</Object>`).join(''),
        );
        expect(parsed.objects.map((deleted) => deleted.key)).to.deep.equal(keys);
        expect(structuredClone(parsed)).to.deep.equal(parsed);
      }),
    );
  });
});
