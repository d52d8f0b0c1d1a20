import { expect } from 'chai';
import fc from 'fast-check';
import { BackendError } from '../../../src/backend/errors.js';
import {
  decodeContainer,
  decodeUsage,
  encodeContainer,
  encodeUsage,
} from '../../../src/backend/embedded/container-record.js';
import {
  decodeLink,
  decodeListed,
  decodeObject,
  encodeObject,
  isLink,
  stampObject,
} from '../../../src/backend/embedded/object-record.js';
import { copyOf } from '../../../src/backend/embedded/tables.js';

const NUMBER_MAX = 2 ** 48 - 1;
const text = fc.string({ unit: 'binary' });
const metadata = fc.dictionary(text, text, { noNullPrototype: true });
const acl = fc.record({ read: text, write: text });
const number = fc.integer({ min: 0, max: NUMBER_MAX });

const object = fc.record({
  size: number,
  etag: fc.oneof(
    fc.uint8Array({ minLength: 16, maxLength: 16 }).map((md5) => Buffer.from(md5).toString('hex')),
    fc.string({ unit: 'grapheme-ascii', maxLength: 128 }),
  ),
  contentType: text,
  attributes: metadata,
  headers: metadata,
  metadata,
  systemMetadata: metadata,
});

describe('records of the embedded store', () => {
  it('give back an object as it was', () => {
    fc.assert(
      fc.property(object, number, number, (fields, bodyId, lastModified) => {
        const record = encodeObject(fields, 'file');
        stampObject(record, bodyId, lastModified);
        const { attributes, ...head } = fields;
        const stored = { place: 'file', bodyId, attributes, head: { ...head, lastModified } };
        expect(decodeObject(record, record.length)).to.deep.equal(stored);
        const { size, etag, contentType } = fields;
        const listed = { name: '', size, etag, lastModified, contentType, attributes };
        expect(decodeListed(record, record.length)).to.deep.equal(listed);
      }),
    );
  });

  it('give back a container as it was', () => {
    fc.assert(
      fc.property(number, number, metadata, metadata, acl, (id, createdAt, first, second, acl) => {
        const container = { id, createdAt, metadata: first, systemMetadata: second, acl };
        const record = encodeContainer(container);
        expect(decodeContainer(record, record.length)).to.deep.equal(container);
      }),
    );
  });

  it('give back a link, to readers only what they need of it', () => {
    fc.assert(
      fc.property(object, text, text, number, (fields, container, name, lastModified) => {
        const target = { container, object: name };
        const record = encodeObject({ ...fields, target }, 'link');
        stampObject(record, 0, lastModified);
        const { attributes, ...head } = fields;
        expect(isLink(record)).to.be.true;
        const place = { place: 'link', bodyId: 0, target };
        const stored = { ...place, attributes, head: { ...head, lastModified } };
        expect(decodeObject(record, record.length)).to.deep.equal(stored);
        const { etag, systemMetadata } = fields;
        const link = { target, etag, lastModified, systemMetadata };
        expect(decodeLink(record, record.length)).to.deep.equal(link);
        expectCorrupt(() => decodeLink(record, record.length - 1));
      }),
    );
  });

  it('of containers that the first release wrote are read, as closed to others', () => {
    const record = Buffer.from(
      '01' + '000000000007' + '0192a3b4c5d6' + '01' + '0161' + '0162' + '01' + '0163' + '0164',
      'hex',
    );
    expect(decodeContainer(record, record.length)).to.deep.equal({
      id: 7,
      createdAt: 0x0192a3b4c5d6,
      metadata: { a: 'b' },
      systemMetadata: { c: 'd' },
      acl: { read: '', write: '' },
    });
  });

  it('give back usage as it was', () => {
    const row = encodeUsage({ objectCount: NUMBER_MAX, bytesUsed: 1 });
    expect(decodeUsage(row, row.length)).to.deep.equal({ objectCount: NUMBER_MAX, bytesUsed: 1 });
    expectCorrupt(() => decodeUsage(row, row.length - 1));
  });

  it('are Corrupt when they end early, whatever memory lies behind', () => {
    const pairs = { attributes: { a: 'b' }, metadata: { c: 'd' }, systemMetadata: { e: 'f' } };
    const fields = { size: 5, etag: 'abc', contentType: 'text/plain', headers: undefined };
    const record = encodeObject({ ...fields, ...pairs }, 'inline');
    for (let length = 0; length < record.length; length++) {
      expectCorrupt(() => decodeObject(record, length));
    }
    const longer = Buffer.concat([record, Buffer.of(0)]);
    expectCorrupt(() => decodeObject(longer, longer.length));
  });

  it('are Corrupt or decoded, never anything else, when bytes are changed', () => {
    fc.assert(
      fc.property(object, fc.nat(), fc.nat({ max: 255 }), (fields, at, byte) => {
        const record = encodeObject(fields, 'inline');
        record[at % record.length] = byte;
        try {
          decodeObject(record, record.length);
        } catch (error) {
          expect((error as BackendError).code).to.equal('Corrupt');
        }
      }),
    );
  });

  it('are not read beyond the value, where others lie', () => {
    const shared = Buffer.from('a value, and another one');
    const value = shared.subarray(0, 7);
    expect(copyOf(value, 2, 5).toString()).to.equal('value');
    for (const [start, length] of [
      [2, 6],
      [8, 0],
      [-1, 2],
      [0, -1],
      [0, NaN],
    ] as const) {
      expectCorrupt(() => copyOf(value, start, length));
    }
  });

  it('of another layout are Corrupt', () => {
    expectCorrupt(() => decodeObject(Buffer.alloc(40, 0x20), 40));
    expectCorrupt(() => decodeContainer(Buffer.alloc(40, 0x20), 40));
  });
});

function expectCorrupt(decode: () => unknown): void {
  expect(decode).to.throw(BackendError).with.property('code', 'Corrupt');
}
