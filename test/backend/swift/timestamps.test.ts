import { expect } from 'chai';
import fc from 'fast-check';
import { readListingTime, readTimestamp } from '../../../src/backend/swift/timestamps.js';

describe('swift: timestamps', () => {
  it('are whole milliseconds, floored, the same of a head and of a listing', () => {
    const units = fc.bigInt({ min: 0n, max: 400_000_000_000_000n });
    fc.assert(
      fc.property(units, (tens) => {
        const text = `${tens / 100_000n}.${(tens % 100_000n).toString().padStart(5, '0')}`;
        const milliseconds = Number(tens / 100n);
        expect(readTimestamp(text)).to.equal(milliseconds);
        expect(readTimestamp(`${text}_00000000000000ff`)).to.equal(milliseconds);
        const listed = new Date(milliseconds).toISOString().slice(0, -1);
        const microseconds = (tens % 100n).toString().padStart(2, '0');
        expect(readListingTime(`${listed}${microseconds}0`)).to.equal(milliseconds);
      }),
    );
  });

  it('are read as Swift writes them', () => {
    expect(readTimestamp('1795160050.29176')).to.equal(1_795_160_050_291);
    expect(readTimestamp('0000000001.00000')).to.equal(1000);
    expect(readListingTime('2026-11-20T07:34:10.291760')).to.equal(1_795_160_050_291);
    expect(readListingTime('2026-11-20T07:34:10.000000')).to.equal(1_795_160_050_000);
  });

  it('that are none are Corrupt', () => {
    for (const text of [undefined, '', 'x', '1.', '-1.00000', '1.00000x']) {
      expect(() => readTimestamp(text))
        .to.throw()
        .with.property('code', 'Corrupt');
    }
    expect(() => readListingTime('yesterday'))
      .to.throw()
      .with.property('code', 'Corrupt');
  });
});
