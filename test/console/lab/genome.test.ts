import { expect } from 'chai';
import {
  sampleRing,
  WeightEvaluation,
  type EvaluationOptions,
} from '../../../console/surfaces/lab/genome/evaluation.js';
import {
  dominates,
  kneeOf,
  nonDominatedFronts,
  nsga2,
} from '../../../console/surfaces/lab/genome/nsga2.js';
import { searchWeights, type GenomeOptions } from '../../../console/surfaces/lab/genome/search.js';
import { presentDevices } from '../../../src/ring/device.js';
import type { RingData } from '../../../src/ring/ring-data.js';
import { builtRing } from './support.js';

const EVALUATION: EvaluationOptions = {
  overload: 0,
  seed: 7,
  faults: { device: 0, server: 1, zone: 0, pair: 0 },
  writeQuorum: 2,
};
const SEARCH: GenomeOptions = {
  ...EVALUATION,
  faults: { device: 0.4, server: 0.3, zone: 0.2, pair: 0.1 },
  population: 12,
  generations: 6,
  lowerFactor: 0.25,
  upperFactor: 4,
};

/** The mean share of partitions without a quorum, over the losses of each domain: counted plainly. */
function unavailability(
  ring: RingData,
  keyOf: (device: { zone: number; ip: string; id: number }) => string,
): number {
  const devices = presentDevices(ring.devices);
  const keys = [...new Set(devices.map(keyOf))];
  const lost = keys.map((key) => {
    const away = new Set(devices.filter((one) => keyOf(one) === key).map(({ id }) => id));
    let blocked = 0;
    for (let part = 0; part < 2 ** ring.partPower; part++) {
      const alive = ring.rows.filter((row) => !away.has(row[part] ?? -1)).length;
      if (alive < 2) blocked++;
    }
    return blocked / 2 ** ring.partPower;
  });
  return lost.reduce((sum, value) => sum + value, 0) / keys.length;
}

function searched(ring: RingData, options: GenomeOptions) {
  const search = searchWeights(ring, options);
  const fronts = [];
  let step = search.next();
  while (step.done !== true) {
    fronts.push(step.value.front);
    step = search.next();
  }
  return { fronts, result: step.value };
}

/** The length of the largest array of numbers that some work makes. */
function largestArray(work: () => unknown): number {
  let largest = 0;
  const original = globalThis.Uint32Array;
  globalThis.Uint32Array = new Proxy(original, {
    construct(target, given: unknown[]) {
      const made = Reflect.construct(target, given) as Uint32Array;
      largest = Math.max(largest, made.length);
      return made;
    },
  });
  try {
    work();
  } finally {
    globalThis.Uint32Array = original;
  }
  return largest;
}

describe('the evaluation of device weights', () => {
  // Two zones: some partitions have two of three replicas in one.
  const ring = builtRing({ zones: 2, devicesPerZone: 4, weights: [100, 50, 200] });

  it('counts what each domain blocks as a plain count does', () => {
    const domains = [
      [{ server: 1 }, ({ ip }: { ip: string }) => ip],
      [{ zone: 1 }, ({ zone }: { zone: number }) => String(zone)],
      [{ device: 1 }, ({ id }: { id: number }) => String(id)],
    ] as const;
    for (const [faults, keyOf] of domains) {
      const none = { device: 0, server: 0, zone: 0, pair: 0 };
      const options = { ...EVALUATION, faults: { ...none, ...faults } };
      const evaluation = new WeightEvaluation(ring, options);
      const [, found] = evaluation.evaluate(evaluation.currentWeights).values;
      expect(found, Object.keys(faults)[0]).to.be.closeTo(unavailability(ring, keyOf), 1e-12);
    }
  });

  it('finds that the current weights move nothing, and others do', () => {
    const evaluation = new WeightEvaluation(ring, EVALUATION);
    const { values, moved } = evaluation.evaluate(evaluation.currentWeights);
    expect([values[0], moved]).to.deep.equal([0, 0]);
    const other = evaluation.currentWeights.map((weight, place) =>
      place === 1 ? 4 * weight : weight,
    );
    const changed = evaluation.evaluate(other);
    expect(changed.moved).to.be.greaterThan(0);
    expect(changed.values[0]).to.equal(changed.moved / (3 * 64));
    expect(changed.partCounts.reduce((sum, count) => sum + count, 0)).to.equal(3 * 64);
  });

  it('judges a ring whose ids have large gaps as the same one without, and takes no more', () => {
    const step = 500;
    const { devices, rows, partCounts } = ring;
    const counts = new Uint32Array(step * devices.length);
    const sparse = Array.from<RingData['devices'][number]>({ length: counts.length }).fill(null);
    for (const device of presentDevices(devices)) {
      const id = step * device.id;
      sparse[id] = { ...device, id };
      counts[id] = partCounts[device.id] ?? 0;
    }
    const spread = {
      ...{ ...ring, devices: sparse, partCounts: counts },
      rows: rows.map((row) => row.map((id) => step * id)),
    };
    const faults = { device: 0, server: 0, zone: 0, pair: 1 };
    const valuesOf = (one: RingData) => {
      const evaluation = new WeightEvaluation(one, { ...EVALUATION, faults });
      return evaluation.evaluate(evaluation.currentWeights).values;
    };
    const wanted = valuesOf(ring);
    // A table of all pairs of ids has the square of their number.
    expect(largestArray(() => expect(valuesOf(spread)).to.deep.equal(wanted))).to.be.most(
      counts.length,
    );
  });

  it('looks at every so many partitions of a large ring', () => {
    const large = builtRing({ partPower: 8 });
    const small = sampleRing(large, 6);
    expect(small.rows.map((row) => row.length)).to.deep.equal([64, 64, 64]);
    expect(small.rows[1]?.[5]).to.equal(large.rows[1]?.[20]);
    expect(sampleRing(large, 8)).to.equal(large);
  });
});

describe('NSGA-II', () => {
  it('sorts solutions into fronts', () => {
    expect(dominates([1, 1], [1, 2])).to.equal(true);
    expect(dominates([1, 1], [1, 1])).to.equal(false);
    expect(
      nonDominatedFronts([
        [0, 2],
        [2, 0],
        [1, 1],
        [2, 2],
        [3, 3],
      ]),
    ).to.deep.equal([[0, 1, 2], [3], [4]]);
    expect(
      kneeOf([
        [0, 10],
        [1, 1],
        [10, 0],
      ]),
    ).to.equal(1);
  });

  it('comes near a front that is known', () => {
    // Zitzler, Deb and Thiele's first problem: the front is 1 - sqrt(x) where all other genes are 0.
    const size = 6;
    const generations = [
      ...nsga2({
        start: new Float64Array(size).fill(0.5),
        lower: new Float64Array(size),
        upper: new Float64Array(size).fill(1),
        population: 40,
        generations: 60,
        seed: 3,
        evaluate: (genes) => {
          const [first = 0, ...rest] = genes;
          const g = 1 + (9 * rest.reduce((sum, gene) => sum + gene, 0)) / rest.length;
          return { values: [first, g * (1 - Math.sqrt(first / g))], info: undefined };
        },
      }),
    ];
    const front = generations.at(-1)?.front ?? [];
    expect(generations).to.have.length(61);
    expect(front.length).to.be.greaterThan(15);
    for (const { values } of front) {
      const [x = 0, y = 0] = values;
      expect(y - (1 - Math.sqrt(x))).to.be.lessThan(0.15);
    }
    const xs = front.map(({ values }) => values[0] ?? 0);
    expect(Math.max(...xs) - Math.min(...xs)).to.be.greaterThan(0.6);
  });
});

describe('a search for weights', function () {
  this.timeout(60_000);
  // Device 0 has a tenth of the weight that its neighbours have: capacity is not what it searches.
  const ring = builtRing({ partPower: 5, zones: 3, devicesPerZone: 2 });

  it('has the same front for the same seed, and another for another', () => {
    const [one, two] = [searched(ring, SEARCH), searched(ring, SEARCH)];
    expect(one.result).to.deep.equal(two.result);
    expect(searched(ring, { ...SEARCH, seed: 8 }).result.front).to.not.deep.equal(one.result.front);
    expect(one.fronts).to.have.length(7);
  });

  it('dominates no candidate of the front by another, nor the baseline by its own copy', () => {
    const { result } = searched(ring, SEARCH);
    for (const { f } of result.front) {
      expect(result.front.some((other) => dominates(other.f, f))).to.equal(false);
      expect(dominates(result.baseline.f, f)).to.equal(false);
    }
    expect(result.front.filter(({ is_knee }) => is_knee)).to.have.length(1);
    expect(result.baseline.metrics.moved_parts).to.equal(0);
  });

  it('finds what is obviously better: a zone that is too heavy for its neighbours', () => {
    // Partitions by weight: the heavy device cannot have more than one replica of each, and the
    // others are filled to their weights, which wastes most of its capacity.
    const heavy = builtRing({ zones: 3, devicesPerZone: 2, weights: [100, 100, 100, 100, 20, 20] });
    const { result } = searched(heavy, {
      ...SEARCH,
      faults: { device: 0, server: 0, zone: 1, pair: 0 },
      overload: 0,
      population: 20,
      generations: 12,
    });
    const least = Math.min(...result.front.map(({ metrics }) => 1 - metrics.availability));
    expect(1 - result.baseline.metrics.availability).to.be.greaterThan(0.1);
    expect(least).to.be.lessThan((1 - result.baseline.metrics.availability) / 2);
  });
});
