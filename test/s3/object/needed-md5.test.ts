import { expect } from 'chai';
import type { Capabilities } from '../../../src/backend/backend.js';
import { neededMd5 } from '../../../src/s3/object/put-object.js';

describe('neededMd5', () => {
  const of = (takesMd5: boolean, listingAttributes?: Readonly<Record<string, string>>) =>
    neededMd5({ capabilities: { takesMd5 } as Capabilities }, listingAttributes);

  it('is left to a store that takes it anyway', () => {
    expect(of(true)).to.equal('with_checksum');
    expect(of(true, {})).to.equal('with_checksum');
    expect(of(false)).to.equal('always');
  });

  it('is what listing attributes are shown beside', () => {
    expect(of(true, { 'storage-class': 'COLD' })).to.equal('always');
  });
});
