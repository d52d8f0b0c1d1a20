import { expect } from 'chai';
import fc from 'fast-check';
import {
  decodeContinuationToken,
  encodeContinuationToken,
} from '../../../src/s3/rules/continuation-token.js';
import { expectInvalidArgument, expectS3Error } from '../support.js';

const key = fc.string({ unit: 'binary', maxLength: 100 });

describe('s3 rules: continuation tokens', () => {
  it('come back as they were', () => {
    fc.assert(
      fc.property(key, (marker) => {
        expect(decodeContinuationToken(encodeContinuationToken(marker))).to.equal(marker);
      }),
    );
  });

  it('need no escaping in a query', () => {
    fc.assert(
      fc.property(key, (marker) => {
        expect(encodeContinuationToken(marker)).to.match(/^[\w-]+$/);
      }),
    );
  });

  const token = encodeContinuationToken('photos/2024/a.jpg');
  const garbage = [
    '',
    'a',
    'photos/2024/a.jpg',
    token.slice(0, -1),
    `${token}A`,
    `${token}=`,
    ` ${token}`,
    token.replace('A', 'B'),
    Buffer.from([2, 0, 0, 0, 0]).toString('base64url'),
  ];
  for (const text of garbage) {
    it(`refuses ${JSON.stringify(text)}`, () => {
      const decode = () => decodeContinuationToken(text);
      const { message } = expectInvalidArgument(decode, 'continuation-token', text);
      expect(message).to.equal('The continuation token provided is incorrect');
    });
  }

  it('refuses whatever it did not make', () => {
    fc.assert(
      fc.property(fc.base64String({ maxLength: 60 }), (text) => {
        expectS3Error(() => decodeContinuationToken(text), 'InvalidArgument');
      }),
    );
  });
});
