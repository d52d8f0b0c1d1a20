import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import { signerOf } from '../../../src/backend/swift/net/signer.js';

describe('Swift transport: signature', () => {
  for (const length of [16, 64, 65, 200]) {
    it(`is what the filter expects, with a secret of ${length} bytes`, () => {
      const secret = 'é'.repeat(length / 2) + 'x'.repeat(length % 2);
      const headers: string[] = [];
      signerOf(secret, () => 1_700_000_000_999)('PUT', '/v1/AUTH_a/b/c?d=e', headers);
      const text = 'PUT\n/v1/AUTH_a/b/c?d=e\n1700000000';
      const signature = createHmac('sha256', secret).update(text).digest('hex');
      const proof = ['x-gateway-time', '1700000000', 'x-gateway-signature', signature];
      expect(headers).to.deep.equal(proof);
    });
  }

  it('is none without a secret', () => {
    const headers: string[] = [];
    signerOf(undefined)('GET', '/', headers);
    expect(headers).to.deep.equal([]);
  });
});
