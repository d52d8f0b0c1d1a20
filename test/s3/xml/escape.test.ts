import { expect } from 'chai';
import fc from 'fast-check';
import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { decodeUriComponentStrict } from '../../../src/lib/uri.js';
import { XML_BOUNDS } from '../../../src/s3/xml/bounds.js';
import {
  element,
  escapeXml,
  escapeXml10,
  optionalElement,
  xmlDocument,
} from '../../../src/s3/xml/escape.js';
import { listedName } from '../../../src/s3/xml/listing-entries.js';
import { parseXml } from '../../../src/s3/xml/parse.js';

const ESCAPES: readonly (readonly [text: string, escaped: string, escaped10?: string])[] = [
  ['', ''],
  ['plain/ä😀\u00a0', 'plain/ä😀\u00a0'],
  ['<a & "b">', '&lt;a &amp; &quot;b&quot;&gt;'],
  ["it's", "it's"],
  ['&#x1;', '&amp;#x1;'],
  ['a\tb\nc\rd', 'a&#9;b&#10;c&#13;d'],
  ['\u007f\u0085\u2028', '&#127;&#133;&#8232;'],
  ['a\u0001b\u001fc', 'a&#x1;b&#x1f;c', 'a\uFFFDb\uFFFDc'],
  ['\0', '\uFFFD'],
  ['\uFFFE\uFFFF', '\uFFFD\uFFFD'],
  ['a\ud800b', 'a\uFFFDb'],
  ['\udc00', '\uFFFD'],
];

/** Any text that can be a key: no NUL, no halves of surrogate pairs. */
const key = fc
  .string({ unit: 'binary', maxLength: 40 })
  .filter((text) => !/[\0\uFFFE\uFFFF]/u.test(text));

describe('s3 xml: escaping', () => {
  for (const [text, escaped, escaped10] of ESCAPES) {
    it(`escapes ${JSON.stringify(text)}`, () => {
      expect(escapeXml(text)).to.equal(escaped);
      expect(escapeXml10(text)).to.equal(escaped10 ?? escaped);
    });
  }

  it('declares XML 1.1 only for what 1.0 cannot express', () => {
    expect(xmlDocument(element('A', 'a\t&#x1;'))).to.match(/^<\?xml version="1\.0"/);
    expect(xmlDocument(element('A', 'a\u0001'))).to.match(/^<\?xml version="1\.1"/);
  });

  it('renders optional elements', () => {
    expect(optionalElement('A', undefined)).to.equal('');
    expect(optionalElement('A', '')).to.equal('<A></A>');
  });

  it('is well-formed for every text, and reads back as it was', () => {
    fc.assert(
      fc.property(key, (text) => {
        const rendered = xmlDocument(element('A', text));
        // oxlint-disable-next-line typescript/no-deprecated -- the oracle that is at hand
        expect(XMLValidator.validate(rendered)).to.be.true;
        expect(parseXml(Buffer.from(rendered), 'A', XML_BOUNDS.LegalHold).text).to.equal(text);
      }),
    );
  });

  it('is well-formed XML 1.0 where only that is allowed', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const rendered = `<A>${escapeXml10(text)}</A>`;
        expect(rendered).not.to.match(
          /&#x|[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u,
        );
      }),
    );
  });

  it('carries every key through encoding-type=url and any XML parser', () => {
    const parser = new XMLParser({ parseTagValue: false, trimValues: false });
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }), (text) => {
        const rendered = xmlDocument(`<Key>${listedName(text, true)}</Key>`);
        const parsed = parser.parse(rendered) as { Key: string };
        expect(decodeUriComponentStrict(parsed.Key)).to.equal(text);
      }),
    );
  });
});
