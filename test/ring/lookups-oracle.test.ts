import { join } from 'node:path';
import { expect } from 'chai';
import { PathHash } from '../../src/ring/path-hash.js';
import { replicaCount } from '../../src/ring/ring-data.js';
import { Ring } from '../../src/ring/ring.js';
import { unpackRing } from '../../src/ring/ring-file.js';
import { describeWith, pythonModule } from '../support/needs.js';
import { mustRun } from '../support/programs.js';
import { PYTHON } from './support.js';

const RINGS = process.env.RINGWAY_LARGE === '1' ? 1500 : 300;
const SEED = 1;
/** So many of them have so many names looked up. */
const NAMED_RINGS = 12;
const NAMES = 500;
const SALT = { prefix: Buffer.from('pr\xe9', 'latin1'), suffix: Buffer.from('suffix') };

interface Answer {
  /** The file, in base64. */
  readonly ring: string;
  readonly md5: string;
  readonly replicas: number;
  readonly version: number | null;
  readonly nextPartPower: number | null;
  readonly lookups: readonly (readonly [part: number, primaries: number[], handoffs: number[]])[];
  readonly places: readonly (readonly [
    path: [string, string, string],
    part: number,
    hash: string,
    primaries: number[],
    handoffs: number[],
  ])[];
  readonly names: readonly (readonly [
    path: [string, string?, string?],
    part: number,
    hash: string,
  ])[];
}

describeWith([pythonModule('swift.common.ring')], 'rings that Swift wrote', function () {
  this.timeout(240_000);
  let answers: readonly Answer[];

  before(async () => {
    const numbers = [RINGS, SEED, NAMED_RINGS, NAMES].map(String);
    const args = [join(PYTHON, 'lookups.py'), ...numbers];
    const { stdout } = await mustRun('python3', args);
    answers = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Answer);
    expect(answers).to.have.length(RINGS);
  });

  it('have names where swift-get-nodes says', async () => {
    const paths = new PathHash(SALT);
    let looked = 0;
    for (const [index, answer] of answers.slice(0, NAMED_RINGS).entries()) {
      const ring = new Ring((await unpackRing(Buffer.from(answer.ring, 'base64'))).data);
      for (const [path, part, hash, primaries, handoffs] of answer.places) {
        const where = `ring ${index} of seed ${SEED}, ${path.join('/')}`;
        const ours = [paths.hex(...path), ring.partition(hash), idsOf(ring.primaries(part))];
        expect(ours, where).to.deep.equal([hash, part, primaries]);
        const next = idsOf(ring.handoffs(part)).slice(0, primaries.length);
        expect(next, where).to.deep.equal(handoffs);
        looked += 1;
      }
    }
    expect(looked).to.equal(NAMED_RINGS * NAMES);
  });

  it('are read and looked up as Swift does', async () => {
    const paths = new PathHash(SALT);
    for (const [index, answer] of answers.entries()) {
      const where = `ring ${index} of seed ${SEED}`;
      const { data, md5 } = await unpackRing(Buffer.from(answer.ring, 'base64'));
      const ring = new Ring(data);
      expect(md5, where).to.equal(answer.md5);
      expect(replicaCount(data.rows), where).to.equal(answer.replicas);
      expect(data.version ?? null, where).to.equal(answer.version);
      expect(data.nextPartPower ?? null, where).to.equal(answer.nextPartPower);
      for (const [part, primaries, handoffs] of answer.lookups) {
        expect(idsOf(ring.primaries(part)), where).to.deep.equal(primaries);
        expect(idsOf(ring.handoffs(part)), `${where}, part ${part}`).to.deep.equal(handoffs);
      }
      for (const [path, part, hash] of answer.names) {
        expect(paths.hex(...path)).to.equal(hash);
        expect(ring.partition(hash), where).to.equal(part);
      }
    }
  });
});

function idsOf(devices: Iterable<{ readonly id: number }>): number[] {
  return Array.from(devices, ({ id }) => id);
}
