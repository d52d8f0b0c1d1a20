import { expect } from 'chai';
import fc from 'fast-check';
import { fillPage, type Page } from '../../../src/backend/swift/listings.js';

/** A page of the numbers behind a marker, and how many requests it took. */
async function page(
  total: number,
  limit: number,
  requestMax: number,
  marker = 0,
): Promise<Page<number> & { requests: number }> {
  let requests = 0;
  const numbers = Array.from({ length: total }, (_, i) => i + 1);
  const filled = await fillPage(
    limit,
    requestMax,
    String(marker),
    (from, wanted) => {
      requests++;
      expect(wanted).to.be.within(1, requestMax);
      const behind = numbers.filter((each) => each > Number(from));
      return Promise.resolve(behind.slice(0, wanted));
    },
    String,
  );
  return { ...filled, requests };
}

describe('swift: paging', () => {
  it('takes one request where the cluster gives one more than is wanted', async () => {
    const items = [1, 2, 3];
    expect(await page(3, 3, 10)).to.deep.equal({ items, truncated: false, requests: 1 });
    expect(await page(4, 3, 10)).to.deep.equal({ items, truncated: true, requests: 1 });
    expect(await page(4, 3, 3)).to.deep.equal({ items, truncated: true, requests: 2 });
    expect(await page(3, 3, 3)).to.deep.equal({ items, truncated: false, requests: 2 });
  });

  it('fills pages and says whether more follow, whatever the limits', async () => {
    const small = fc.integer({ min: 1, max: 12 });
    await fc.assert(
      fc.asyncProperty(fc.nat(30), small, small, fc.nat(30), async (total, limit, max, marker) => {
        const { items, truncated } = await page(total, limit, max, marker);
        const left = Math.max(0, total - marker);
        expect(items).to.deep.equal(
          Array.from({ length: Math.min(left, limit) }, (_, i) => marker + i + 1),
        );
        expect(truncated).to.equal(left > limit);
      }),
    );
  });
});
