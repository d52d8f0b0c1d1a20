import { expect } from 'chai';
import fc from 'fast-check';
import {
  optionalChild,
  optionalChildText,
  parseXml as parseBounded,
} from '../../../src/s3/xml/parse.js';
import { parseCreateBucketConfiguration } from '../../../src/s3/xml/create-bucket-configuration.js';
import { S3_NAMESPACE } from '../../../src/s3/xml/namespace.js';
import { S3Error } from '../../../src/s3/errors.js';
import { expectS3Error } from '../support.js';

const BOUNDS = { bytes: 1024 * 1024, elements: 1000, attributes: 100, depth: 16 };

function parseXml(body: Buffer, root: string) {
  return parseBounded(body, root, BOUNDS);
}

/** Bodies with the root `R`, and the text of its child `A`. */
const ACCEPTED: readonly (readonly [body: string, text: string | undefined])[] = [
  ['<R/>', undefined],
  ['<R></R>', undefined],
  ['<R><A/></R>', ''],
  ['<R><A>x</A></R>', 'x'],
  ['<R xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><A>x</A></R>', 'x'],
  ['<R xmlns="http://s3.amazonaws.com/doc/2006-03-01"><A>x</A></R>', 'x'],
  ['<R xmlns="http://doc.s3.amazonaws.com/2006-03-01"><A>x</A></R>', 'x'],
  [`<s3:R xmlns:s3="${S3_NAMESPACE}"><s3:A>x</s3:A></s3:R>`, 'x'],
  [`<s3:R xmlns:s3="${S3_NAMESPACE}"><A>x</A></s3:R>`, 'x'],
  [`<R xmlns="${S3_NAMESPACE}"><A xmlns="">x</A></R>`, 'x'],
  [`<R xmlns:a="urn:x"><A a:b="c" xmlns:a="urn:y">x</A></R>`, 'x'],
  ['<R xmlns="http://s3.amazonaws.com&#47;doc/2006-03-01/"><A>x</A></R>', 'x'],
  ['<?xml version="1.0" encoding="UTF-8"?>\n<R>\n  <A>x</A>\n</R>\n', 'x'],
  ["<?xml version='1.1'?><R><A>x</A></R>", 'x'],
  ['\uFEFF<R><A>x</A></R>', 'x'],
  ['<!-- before --><R><!-- in <A> --><A>x<!-- y --></A></R><!-- after -->', 'x'],
  ['<R><A> spaced  text </A></R>', ' spaced  text '],
  ['<R><A>007</A></R>', '007'],
  ['<R><A>true</A></R>', 'true'],
  ['<R><A>a\r\nb</A></R>', 'a\nb'],
  ['<R><A>&lt;&amp;&gt;&quot;&apos;</A></R>', '<&>"\''],
  ['<R><A>&amp;lt;</A></R>', '&lt;'],
  ['<R><A>&#65;&#x42;&#x1F600;&#13;&#x1;</A></R>', 'AB😀\r\u0001'],
  ['<R><A><![CDATA[<b>&amp;]]> c</A></R>', '<b>&amp; c'],
  ['<R a="1>2" b=\'"\'><A>x</A></R>', 'x'],
  ['<R><A>ä😀</A></R>', 'ä😀'],
];

const MALFORMED: readonly string[] = [
  '',
  ' ',
  'text',
  '{"R":1}',
  '<Q/>',
  '<r/>',
  '<R>',
  '<R><A></R>',
  '<R><A></B></R>',
  '<R/><R/>',
  '<R/><Q/>',
  '<R/>text',
  '<R></R>text',
  '<R/><![CDATA[text]]>',
  'text<R/>',
  '<R',
  '<R a=b/>',
  '<R><A>&nbsp;</A></R>',
  '<R><A>&</A></R>',
  '<R><A>& b</A></R>',
  '<R><A>&#0;</A></R>',
  '<R><A>&#xD800;</A></R>',
  '<R><A>&#x110000;</A></R>',
  '<R><A>&#99999999999999999999;</A></R>',
  '<R><A>&#;</A></R>',
  '<R><A>&#xZZ;</A></R>',
  '<R><A>a\u0001</A></R>',
  '<R><A>\uFFFF</A></R>',
  '<!DOCTYPE R><R/>',
  '<!DOCTYPE R [<!ENTITY x "y">]><R><A>&x;</A></R>',
  '<!doctype r><R/>',
  '<R><!ELEMENT A ANY></R>',
  '<R><?php x ?></R>',
  '<?xml-stylesheet href="x"?><R/>',
  ' <?xml version="1.0"?><R/>',
  '<R><!-- open</R>',
  '<R><![CDATA[open</R>',
  '<R><__proto__>x</__proto__></R>',
  '<R xmlns="urn:x"/>',
  '<R xmlns="http://s3.amazonaws.com/doc/2004-01-01/"/>',
  '<R xmlns="HTTP://S3.AMAZONAWS.COM/DOC/2006-03-01/"/>',
  '<R xmlns=" http://s3.amazonaws.com/doc/2006-03-01/"/>',
  '<R><A xmlns="urn:x">x</A></R>',
  '<R><a:A xmlns:a="urn:x">x</a:A></R>',
  '<R xmlns:a="urn:x"><a:A>x</a:A></R>',
  `<R xmlns="urn:x"><a:A xmlns:a="${S3_NAMESPACE}">x</a:A></R>`,
  '<a:R/>',
  '<R><a:A>x</a:A></R>',
  '<xmlns:R/>',
  `<R>${'<a>'.repeat(16)}${'</a>'.repeat(16)}</R>`,
];

describe('s3 xml: parsing', () => {
  for (const [body, text] of ACCEPTED) {
    it(`reads ${JSON.stringify(body)}`, () => {
      const root = parseXml(Buffer.from(body), 'R');
      expect(optionalChildText(root, 'A')).to.equal(text);
    });
  }

  for (const body of MALFORMED) {
    it(`refuses ${JSON.stringify(body)}`, () => {
      expectS3Error(() => parseXml(Buffer.from(body), 'R'), 'MalformedXML');
    });
  }

  it('refuses what is not UTF-8', () => {
    const latin1 = Buffer.from('<R><A>ä</A></R>', 'latin1');
    const utf16 = Buffer.from('\uFEFF<R/>', 'utf16le');
    for (const body of [latin1, utf16]) {
      expectS3Error(() => parseXml(body, 'R'), 'MalformedXML');
    }
  });

  it('gives attributes without their prefixes', () => {
    const body = '<R xmlns:xsi="urn:x"><A xsi:type="Group &amp; co">x</A></R>';
    const child = optionalChild(parseXml(Buffer.from(body), 'R'), 'A');
    expect(child?.attributes.get('type')).to.equal('Group & co');
  });

  it('refuses a second child where one belongs', () => {
    const root = parseXml(Buffer.from('<R><A/><A/></R>'), 'R');
    expect(root.children).to.have.length(2);
    expectS3Error(() => optionalChild(root, 'A'), 'MalformedXML');
  });

  it('nests as deep as it says', () => {
    const nested = (depth: number) =>
      Buffer.from(`<R>${'<a>'.repeat(depth)}${'</a>'.repeat(depth)}</R>`);
    expect(parseXml(nested(15), 'R').children).to.have.length(1);
    expectS3Error(() => parseXml(nested(16), 'R'), 'MalformedXML');
  });

  it('bounds the body', () => {
    const spaces = BOUNDS.bytes - '<R></R>'.length;
    expect(parseXml(Buffer.from(`<R>${' '.repeat(spaces)}</R>`), 'R').children).to.have.length(0);
    const parse = () => parseXml(Buffer.from(`<R>${' '.repeat(spaces + 1)}</R>`), 'R');
    const limit = { MaxMessageLengthBytes: String(BOUNDS.bytes) };
    expectS3Error(parse, 'MaxMessageLengthExceeded', limit);
  });

  for (const [what, most, piece] of [
    ['empty elements', 999, '<a/>'],
    ['elements', 999, '<a></a>'],
    ['comments', 999, '<!---->'],
    ['CDATA sections', 999, '<![CDATA[]]>'],
    ['attributes', 100, `<a b="" c=''/>`],
  ] as const) {
    it(`bounds the number of ${what}`, () => {
      const count = what === 'attributes' ? most / 2 : most;
      const body = (pieces: number) => Buffer.from(`<R>${piece.repeat(pieces)}</R>`);
      parseXml(body(count), 'R');
      expectS3Error(() => parseXml(body(count + 1), 'R'), 'MalformedXML');
    });
  }

  it('bounds the length of a tag, whatever it is made of', () => {
    for (const filler of [' ', 'a ', '=', ':', 'x="y" ', '"', '""']) {
      const tag = `<R ${filler.repeat(8192 / filler.length)}/>`;
      expectS3Error(() => parseXml(Buffer.from(tag), 'R'), 'MalformedXML');
    }
    expect(parseXml(Buffer.from(`<R ${' '.repeat(4000)}/>`), 'R').children).to.have.length(0);
    const declaration = `<?xml version="1.0"${' '.repeat(8192)}?><R/>`;
    expectS3Error(() => parseXml(Buffer.from(declaration), 'R'), 'MalformedXML');
  });

  it('answers any bytes with an element or an S3Error', () => {
    const piece = fc.constantFrom(
      '<R>',
      '</R>',
      '<A',
      '/>',
      '&amp;',
      '&',
      ';',
      '<!',
      '--',
      '>',
      '"',
      ']]>',
      '<![CDATA[',
      '<?xml ',
      '?>',
      'x',
      '\0',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        try {
          expect(parseXml(Buffer.from(pieces.join('')), 'R').name).to.equal('R');
        } catch (error) {
          expect(error).to.be.instanceOf(S3Error);
        }
      }),
      { numRuns: 1000 },
    );
  });
});

describe('s3 xml: CreateBucketConfiguration', () => {
  const parse = (inner: string) =>
    parseCreateBucketConfiguration(
      Buffer.from(`<CreateBucketConfiguration>${inner}</CreateBucketConfiguration>`),
    );

  it('is optional, and so is its constraint', () => {
    expect(parseCreateBucketConfiguration(Buffer.alloc(0))).to.deep.equal({});
    expect(parse('').locationConstraint).to.equal(undefined);
  });

  it('names a location', () => {
    expect(parse('<LocationConstraint>eu-west-1</LocationConstraint>')).to.deep.equal({
      locationConstraint: 'eu-west-1',
    });
    expect(parse('\n <LocationConstraint>\n EU </LocationConstraint>\n')).to.deep.equal({
      locationConstraint: 'EU',
    });
  });

  for (const [inner, code] of [
    ['<Tags><Tag><Key>a</Key><Value>b</Value></Tag></Tags>', 'NotImplemented'],
    ['<Location><Type>AvailabilityZone</Type></Location>', 'NotImplemented'],
    ['<Bucket><Type>Directory</Type></Bucket>', 'NotImplemented'],
    ['<Other/>', 'MalformedXML'],
    ['<LocationConstraint/><LocationConstraint/>', 'MalformedXML'],
  ] as const) {
    it(`refuses ${inner}`, () => {
      expectS3Error(() => parse(inner), code);
    });
  }
});
