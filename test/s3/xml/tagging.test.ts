import { expect } from 'chai';
import fc from 'fast-check';
import { parseTagging, renderTagging } from '../../../src/s3/xml/tagging.js';
import { expectS3Error } from '../support.js';

const parse = (inner: string, resource: 'object' | 'bucket' = 'object') =>
  parseTagging(Buffer.from(`<Tagging>${inner}</Tagging>`), resource);
const set = (inner: string) => `<TagSet>${inner}</TagSet>`;
const tag = (key: string, value = '') => `<Tag><Key>${key}</Key><Value>${value}</Value></Tag>`;

const REFUSED: readonly (readonly [inner: string, code: string])[] = [
  ['', 'MalformedXML'],
  ['<Other/>', 'MalformedXML'],
  [`${set('')}<Other/>`, 'MalformedXML'],
  [set('') + set(''), 'MalformedXML'],
  [set('<Other/>'), 'MalformedXML'],
  [set('<Tag/>'), 'MalformedXML'],
  [set('<Tag><Key>a</Key></Tag>'), 'MalformedXML'],
  [set('<Tag><Value>a</Value></Tag>'), 'MalformedXML'],
  [set('<Tag><Key>a</Key><Key>a</Key></Tag>'), 'MalformedXML'],
  [set('<Tag><Key>a</Key><Value>b</Value><Other/></Tag>'), 'MalformedXML'],
  [set('<Tag><Key>a<b/></Key><Value>b</Value></Tag>'), 'MalformedXML'],
  [set(tag('')), 'InvalidTag'],
  [set(tag('a') + tag('a')), 'InvalidTag'],
  [set(tag('aws:a')), 'InvalidTag'],
  [set(tag('a', '&lt;')), 'InvalidTag'],
  [set(Array.from({ length: 11 }, (_, index) => tag(`k${index}`)).join('')), 'BadRequest'],
];

describe('s3 xml: Tagging', () => {
  it('reads tags in their order', () => {
    const inner = set(`\n ${tag('b', 'x y')}\n <Tag><Value> v </Value><Key> a </Key></Tag>\n`);
    expect(parse(`\n${inner}\n`)).to.deep.equal([
      { key: 'b', value: 'x y' },
      { key: ' a ', value: ' v ' },
    ]);
  });

  it('reads an empty set', () => {
    expect(parse('<TagSet/>')).to.deep.equal([]);
  });

  it('knows the limits of buckets from those of objects', () => {
    const many = set(Array.from({ length: 50 }, (_, index) => tag(`k${index}`)).join(''));
    expect(parse(many, 'bucket')).to.have.length(50);
    expectS3Error(() => parse(many), 'BadRequest');
  });

  for (const [inner, code] of REFUSED) {
    it(`refuses ${JSON.stringify(inner).slice(0, 80)}`, () => {
      expectS3Error(() => parse(inner), code);
    });
  }

  it('reads back what it rendered', () => {
    const letter = fc.constantFrom(...Array.from('aZ09 _.:/=+-@äß大½\u00a0\u2028'));
    const text = fc.string({ unit: letter, maxLength: 20 });
    const key = fc.string({ unit: letter, minLength: 1, maxLength: 20 });
    const tags = fc.uniqueArray(fc.record({ key, value: text }), {
      selector: (one) => one.key,
      maxLength: 10,
    });
    fc.assert(
      fc.property(tags, (given) => {
        expect(parseTagging(Buffer.from(renderTagging(given)), 'object')).to.deep.equal(given);
      }),
    );
  });
});
