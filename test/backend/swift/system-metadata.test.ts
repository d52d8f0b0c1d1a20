import { randomBytes } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import { expect } from 'chai';
import fc from 'fast-check';
import {
  readSystemMetadata,
  readSystemValue,
  systemMetadataHeaders,
} from '../../../src/backend/swift/metadata-headers.js';
import { HEADER_LINE_BYTES_MAX, throughSwift, wellFormed } from './support/header-passage.js';

const PREFIX = 'x-gateway-sysmeta-object-';

describe('swift: system metadata', () => {
  const plain = [
    '{"Owner":"test:tester","Grant":[{"Permission":"FULL_CONTROL","Grantee":"test:tester"}]}',
    'a=1&b=%20',
    'ringwayish',
    '=?UTF-8?Q?x?=',
  ];
  for (const value of plain) {
    it(`sends ${value} as it is`, () => {
      expect(systemMetadataHeaders('object', { 's3api-acl': value })).to.deep.equal({
        [`${PREFIX}s3api-acl`]: value,
      });
    });
  }

  const escaped: readonly (readonly [string, string])[] = [
    ['', 'ringway%'],
    [' x', 'ringway%%20x'],
    ['grüße', 'ringway%gr%C3%BC%C3%9Fe'],
    ['a\r\nb', 'ringway%a%0D%0Ab'],
    ['ringway%', 'ringway%ringway%25'],
    ['ringway+2%', 'ringway%ringway+2%25'],
  ];
  for (const [value, sent] of escaped) {
    it(`sends ${JSON.stringify(value)} as ${sent}`, () => {
      expect(systemMetadataHeaders('object', { name: value })).to.deep.equal({
        [`${PREFIX}name`]: sent,
      });
    });
  }

  it('comes back whatever it is, in headers that Swift takes', () => {
    const name = fc.stringMatching(/^[a-z0-9_.-]{1,40}$/).filter((text) => !isReserved(text));
    const value = fc.oneof(
      { weight: 4, arbitrary: wellFormed() },
      // Long enough for several headers; every character may become nine.
      { weight: 1, arbitrary: fc.tuple(wellFormed(), fc.nat(4000)).map(([a, n]) => a.repeat(n)) },
    );
    fc.assert(
      fc.property(fc.dictionary(name, value, { maxKeys: 6 }), (metadata) => {
        const headers = throughSwift(systemMetadataHeaders('object', metadata));
        for (const [header, sent] of headers) {
          expect(header.length + sent.length).to.be.below(HEADER_LINE_BYTES_MAX);
        }
        expect(readSystemMetadata(headers, 'object')).to.deep.equal({ ...metadata });
      }),
      { numRuns: 60 },
    );
  });

  it('is not there when a piece of it is missing', () => {
    const headers = throughSwift(systemMetadataHeaders('object', { name: incompressible(15_000) }));
    expect(headers.size).to.equal(3);
    headers.delete(`${PREFIX}ringway-2-name`);
    expect(readSystemMetadata(headers, 'object')).to.deep.equal({});
    expect(readSystemValue(headers, 'object', 'name')).to.equal(undefined);
  });

  it('takes the room that it needs, and no more', () => {
    const tags = Array.from({ length: 50 }, (_, i) => `${i}${'k'.repeat(126)}=${'日'.repeat(256)}`);
    const value = encodeURIComponent(tags.join('&'));
    expect(value.length).to.be.above(100_000);
    const headers = throughSwift(systemMetadataHeaders('object', { name: value }));
    expect([...headers.values()].join('').length).to.be.below(7000);
    expect(readSystemMetadata(headers, 'object')).to.deep.equal({ name: value });
  });

  it('is not there when it was damaged, or would fill the memory', () => {
    const bomb = deflateRawSync(Buffer.alloc(50_000_000)).toString('base64');
    for (const payload of ['not deflated at all', '', bomb]) {
      const pieces = payload.match(/.{1,7000}/g) ?? [''];
      const headers = new Map([[`${PREFIX}name`, `ringway+${pieces.length}*${pieces[0]}`]]);
      pieces.forEach((piece, i) => {
        if (i > 0) headers.set(`${PREFIX}ringway-${i}-name`, piece);
      });
      expect(readSystemMetadata(headers, 'object')).to.deep.equal({});
    }
  });

  it('hides what Swift and the backend keep there for themselves', () => {
    const own = ['slo-etag', 'slo-size', 'symlink-target', 'container-update-override-etag'];
    const names = [...own, 's3api-etag', 'ringway-update', 'crypto-body-meta', 'ec-etag'];
    const headers = new Map(names.map((name) => [PREFIX + name, 'x']));
    headers.set(`${PREFIX}s3api-upload-id`, 'shown').set(`${PREFIX}deleted`, '');
    expect(readSystemMetadata(headers, 'object')).to.deep.equal({ 's3api-upload-id': 'shown' });
  });
});

function incompressible(bytes: number): string {
  return randomBytes(bytes).toString('base64').slice(0, bytes);
}

function isReserved(name: string): boolean {
  return /^(ringway|slo|symlink|symloop|crypto|ec|container|allow|versions|s3api)-/.test(name);
}
