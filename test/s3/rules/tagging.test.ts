import { expect } from 'chai';
import fc from 'fast-check';
import {
  checkTags,
  decodeTags,
  encodeTags,
  parseTaggingHeader,
  type Tag,
} from '../../../src/s3/rules/tagging.js';
import { expectInvalidArgument, expectS3Error, s3ErrorOf } from '../support.js';

/** Two UTF-16 units, and a letter (Deseret). */
const ASTRAL = '𐐀';

const tag = (key: string, value = ''): Tag => ({ key, value });
const tags = (count: number) => Array.from({ length: count }, (_, index) => tag(`k${index}`));
const checkOf = (given: readonly Tag[], resource: 'object' | 'bucket') => () => {
  checkTags(given, resource);
};

const VALID: readonly Tag[] = [
  tag('k', 'v'),
  tag('k'),
  tag(' ', ' '),
  tag('_.:/=+-@', '_.:/=+-@'),
  tag('Größe', '大きい'),
  tag('a\u00a0b', '٣½'),
  tag('k'.repeat(128), 'v'.repeat(256)),
  tag(ASTRAL.repeat(64), ASTRAL.repeat(128)),
  tag('something:aws:stuff'),
  tag('aws'),
];

const LONG_KEYS = ['k'.repeat(129), ASTRAL.repeat(65)];
const INVALID_KEYS = ['', ...LONG_KEYS, 'a&b', 'a\tb', 'a,b', 'e\u0301', '😀'];
const INVALID_VALUES = ['v'.repeat(257), ASTRAL.repeat(129), 'a&b', 'a\nb', '<', '\uFFFD'];

describe('s3 rules: tags', () => {
  for (const given of VALID) {
    it(`accepts ${JSON.stringify(given).slice(0, 50)}`, () => {
      checkTags([given], 'object');
      checkTags([given], 'bucket');
    });
  }

  for (const key of INVALID_KEYS) {
    it(`refuses the key ${JSON.stringify(key).slice(0, 50)}`, () => {
      const check = checkOf([tag(key)], 'bucket');
      const { message } = expectS3Error(check, 'InvalidTag', { TagKey: key });
      expect(message).to.equal('The TagKey you have provided is invalid');
    });
  }

  for (const value of INVALID_VALUES) {
    it(`refuses the value ${JSON.stringify(value).slice(0, 50)}`, () => {
      expectS3Error(checkOf([tag('k', value)], 'object'), 'InvalidTag', {
        TagKey: 'k',
        TagValue: value,
      });
    });
  }

  it('reserves aws: in any case', () => {
    for (const key of ['aws:x', 'AWS:x', 'aWs:']) {
      const { message } = expectS3Error(checkOf([tag(key)], 'object'), 'InvalidTag');
      expect(message).to.equal('Your TagKey cannot be prefixed with aws:');
      const bucket = s3ErrorOf(checkOf([tag(key)], 'bucket'));
      expect(bucket.message).to.equal('System tags cannot be added/updated by requester');
    }
  });

  it('counts: 10 of an object, 50 of a bucket, none at all', () => {
    checkTags(tags(0), 'object');
    checkTags(tags(10), 'object');
    checkTags(tags(50), 'bucket');
    const { message } = expectS3Error(checkOf(tags(11), 'object'), 'BadRequest');
    expect(message).to.equal('Object tags cannot be greater than 10');
    expectS3Error(checkOf(tags(51), 'bucket'), 'BadRequest');
  });

  it('have one value a key; keys differ by case', () => {
    expectS3Error(checkOf([tag('k', 'a'), tag('k', 'a')], 'object'), 'InvalidTag', { TagKey: 'k' });
    expect(checkOf([tag('k'), tag('K')], 'object')).not.to.throw();
  });
});

describe('s3 rules: x-amz-tagging', () => {
  for (const [value, expected] of [
    ['', []],
    ['a=b', [tag('a', 'b')]],
    ['a=b&c=d', [tag('a', 'b'), tag('c', 'd')]],
    ['a=b&bar', [tag('a', 'b'), tag('bar')]],
    ['a=', [tag('a')]],
    ['a=b&', [tag('a', 'b')]],
    ['a+b=c%20d%2B', [tag('a b', 'c d+')]],
    ['%C3%A4%3D=%2F', [tag('ä=', '/')]],
    ['ä=b', [tag('ä', 'b')]],
  ] as const) {
    it(`reads ${JSON.stringify(value)}`, () => {
      expect(parseTaggingHeader(value)).to.deep.equal(expected);
    });
  }

  for (const value of ['a=b=c', 'a=%zz', '%C3=a', 'a=b&a=c', 'a&a', 'a=b&%61=c']) {
    it(`refuses ${value}`, () => {
      expectInvalidArgument(() => parseTaggingHeader(value), 'x-amz-tagging', value);
    });
  }

  for (const [value, code] of [
    ['aws:a=b', 'InvalidTag'],
    ['=b', 'InvalidTag'],
    ['a%26=b', 'InvalidTag'],
    [Array.from({ length: 11 }, (_, index) => `k${index}`).join('&'), 'BadRequest'],
  ] as const) {
    it(`refuses the tags of ${value}`, () => {
      expectS3Error(() => parseTaggingHeader(value), code);
    });
  }
});

describe('s3 rules: stored tags', () => {
  it('are the text that the header could have had', () => {
    const given = [tag('Project', 'Blue Sky'), tag('path', 'a/b:c@d'), tag('ä=+', '')];
    expect(encodeTags(given)).to.equal('Project=Blue+Sky&path=a/b:c@d&%C3%A4%3D%2B=');
    expect(encodeTags([])).to.equal('');
    expect(decodeTags('')).to.deep.equal([]);
  });

  it('come back as they were, in printable ASCII without spaces', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 20 });
    const set = fc.array(fc.record({ key: text, value: text }), { maxLength: 10 });
    fc.assert(
      fc.property(set, (given) => {
        const stored = encodeTags(given);
        expect(stored).to.match(/^[\u0021-\u007e]*$/);
        expect(decodeTags(stored)).to.deep.equal(given);
      }),
    );
  });

  it('give nothing away that others wrote', () => {
    expect(decodeTags('a=b=c')).to.equal(undefined);
    expect(decodeTags('%')).to.equal(undefined);
  });
});
