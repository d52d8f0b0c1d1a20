import { expect } from 'chai';
import { isVersionId } from '../../../src/s3/rules/version-id.js';
import { VersionIds } from '../../../src/s3/versions/version-entry.js';

describe('s3/versions/version-ids', () => {
  it('mints ids that descend, also when the clock stands or is set back', () => {
    const times = [1000, 1000, 999, 2000, 1500];
    const ids = new VersionIds(() => times.shift() ?? 0);
    const minted = Array.from({ length: 5 }, () => ids.mint());
    expect(minted.every(isVersionId)).to.equal(true);
    expect(minted).to.deep.equal([...minted].sort().reverse());
    expect(new Set(minted).size).to.equal(5);
  });

  it('begins with the inverted time in microseconds', () => {
    const ids = new VersionIds(() => 1_700_000_000_000);
    const time = 0xffff_ffff_ffff_ffffn - 1_700_000_000_000_000n;
    expect(ids.mint().slice(0, 16)).to.equal(time.toString(16));
    expect(ids.mintFor(1_700_000_000_000).slice(0, 16)).to.equal(time.toString(16));
  });

  it('keeps two processes apart', () => {
    const now = (): number => 1_700_000_000_000;
    expect(new VersionIds(now).mint()).not.to.equal(new VersionIds(now).mint());
  });
});
