import { expect } from 'chai';
import fc from 'fast-check';
import {
  afterKey,
  afterPrefix,
  containerKey,
  idKey,
  idOf,
  OBJECT_NAME_BYTES_MAX,
  objectKey,
} from '../../../src/backend/embedded/keys.js';
import { resolveRange } from '../../../src/backend/ranges.js';

const name = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 });
const bytes = fc.uint8Array({ minLength: 1, maxLength: 6 }).map((array) => Buffer.from(array));

describe('keys of the embedded store', () => {
  it('sort objects by container, then by the bytes of the name', () => {
    const id = fc.integer({ min: 1, max: 2 ** 48 - 1 });
    fc.assert(
      fc.property(id, name, id, name, (id1, name1, id2, name2) => {
        const wanted =
          Math.sign(id1 - id2) || Buffer.compare(Buffer.from(name1), Buffer.from(name2));
        expect(Buffer.compare(objectKey(id1, name1), objectKey(id2, name2))).to.equal(wanted);
      }),
    );
  });

  it('keep ids', () => {
    for (const id of [0, 1, 255, 256, 2 ** 32, 2 ** 48 - 1]) expect(idOf(idKey(id))).to.equal(id);
  });

  it('do not mix accounts whose names run into container names', () => {
    const keys = [
      containerKey({ account: 'a', container: 'bc' }),
      containerKey({ account: 'ab', container: 'c' }),
    ];
    expect(keys[0]?.equals(keys[1]!)).to.be.false;
  });

  it('end a prefix right behind everything that begins with it', () => {
    fc.assert(
      fc.property(bytes, bytes, (prefix, key) => {
        const end = afterPrefix(prefix);
        const begins = key.subarray(0, prefix.length).equals(prefix);
        const between =
          Buffer.compare(key, prefix) >= 0 && (end === undefined || Buffer.compare(key, end) < 0);
        expect(between).to.equal(begins);
      }),
    );
    expect(afterPrefix(Buffer.of(0xff, 0xff))).to.equal(undefined);
    expect(afterPrefix(Buffer.of(1, 0xff))).to.deep.equal(Buffer.of(2));
  });

  it('leave no key between one and the next', () => {
    expect(Buffer.compare(afterKey(Buffer.of(1)), Buffer.of(1, 0))).to.equal(0);
  });

  it('refuse names that are empty or too long', () => {
    const long = (length: number): string => 'x'.repeat(length);
    for (const make of [
      () => objectKey(1, ''),
      () => objectKey(1, long(OBJECT_NAME_BYTES_MAX + 1)),
      () => objectKey(1, 'é'.repeat(OBJECT_NAME_BYTES_MAX / 2 + 1)),
      () => containerKey({ account: long(256), container: 'c' }),
      () => containerKey({ account: 'a', container: long(257) }),
      () => containerKey({ account: '', container: 'c' }),
      () => containerKey({ account: 'a', container: '' }),
    ]) {
      expect(make).to.throw().with.property('code', 'NameTooLong');
    }
  });
});

describe('resolveRange', () => {
  it('agrees with slicing, for any range and size', () => {
    const small = fc.nat({ max: 12 });
    fc.assert(
      fc.property(small, small, small, (size, first, last) => {
        const wanted = Array.from({ length: size }, (_, i) => i).slice(first, last + 1);
        const range = resolveRange({ first, last }, size);
        if (range === 'unsatisfiable') expect(wanted).to.deep.equal([]);
        else expect([range.start, range.end]).to.deep.equal([wanted[0], wanted.at(-1)]);
      }),
    );
  });

  it('takes a suffix from the end', () => {
    expect(resolveRange({ suffix: 3 }, 10)).to.deep.equal({ start: 7, end: 9 });
    expect(resolveRange({ suffix: 30 }, 10)).to.deep.equal({ start: 0, end: 9 });
    expect(resolveRange({ suffix: 0 }, 10)).to.equal('unsatisfiable');
    expect(resolveRange({ suffix: 1 }, 0)).to.equal('unsatisfiable');
  });
});
