import { hash } from 'node:crypto';
import type { Device } from './device.js';
import { replicaCount, type RingData } from './ring-data.js';

/** Failure domains, the widest first; two devices of one domain may fail together. */
const LEVELS = ['region', 'zone', 'server', 'device'] as const;
const SCAN_STEPS_MAX = 65_536;

/**
 * The placement of objects in a cluster. It answers like `swift.common.ring.Ring`, in the same
 * order, from tables that are made once.
 */
export class Ring {
  /** There are 2 ** partPower partitions. */
  readonly partPower: number;
  readonly partitionCount: number;
  /** Need not be a whole number. */
  readonly replicas: number;

  /**
   * For each level, the number of each device's domain, by device id; -1 for a device without
   * parts.
   */
  readonly #domains: readonly Int32Array[];
  /** For each level, how many domains have partitions. */
  readonly #domainCounts: readonly number[];

  constructor(readonly data: RingData) {
    this.partPower = data.partPower;
    this.partitionCount = 2 ** data.partPower;
    this.replicas = replicaCount(data.rows);
    const numbering = numberDomains(data);
    this.#domains = numbering.map(({ domains }) => domains);
    this.#domainCounts = numbering.map(({ count }) => count);
  }

  /** @param pathHash - hexadecimal, of a {@link PathHash} */
  partition(pathHash: string): number {
    return this.#partitionOf(Number.parseInt(pathHash.slice(0, 8), 16));
  }

  /**
   * The devices that are to have a partition. A device that has several replicas of it is there
   * once. Their places are Swift's `index`; of an erasure-coded policy, that of the fragment.
   */
  primaries(partition: number): Device[] {
    const { devices, rows } = this.data;
    const primaries: Device[] = [];
    for (const row of rows) {
      const id = row[partition];
      const device = id === undefined ? undefined : devices[id];
      // A handful of devices: looking through them is faster than a set.
      if (device && !primaries.includes(device)) primaries.push(device);
    }
    return primaries;
  }

  /**
   * The devices that stand in for primaries, best first, one after the other as they are asked
   * for: those of regions that have no replica yet, then of zones, of servers, then all others that
   * have partitions.
   */
  *handoffs(partition: number): Generator<Device, undefined> {
    const seen = this.#domainCounts.map((count) => new Seen(count));
    const see = (id: number): void => {
      for (const [level, domains] of this.#domains.entries()) seen[level]?.add(domains[id] ?? -1);
    };
    for (const primary of this.primaries(partition)) see(primary.id);

    const { devices, rows } = this.data;
    for (const level of LEVELS.keys()) {
      const domains = this.#domains[level];
      const ofLevel = seen[level];
      if (domains === undefined || ofLevel === undefined) continue;
      const scan = this.#scan(partition);
      for (let part = scan.next(); part !== -1 && !ofLevel.isFull(); part = scan.next()) {
        for (const row of rows) {
          const id = row[part];
          if (id === undefined || ofLevel.has(domains[id] ?? -1)) continue;
          see(id);
          const device = devices[id];
          if (device) yield device;
          if (ofLevel.isFull()) break;
        }
      }
    }
  }

  /** Starts at a partition that looks random but is always the same for this one. */
  #scan(partition: number): Scan {
    const digest = hash('md5', String(partition), 'hex');
    return new Scan(
      this.#partitionOf(Number.parseInt(digest.slice(0, 8), 16)),
      this.partitionCount,
    );
  }

  #partitionOf(word: number): number {
    // A shift by all 32 bits would be none.
    return this.partPower === 0 ? 0 : word >>> (32 - this.partPower);
  }
}

/**
 * Partitions from a first one, round to it again, in steps of more than one where there are many.
 * Like in Swift, the second round leaves out the partitions in front of the first step.
 */
class Scan {
  readonly #step: number;
  #part: number;
  #hasComeRound = false;

  constructor(
    readonly start: number,
    readonly count: number,
  ) {
    this.#step = Math.max(1, Math.floor(count / SCAN_STEPS_MAX));
    this.#part = start - this.#step;
  }

  /** @returns -1 after the last */
  next(): number {
    this.#part += this.#step;
    if (!this.#hasComeRound && this.#part >= this.count) {
      this.#hasComeRound = true;
      this.#part = this.#step - ((this.count - this.start) % this.#step);
    }
    return this.#hasComeRound && this.#part >= this.start ? -1 : this.#part;
  }
}

/** Numbers from 0 up to a count, of which some were seen. */
class Seen {
  readonly #seen: Uint8Array;
  #left: number;

  constructor(count: number) {
    this.#seen = new Uint8Array(count);
    this.#left = count;
  }

  isFull(): boolean {
    return this.#left === 0;
  }

  has(number: number): boolean {
    return this.#seen[number] === 1;
  }

  add(number: number): void {
    if (number < 0 || this.#seen[number] === 1) return;
    this.#seen[number] = 1;
    this.#left--;
  }
}

interface Numbering {
  readonly domains: Int32Array;
  readonly count: number;
}

/** For each level, a number for each domain that has partitions. */
function numberDomains({ devices, partCounts }: RingData): Numbering[] {
  return LEVELS.map((_, level) => {
    const domains = new Int32Array(devices.length).fill(-1);
    const numbers = new Map<string, number>();
    for (const device of devices) {
      if (device === null || partCounts[device.id] === 0) continue;
      const key = tierOf(device)
        .slice(0, level + 1)
        .join('/');
      const number = numbers.get(key) ?? numbers.size;
      numbers.set(key, number);
      domains[device.id] = number;
    }
    return { domains, count: numbers.size };
  });
}

/** The domains that a device is in, the widest first: those of Swift's tiers_for_dev. */
export function tierOf({ region, zone, ip, id }: Device): [number, number, string, number] {
  return [region, zone, ip, id];
}
