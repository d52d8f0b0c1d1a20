import { expect } from 'chai';
import * as fc from 'fast-check';
import type { Capabilities } from '../../../src/backend/backend.js';
import { compareUtf8 } from '../../../src/s3/rules/byte-order.js';
import {
  archiveContainer,
  bucketOfArchive,
  currentRef,
  fenceRef,
  indexRef,
  parseArchiveName,
  requireArchivableKey,
  versionRef,
} from '../../../src/s3/versions/names.js';
import { S3Error } from '../../../src/s3/errors.js';

const OF = { account: 'AUTH_a', bucket: 'b', key: 'a/ü' };
const NAME = '0123456789abcdef0123456789abcdef';
const HEX = '612fc3bc';

describe('s3/versions/names', () => {
  it('puts all of a key below its hexadecimal in the companion of the bucket', () => {
    const archive = { account: 'AUTH_a', container: 'b+versions' };
    expect(archiveContainer('AUTH_a', 'b')).to.deep.equal(archive);
    expect(versionRef(OF, NAME)).to.deep.equal({ ...archive, object: `${HEX}/${NAME}` });
    expect(indexRef(OF)).to.deep.equal({ ...archive, object: `${HEX}/index.json` });
    expect(fenceRef(OF, 12)).to.deep.equal({ ...archive, object: `${HEX}/index.g12.json` });
    expect(currentRef(OF)).to.deep.equal({ account: 'AUTH_a', container: 'b', object: 'a/ü' });
  });

  it('knows an archive by its name', () => {
    expect(bucketOfArchive('b+versions')).to.equal('b');
    expect(bucketOfArchive('b+segments')).to.equal(undefined);
  });

  it('reads back what it wrote, of any key', () => {
    const keys = fc.string({ unit: 'binary', minLength: 1 });
    const generations = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
    fc.assert(
      fc.property(keys, generations, (key, generation) => {
        const of = { ...OF, key };
        const version = { kind: 'version', key, name: NAME };
        expect(parseArchiveName(versionRef(of, NAME).object)).to.deep.equal(version);
        expect(parseArchiveName(indexRef(of).object)).to.deep.equal({ kind: 'index', key });
        const fence = { kind: 'fence', key, generation };
        expect(parseArchiveName(fenceRef(of, generation).object)).to.deep.equal(fence);
      }),
    );
  });

  it('sorts as the keys do', () => {
    const keys = fc.string({ unit: 'binary', minLength: 1 });
    fc.assert(
      fc.property(keys, keys, (one, other) => {
        const order = compareUtf8(one, other);
        const name = indexRef({ ...OF, key: one }).object;
        const otherName = indexRef({ ...OF, key: other }).object;
        expect(Math.sign(compareUtf8(name, otherName))).to.equal(Math.sign(order));
      }),
    );
  });

  for (const name of [
    '',
    HEX,
    `/${NAME}`,
    `6/${NAME}`,
    `61F/${NAME}`,
    `${HEX.toUpperCase()}/${NAME}`,
    `ff/${NAME}`,
    `${HEX}/${NAME.toUpperCase()}`,
    `${HEX}/null`,
    `${HEX}/x/index.json`,
    `${HEX}/index.g0.json`,
    `${HEX}/index.g01.json`,
    `${HEX}/index.g9999999999999999.json`,
    `${HEX}/index.g-1.json`,
  ]) {
    it(`takes ${JSON.stringify(name)} for the name of no version`, () => {
      expect(parseArchiveName(name)).to.equal(undefined);
    });
  }

  it('refuses a key whose names would not fit', () => {
    const capabilities = { objectNameBytesMax: 1024 } as Capabilities;
    requireArchivableKey('k'.repeat(495), capabilities);
    expect(() => {
      requireArchivableKey('k'.repeat(496), capabilities);
    })
      .to.throw(S3Error)
      .that.deep.includes({
        code: 'KeyTooLongError',
        details: { Size: '496', MaxSizeAllowed: '495' },
      });
  });
});
