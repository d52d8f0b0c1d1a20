import { expect } from 'chai';
import { PathHash } from '../../src/ring/path-hash.js';
import { Ring } from '../../src/ring/ring.js';
import { unpackRing } from '../../src/ring/ring-file.js';
import { useOnce } from '../support/fixture.js';
import { goldenFile, goldenJson } from './support.js';

/** Swift's answers on a ring: partitions with primaries and handoffs, names with partitions. */
interface Expected {
  readonly f: string;
  readonly q: readonly (readonly [part: number, primaries: number[], handoffs: number[]])[];
  readonly names: readonly (readonly [
    path: readonly [string, string | null, string | null],
    part: number,
  ])[];
}

const SALT = { prefix: Buffer.from('labprefix'), suffix: Buffer.from('labsuffix') };

describe('golden rings', () => {
  const expected = useOnce(async () => (await goldenJson('expect')) as readonly Expected[]);

  const load = async (name: string): Promise<Ring> =>
    new Ring((await unpackRing(await goldenFile(name))).data);

  it('have primaries and handoffs in the order of Swift', async () => {
    let lookups = 0;
    for (const { f, q } of expected()) {
      const ring = await load(f);
      for (const [part, primaries, handoffs] of q) {
        const where = `${f}, partition ${part}`;
        expect(
          ring.primaries(part).map(({ id }) => id),
          where,
        ).to.deep.equal(primaries);
        const found = [...ring.handoffs(part)].map(({ id }) => id);
        expect(found, where).to.deep.equal(handoffs);
        lookups++;
      }
    }
    expect(lookups).to.equal(1440);
  });

  it('have names in the partitions of Swift', async () => {
    const paths = new PathHash(SALT);
    for (const { f, names } of expected()) {
      const ring = await load(f);
      for (const [[account, container, object], part] of names) {
        const hash = paths.hex(account, container ?? undefined, object ?? undefined);
        expect(ring.partition(hash), `${f}, ${account}/${container}/${object}`).to.equal(part);
      }
    }
  });

  it('say the same in both formats', async () => {
    for (let n = 0; n < 12; n++) {
      const [one, two] = [await load(`r${n}.v1.ring.gz`), await load(`r${n}.v2.ring.gz`)];
      expect({ ...two.data, format: 1 }, `r${n}`).to.deep.equal(one.data);
      expect(two.data.format).to.equal(2);
    }
  });
});
