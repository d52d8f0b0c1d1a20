import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import { planParts, planReplicas } from '../../src/ring/replica-plan.js';
import { RingBuildError } from '../../src/ring/ring-error.js';
import { unpackRing } from '../../src/ring/ring-file.js';
import { deviceBalances, ringBalance, ringDispersion } from '../../src/ring/ring-health.js';
import { tierName, tierTree, type TierTree } from '../../src/ring/tier-tree.js';
import { describeWith, pythonModule } from '../support/needs.js';
import { mustRun } from '../support/programs.js';
import { goldenJson, PYTHON } from './support.js';

const RINGS = process.env.RINGWAY_LARGE === '1' ? 2000 : 400;
const SEED = 1;
const TOLERANCE = 1e-9;

/** By the path of a tier, with slashes. */
type ByTier = Readonly<Record<string, number>>;

interface Answer {
  /** The file, in base64. */
  readonly ring: string;
  readonly replicas: number;
  readonly overload: number;
  /** The name of Python's exception, where Swift cannot plan. */
  readonly plan:
    | string
    | {
        readonly weighted: ByTier;
        readonly wanted: ByTier;
        readonly target: ByTier;
        readonly requiredOverload: number;
        readonly partsWanted: Readonly<Record<string, number>>;
      };
  readonly balance: number | null;
  readonly balances: Readonly<Record<string, number>> | null;
  readonly dispersion: number;
  readonly tiers: Readonly<Record<string, readonly [number, readonly number[], number]>>;
}

function expectTiers(tree: TierTree, values: Float64Array, expected: ByTier, where: string): void {
  for (const { number, path } of tree.tiers) {
    const name = path.join('/');
    const value = expected[name] ?? 0;
    // An assertion for each of some hundred thousand numbers takes longer than all the rest.
    if (Math.abs((values[number] ?? NaN) - value) <= TOLERANCE) continue;
    expect(values[number], `${where}, ${name}`).to.be.closeTo(value, TOLERANCE);
  }
}

describeWith(
  [pythonModule('swift.common.ring')],
  'plans and health as Swift has them',
  function () {
    this.timeout(240_000);
    let answers: readonly Answer[];

    before(async () => {
      const args = [join(PYTHON, 'plans.py'), String(RINGS), String(SEED)];
      const { stdout } = await mustRun('python3', args);
      answers = stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Answer);
      expect(answers).to.have.length(RINGS);
    });

    it('plan the same replicas, parts and overload', async () => {
      let refused = 0;
      for (const [index, { ring, plan: expected, replicas, overload }] of answers.entries()) {
        const where = `ring ${index} of seed ${SEED}`;
        const { data } = await unpackRing(Buffer.from(ring, 'base64'));
        const tree = tierTree(data.devices);
        if (typeof expected === 'string') {
          const act = (): unknown => planReplicas(tree, data.devices, replicas, overload);
          expect(act, where).to.throw(RingBuildError);
          refused++;
          continue;
        }
        const plan = planReplicas(tree, data.devices, replicas, overload);
        const { weighted, wanted, target, requiredOverload } = plan;
        expectTiers(tree, weighted, expected.weighted, `${where}, weighted`);
        expectTiers(tree, wanted, expected.wanted, `${where}, wanted`);
        expectTiers(tree, target, expected.target, `${where}, target`);
        expect(requiredOverload, where).to.be.closeTo(expected.requiredOverload, TOLERANCE);
        const parts = planParts(tree, plan, 2 ** data.partPower, replicas);
        for (const [id, more] of Object.entries(expected.partsWanted)) {
          const own = data.partCounts[Number(id)] ?? 0;
          const number = tree.tiersOf[Number(id)]?.at(-1) ?? -1;
          expect((parts[number] ?? 0) - own, `${where}, device ${id}`).to.equal(more);
        }
      }
      expect(refused).to.be.within(1, RINGS / 10);
    });

    it('have the same balance and dispersion', async () => {
      for (const [index, answer] of answers.entries()) {
        const where = `ring ${index} of seed ${SEED}`;
        const { data } = await unpackRing(Buffer.from(answer.ring, 'base64'));
        const ring = { ...data, replicas: answer.replicas };
        if (answer.balance !== null) {
          expect(ringBalance(ring), where).to.be.closeTo(answer.balance, TOLERANCE);
          for (const { id, balance } of deviceBalances(ring)) {
            expect(balance, where).to.be.closeTo(answer.balances?.[id] ?? NaN, TOLERANCE);
          }
        }
        const { dispersion, tiers } = ringDispersion(ring);
        expect(dispersion, where).to.be.closeTo(answer.dispersion, TOLERANCE);
        const found = Object.fromEntries(
          tiers.map(({ tier, maxReplicas, histogram, dispersion: own }) => [
            tierName(tier, data.devices),
            [maxReplicas, histogram, own],
          ]),
        );
        // chai takes long to find two objects equal.
        if (!isDeepStrictEqual(found, answer.tiers))
          expect(found, where).to.deep.equal(answer.tiers);
      }
    });
  },
);

/** A ring, new weights, and what Swift planned for them. */
interface GoldenPlan {
  readonly pp: number;
  readonly rep: number;
  readonly ol: number;
  readonly devs: readonly { readonly id: number; readonly weight: number }[];
  readonly w2: Readonly<Record<string, number>>;
  readonly plan: ByTier;
  readonly wt: ByTier;
  readonly wa: ByTier;
  readonly mo: number;
}

describe('golden plans', () => {
  it('are those of Swift', async () => {
    const cases = (await goldenJson('bal')) as readonly GoldenPlan[];
    for (const [index, golden] of cases.entries()) {
      const devices = golden.devs.map((device) => ({
        ...device,
        weight: golden.w2[device.id] ?? device.weight,
      })) as never;
      const tree = tierTree(devices);
      const plan = planReplicas(tree, devices, golden.rep, golden.ol);
      expectTiers(tree, plan.weighted, golden.wt, `case ${index}, weighted`);
      expectTiers(tree, plan.wanted, golden.wa, `case ${index}, wanted`);
      expectTiers(tree, plan.target, golden.plan, `case ${index}, target`);
      expect(plan.requiredOverload).to.be.closeTo(golden.mo, TOLERANCE);
    }
    expect(cases).to.have.length(60);
  });
});
