import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { ConfigError } from '../../../../src/config/problem.js';
import { BoundedCache } from '../../../../src/lib/bounded-cache.js';
import { PathHash } from '../../../../src/ring/path-hash.js';
import { fragmentCount, type Policies, type Policy } from '../../../../src/ring/policy.js';
import { replicaCount } from '../../../../src/ring/ring-data.js';
import { RingFileError } from '../../../../src/ring/ring-error.js';
import { readRingFile, stampOf, type RingFile } from '../../../../src/ring/ring-file.js';
import { Ring } from '../../../../src/ring/ring.js';
import { readSwiftConf, type SwiftConf } from '../../../../src/ring/swift-conf.js';
import type { ConsoleOptions } from '../../../config/load.js';
import { ApiError } from '../../../server/api-error.js';
import { isSample } from './sample-cluster.js';

/** A ring of the Lab, with the file that it was read from. */
export interface OpenRing {
  readonly name: string;
  /** Absolute path of the file. */
  readonly file: string;
  readonly read: RingFile;
  readonly ring: Ring;
}

/** `account`, `container`, `object`, `object-1`, … */
const CURRENT_RING = /^(?:account|container|object(?:-\d{1,4})?)$/;
/** Former files, as `swift-ring-builder` keeps them: `backups/1700000000.object.ring.gz`. */
const FORMER_RING = /^\d{1,12}\.(?:account|container|object(?:-\d{1,4})?)$/;
const SUFFIX = '.ring.gz';
/** The newest so many files of `backups`, which grows with each change of a ring. */
const FORMER_MAX = 200;
/** Bytes of all rings that are kept, unpacked; one that is larger is read each time. */
const CACHE_BYTES_MAX = 64 * 1024 * 1024;

/**
 * The rings in `store_dir`, read when they are asked for. A file that cannot be used fails the
 * requests about it, and no others.
 */
export class LabRings {
  readonly #cache = new BoundedCache<OpenRing>({ weightMax: CACHE_BYTES_MAX });

  constructor(private readonly options: Pick<ConsoleOptions, 'storeDir' | 'hashConf'>) {}

  /**
   * The names of the rings in use.
   * @throws ApiError unsupported_here, upstream_unavailable
   */
  async names(): Promise<string[]> {
    const names = await this.#ringsIn(this.#folder(), CURRENT_RING);
    // Accounts, containers, objects, and further policies by their numbers.
    return names.sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
  }

  /**
   * The names of former rings, the newest first: for comparisons.
   * @throws ApiError unsupported_here
   */
  async formerNames(): Promise<string[]> {
    const folder = path.join(this.#folder(), 'backups');
    const names = await this.#ringsIn(folder, FORMER_RING).catch((error: unknown) => {
      if (error instanceof ApiError && error.code === 'upstream_unavailable') return [];
      throw error;
    });
    return names
      .sort((a, b) => Number.parseInt(b, 10) - Number.parseInt(a, 10))
      .slice(0, FORMER_MAX);
  }

  /**
   * @param name - of a ring in use or a former one
   * @throws ApiError not_found for another name; unprocessable, too_large or upstream_unavailable
   *   for a file that cannot be used
   */
  async open(name: string): Promise<OpenRing> {
    const file = this.fileOf(name);
    try {
      const stamp = stampOf(await stat(file, { bigint: true }));
      const known = this.#cache.get(name);
      if (known?.read.stamp === stamp) return known;
      const read = await readRingFile(file);
      const opened = { name, file, read, ring: new Ring(read.data) };
      this.#cache.set(name, opened, bytesOf(read));
      return opened;
    } catch (error) {
      throw openProblem(error);
    }
  }

  /** @throws ApiError not_found for a name that no ring can have */
  fileOf(name: string): string {
    const folder = this.#folder();
    if (CURRENT_RING.test(name)) return path.join(folder, `${name}${SUFFIX}`);
    if (FORMER_RING.test(name)) return path.join(folder, 'backups', `${name}${SUFFIX}`);
    throw new ApiError('not_found', 'Ring not found.');
  }

  /** @throws ApiError unprocessable where swift.conf cannot be used */
  async policies(): Promise<Policies> {
    return (await this.#swiftConf()).policies;
  }

  /**
   * The policy that a ring of objects belongs to.
   * @throws ApiError unprocessable where swift.conf cannot be used
   */
  async policyOf(ringName: string): Promise<Policy | undefined> {
    const all = [...(await this.policies()).values()];
    return all.find((policy) => policy.ringName === ringName);
  }

  /** @throws ApiError unprocessable where swift.conf cannot be used */
  async pathHash(): Promise<PathHash> {
    return new PathHash((await this.#swiftConf()).salt);
  }

  async #swiftConf(): Promise<SwiftConf> {
    const { hashConf } = this.options;
    const file = hashConf === '' ? path.join(this.#folder(), 'swift.conf') : hashConf;
    try {
      return await readSwiftConf(file);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      // Its lines say what was expected, and never the prefix or the suffix.
      throw new ApiError('unprocessable', 'swift.conf cannot be used.', {
        problems: error.problems.map(({ key, expected }) =>
          `${path.basename(key)}: ${expected}`.replaceAll(file, 'swift.conf'),
        ),
      });
    }
  }

  /** Whether the folder was made by `npm run lab:sample`: no server stands behind its rings. */
  isSample(): Promise<boolean> {
    return isSample(this.#folder());
  }

  #folder(): string {
    if (this.options.storeDir !== '') return this.options.storeDir;
    throw new ApiError('unsupported_here', 'No ring directory is configured.', {
      needs: 'store_dir',
    });
  }

  async #ringsIn(folder: string, pattern: RegExp): Promise<string[]> {
    let files: string[];
    try {
      files = await readdir(folder);
    } catch (error) {
      throw new ApiError('upstream_unavailable', 'The ring directory could not be read.', {
        reason: (error as NodeJS.ErrnoException).code,
      });
    }
    return files
      .filter((file) => file.endsWith(SUFFIX))
      .map((file) => file.slice(0, -SUFFIX.length))
      .filter((name) => pattern.test(name));
  }
}

/** Why an erasure-coded policy and its ring do not fit together; undefined where they do. */
export function misfit(opened: OpenRing, policy: Policy | undefined): string | undefined {
  const coding = policy?.erasureCoding;
  if (coding === undefined) return undefined;
  const replicas = replicaCount(opened.read.data.rows);
  const expected = fragmentCount(coding);
  if (replicas === expected) return undefined;
  return `the ring has ${replicas} replicas, and policy ${policy?.name} has ${expected} fragments`;
}

function bytesOf({ data }: RingFile): number {
  return data.rows.reduce((sum, row) => sum + row.byteLength, 0) + data.devices.length * 256;
}

/** The problem with a ring, for the browser. The file's folder is not in it. */
function openProblem(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (!(error instanceof RingFileError)) {
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    if (missing) return new ApiError('not_found', 'Ring not found.');
    return new ApiError('upstream_unavailable', 'Could not read the ring file.');
  }
  return ringFileProblem(error.fault, error.reason);
}

/** @param fault - see `RingFileFault` */
export function ringFileProblem(fault: string, reason: string): ApiError {
  const message = `Could not load the ring file: ${reason}.`;
  if (fault === 'unreadable') return new ApiError('upstream_unavailable', message);
  if (fault === 'too_large') return new ApiError('too_large', message);
  return new ApiError(fault === 'unsupported' ? 'unsupported_format' : 'ring_corrupt', message);
}
