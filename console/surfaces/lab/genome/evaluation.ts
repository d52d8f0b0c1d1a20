import { presentDevices } from '../../../../src/ring/device.js';
import { rebalance } from '../../../../src/ring/builder/rebalance.js';
import { builderFromRing, changeBuilder } from '../../../../src/ring/builder/state.js';
import { SeededRandom } from '../../../../src/ring/builder/random.js';
import {
  countParts,
  replicaCount,
  type RingData,
  type Row,
} from '../../../../src/ring/ring-data.js';
import { RingBuildError } from '../../../../src/ring/ring-error.js';
import { DOMAINS, numberDomains, type NumberedDomains } from '../policies/domain-loss.js';

/** How much each kind of fault counts in the availability; they are made to add up to 1. */
export interface FaultWeights {
  readonly device: number;
  readonly server: number;
  readonly zone: number;
  /** Two devices at once. */
  readonly pair: number;
}

export interface EvaluationOptions {
  readonly overload: number;
  readonly seed: number;
  readonly faults: FaultWeights;
  /** How many members of a partition a write needs. */
  readonly writeQuorum: number;
}

/** Objectives in this order, each from 0, where less is better. */
export const OBJECTIVES = ['migration', 'unavailability', 'waste', 'repair'] as const;

/** One set of weights, and what a ring with them would be worth. */
export interface Evaluation {
  /** Values in the order of {@link OBJECTIVES}. */
  readonly values: readonly number[];
  /** Part-replicas that would be copied. */
  readonly moved: number;
  /** Part-replicas by device id. */
  readonly partCounts: readonly number[];
}

/** Pairs of devices that fail together: drawn once, so that all candidates are judged by the same. */
const PAIRS = 20;

/**
 * Judges device weights by the ring that the builder would make of them, under simulated faults.
 * It never writes a ring.
 */
export class WeightEvaluation {
  /** The devices whose weights are searched: those that have one, by id in ascending order. */
  readonly deviceIds: readonly number[];
  readonly currentWeights: readonly number[];
  readonly #ring: RingData;
  /** Places of devices in tables of pairs, by id: the ids of a ring that lost devices have gaps. */
  readonly #places: Int32Array;
  readonly #placeCount: number;
  readonly #pairs: readonly (readonly [number, number])[];
  readonly #servers: NumberedDomains;
  readonly #zones: NumberedDomains;

  /**
   * @param ring - with at most as many partitions as evaluations have time for: see `sampleRing`
   * @throws RingBuildError for a ring without weights
   */
  constructor(
    ring: RingData,
    private readonly options: EvaluationOptions,
  ) {
    this.#ring = ring;
    const present = presentDevices(ring.devices);
    this.#places = new Int32Array(ring.devices.length);
    for (const [place, { id }] of present.entries()) this.#places[id] = place;
    this.#placeCount = present.length;
    const weighted = present.filter(({ weight }) => weight > 0);
    if (weighted.length < 2) throw new RingBuildError('the ring has no two devices with a weight');
    this.deviceIds = weighted.map(({ id }) => id);
    this.currentWeights = weighted.map(({ weight }) => weight);
    const random = new SeededRandom(options.seed);
    this.#pairs = Array.from({ length: PAIRS }, () => {
      const first = random.integer(weighted.length);
      const second = (first + 1 + random.integer(weighted.length - 1)) % weighted.length;
      return [this.deviceIds[first] ?? 0, this.deviceIds[second] ?? 0] as const;
    });
    const size = ring.devices.length;
    this.#servers = numberDomains(size, present, DOMAINS.server.nameOf);
    this.#zones = numberDomains(size, present, DOMAINS.zone.nameOf);
  }

  /** @param weights - in the order of {@link deviceIds} */
  evaluate(weights: ArrayLike<number>): Evaluation {
    const { overload, seed } = this.options;
    const before = builderFromRing(this.#ring, { minPartHours: 0, overload });
    const changes = this.deviceIds.flatMap((id, index) => {
      const weight = weights[index] ?? 0;
      if (weight === this.currentWeights[index]) return [];
      return [{ kind: 'set' as const, id, to: { weight } }];
    });
    if (changes.length === 0) return this.#judge(this.#ring.rows, 0);
    const { state, moved } = rebalance(changeBuilder(before, changes), { seed, nowS: 0 });
    return this.#judge(state.rows, moved);
  }

  #judge(rows: readonly Row[], moved: number): Evaluation {
    const { devices, partPower } = this.#ring;
    const parts = 2 ** partPower;
    const partCounts = countsOf(rows, devices);
    const { shared, lostByServer, lostByZone } = this.#faults(rows);
    const total = parts * replicaCount(rows);
    return {
      values: [
        moved / total,
        this.#unavailability(parts, partCounts, shared, lostByServer, lostByZone),
        this.#waste(partCounts),
        maximum(shared) / parts,
      ],
      moved,
      partCounts: [...partCounts],
    };
  }

  /** Counts, for each pair of devices, the partitions that both have, and what a domain's loss blocks. */
  #faults(rows: readonly Row[]) {
    const shared = new Uint32Array(this.#placeCount * this.#placeCount);
    const { numbers: serverOf, count: servers } = this.#servers;
    const { numbers: zoneOf, count: zones } = this.#zones;
    const lostByServer = new Uint32Array(servers);
    const lostByZone = new Uint32Array(zones);
    const inServer = new Uint16Array(servers);
    const inZone = new Uint16Array(zones);
    const holders = new Int32Array(rows.length);
    for (let part = 0; part < 2 ** this.#ring.partPower; part++) {
      let count = 0;
      for (const row of rows) {
        const id = row[part];
        if (id !== undefined) holders[count++] = id;
      }
      const spare = count - this.options.writeQuorum;
      for (let index = 0; index < count; index++) {
        const id = holders[index] ?? 0;
        for (let other = 0; other < index; other++) {
          const place = this.#pairPlace(id, holders[other] ?? 0);
          shared[place] = (shared[place] ?? 0) + 1;
        }
        countLoss(inServer, lostByServer, serverOf[id] ?? 0, spare);
        countLoss(inZone, lostByZone, zoneOf[id] ?? 0, spare);
      }
      for (let index = 0; index < count; index++) {
        const id = holders[index] ?? 0;
        inServer[serverOf[id] ?? 0] = 0;
        inZone[zoneOf[id] ?? 0] = 0;
      }
    }
    return { shared, lostByServer, lostByZone };
  }

  /** Where the table of pairs has two devices, by their ids in any order. */
  #pairPlace(one: number, other: number): number {
    const [a, b] = [this.#places[one] ?? 0, this.#places[other] ?? 0];
    return Math.min(a, b) * this.#placeCount + Math.max(a, b);
  }

  /** The mean share of partitions that have no write quorum, over the faults. */
  #unavailability(
    parts: number,
    partCounts: Uint32Array,
    shared: Uint32Array,
    lostByServer: Uint32Array,
    lostByZone: Uint32Array,
  ): number {
    const { faults, writeQuorum } = this.options;
    const spare = Math.ceil(replicaCount(this.#ring.rows)) - writeQuorum;
    const lostByDevice = this.deviceIds.map((id) => (spare < 1 ? (partCounts[id] ?? 0) : 0));
    const lostByPair = this.#pairs.map(([one, other]) => {
      const both = shared[this.#pairPlace(one, other)] ?? 0;
      if (spare >= 2) return 0;
      return spare === 1 ? both : (partCounts[one] ?? 0) + (partCounts[other] ?? 0) - both;
    });
    const sum = faults.device + faults.server + faults.zone + faults.pair;
    return (
      (faults.device * mean(lostByDevice) +
        faults.server * mean([...lostByServer]) +
        faults.zone * mean([...lostByZone]) +
        faults.pair * mean(lostByPair)) /
      (sum * parts)
    );
  }

  /** The share of the capacity that is of no use, since the fullest device is full before. */
  #waste(partCounts: Uint32Array): number {
    let least = Infinity;
    let allParts = 0;
    let capacity = 0;
    for (const [index, id] of this.deviceIds.entries()) {
      const parts = partCounts[id] ?? 0;
      const own = this.currentWeights[index] ?? 0;
      allParts += parts;
      capacity += own;
      if (parts > 0) least = Math.min(least, own / parts);
    }
    return least === Infinity ? 1 : Math.max(0, 1 - (least * allParts) / capacity);
  }
}

/** A fault of the domain blocks writes once it takes more members than there are to spare. */
function countLoss(held: Uint16Array, lost: Uint32Array, domain: number, spare: number): void {
  const count = (held[domain] ?? 0) + 1;
  held[domain] = count;
  if (count === spare + 1) lost[domain] = (lost[domain] ?? 0) + 1;
}

/**
 * A ring with fewer partitions: every so many of them, so that each evaluation takes less time.
 * @returns the ring itself where it is small enough
 */
export function sampleRing(ring: RingData, partPowerMax: number): RingData {
  const { partPower } = ring;
  if (partPower <= partPowerMax) return ring;
  const step = 2 ** (partPower - partPowerMax);
  const rows = ring.rows.map((row) =>
    Uint32Array.from({ length: Math.floor(row.length / step) }, (_, part) => row[part * step] ?? 0),
  );
  return { ...ring, partPower: partPowerMax, rows, partCounts: countsOf(rows, ring.devices) };
}

/** Counts part-replicas by device in one go: the thread has no other work. */
function countsOf(rows: readonly Row[], devices: RingData['devices']): Uint32Array {
  const counting = countParts(rows, devices, (id) => new RingBuildError(`no device ${id}`));
  let step = counting.next();
  while (step.done !== true) step = counting.next();
  return step.value;
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

function maximum(values: Uint32Array): number {
  let most = 0;
  for (const value of values) if (value > most) most = value;
  return most;
}
