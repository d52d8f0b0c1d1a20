import { packBuilder } from '../../ring/builder/builder-file.js';
import { builderFromRing } from '../../ring/builder/state.js';
import { RingBuildError, RingFileError } from '../../ring/ring-error.js';
import { readRingFile } from '../../ring/ring-file.js';
import { replicaCount } from '../../ring/ring-data.js';
import { sha256 } from '../spec/canonical.js';
import { pointer, type SpecProblem } from '../spec/parse.js';
import type { Blobs } from './manifest.js';

/** The contents of a ring file, for the operator to compare. */
export interface ImportedRing {
  readonly name: string;
  readonly part_power: number;
  readonly replicas: number;
  readonly devices: number;
  readonly version: number | null;
  /** As `swift-recon --md5` shows it. */
  readonly md5: string;
}

export interface RingImport {
  readonly problems: readonly SpecProblem[];
  readonly rings: readonly ImportedRing[];
  /** Hashes of packed builders, by ring. */
  readonly builders: Readonly<Record<string, string>>;
  readonly blobs: Blobs;
}

const RING_NAME = /^(?:account|container|object(?:-[1-9]\d{0,3})?)$/;
const RINGS_MAX = 66;
const KEYS = new Set(['name', 'min_part_hours', 'overload']);
/** A ring of Swift's own sizes has a small part of it. */
const RING_BYTES_MAX = 128 * 1024 * 1024;

/** The facts that a ring file does not have, and that the operator has to give. */
interface RingWish {
  readonly name: string;
  readonly min_part_hours: number;
  readonly overload: number;
}

/**
 * Reads the rings of a cluster that exists. A ring file does not say `min_part_hours` and `overload`,
 * nor when partitions last moved: the first two are asked for, and all partitions count as movable.
 *
 * @param document - `{rings: [{name, min_part_hours, overload}]}`
 * @param fileOf - the path of a ring's file
 * @returns everything that is wrong, or the builders
 */
export async function importRings(
  document: Readonly<Record<string, unknown>>,
  fileOf: (ring: string) => string,
): Promise<RingImport> {
  const problems: SpecProblem[] = [];
  const wishes = wishesOf(document, problems);
  const rings: ImportedRing[] = [];
  const builders: Record<string, string> = {};
  const blobs: Blobs = new Map();
  for (const [at, wish] of wishes.entries()) {
    if (wish === undefined) continue;
    try {
      const { data, md5 } = await readRingFile(fileOf(wish.name), RING_BYTES_MAX);
      const options = { minPartHours: wish.min_part_hours, overload: wish.overload };
      const packed = packBuilder(builderFromRing(data, options));
      builders[wish.name] = sha256(packed);
      blobs.set(sha256(packed), packed);
      rings.push({
        name: wish.name,
        part_power: data.partPower,
        replicas: replicaCount(data.rows),
        devices: data.devices.filter((device) => device !== null).length,
        version: data.version ?? null,
        md5,
      });
    } catch (error) {
      if (!(error instanceof RingFileError || error instanceof RingBuildError)) throw error;
      const message = error instanceof RingFileError ? error.reason : error.message;
      const path = pointer(['rings', at, 'name']);
      problems.push({ path, code: 'ring_file', message: `${wish.name}.ring.gz: ${message}` });
    }
  }
  return { problems, rings, builders, blobs };
}

/** @returns one for each entry; undefined for one that is wrong */
function wishesOf(
  document: Readonly<Record<string, unknown>>,
  problems: SpecProblem[],
): (RingWish | undefined)[] {
  const report = (path: readonly PropertyKey[], code: string, message: string): void => {
    problems.push({ path: pointer(path), code, message });
  };
  for (const key of Object.keys(document)) {
    if (key !== 'rings') report([key], 'unknown_key', 'expected a key that exists: rings');
  }
  const { rings: list } = document;
  if (!Array.isArray(list) || list.length === 0 || list.length > RINGS_MAX) {
    report(['rings'], 'type', `expected a list of 1 to ${RINGS_MAX} rings`);
    return [];
  }
  const names = new Set<string>();
  const wishes = (list as unknown[]).map((entry, at) => {
    const before = problems.length;
    const wish = wishOf(entry, (key, code, message) => {
      report(['rings', at, ...(key === '' ? [] : [key])], code, message);
    });
    if (names.has(wish.name)) report(['rings', at, 'name'], 'duplicate', 'expected each ring once');
    names.add(wish.name);
    return problems.length === before ? wish : undefined;
  });
  for (const name of ['account', 'container', 'object']) {
    if (names.has(name)) continue;
    report(['rings'], 'missing', `expected the ring ${name}: without it a new one would be made`);
  }
  return wishes;
}

function wishOf(
  entry: unknown,
  report: (key: string, code: string, message: string) => void,
): RingWish {
  const given = (typeof entry === 'object' && entry !== null ? entry : {}) as Readonly<
    Record<string, unknown>
  >;
  for (const key of Object.keys(given)) {
    if (!KEYS.has(key)) report(key, 'unknown_key', 'expected a key that exists');
  }
  const { name, min_part_hours: hours, overload } = given;
  if (typeof name !== 'string' || !RING_NAME.test(name)) {
    report('name', 'type', 'expected account, container, object, or object-N');
  }
  const number = (key: string, value: unknown, max: number): number => {
    const what = `a number from 0 to ${max}, which a ring file does not say`;
    if (value === undefined) report(key, 'missing', `expected ${what}`);
    else if (typeof value !== 'number' || !(value >= 0 && value <= max)) {
      report(key, 'type', `expected ${what}`);
    } else return value;
    return 0;
  };
  return {
    name: String(name),
    min_part_hours: Math.floor(number('min_part_hours', hours, 255)),
    overload: number('overload', overload, 100),
  };
}
